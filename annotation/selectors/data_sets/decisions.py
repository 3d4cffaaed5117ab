"""What people decided about captions: of one caption, and of a whole data set as a file."""

import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from annotation.batches import AT_ONCE
from annotation.models import CaptionDecision, DataSet, DataSetCaption
from annotation.models.data_set import DECIDING
from annotation.selectors.formats import Download, text_download
from leaderboard.models import User
from leaderboard.web.csv_cells import csv_line, csv_text

FORMATS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
_COLUMNS = ("file_name", "number", "act", "kind", "start", "end", "text", "before", "after", "by")
COLUMNS = (*_COLUMNS, "at", "taken_back")


def decisions_of(caption: DataSetCaption) -> QuerySet[CaptionDecision]:
    """The decisions about a caption, latest first."""
    rows = CaptionDecision.objects.filter(caption=caption)
    return rows.select_related("by", "caption__clip").order_by("-pk")


def last_decision(data_set: DataSet, user: User) -> CaptionDecision | None:
    """What a person decided last about a finding, of what stands."""
    rows = _standing(data_set).filter(by=user).select_related("caption__clip")
    return rows.order_by("-pk").first()


def decided_together(decision: CaptionDecision) -> QuerySet[CaptionDecision]:
    """The decisions of the same act, as where all findings of one text were dismissed at once."""
    return _standing(decision.caption.clip.data_set).filter(
        by=decision.by_id, at=decision.at, act=decision.act, kind=decision.kind,
        text__iexact=decision.text,
    )  # fmt: skip


def decision_text(decision: CaptionDecision) -> str:
    """What was decided, and of which caption; or of how many findings together."""
    if (count := decided_together(decision).count()) > 1:
        return f"dismissed {count:,} findings, \u201c{decision.text}\u201d"
    of = f"{decision.caption.clip.file_name}, caption {decision.caption.number}"
    return f"{decision.get_act_display()} ({of})"


def _standing(data_set: DataSet) -> QuerySet[CaptionDecision]:
    return CaptionDecision.objects.filter(
        caption__clip__data_set=data_set, caption__taken_out=False, finding__isnull=False,
        act__in=DECIDING, taken_back=False,
    )  # fmt: skip


def decision_record(row: CaptionDecision) -> dict[str, Any]:
    """A decision as plain values, with the ``COLUMNS`` as keys."""
    return {
        "file_name": row.caption.clip.file_name,
        "number": row.caption.number,
        "act": row.act,
        "kind": row.kind,
        "start": row.start,
        "end": row.end,
        "text": row.text,
        "before": row.before,
        "after": row.after,
        "by": row.by.get_username() if row.by else None,
        "at": row.at.isoformat(),
        "taken_back": row.taken_back,
    }


def decisions_file(data_set: DataSet, file_format: str) -> Download:
    """Every decision in the order in which they were made, made while it is sent.

    ``file_format`` is one of ``FORMATS``.
    """
    rows = CaptionDecision.objects.filter(caption__clip__data_set=data_set)
    records = map(
        decision_record,
        rows.select_related("by", "caption__clip").order_by("pk").iterator(AT_ONCE),
    )
    lines = _csv(records) if file_format == "csv" else _json_lines(records)
    name = f"{data_set.slug}-decisions.{file_format}"
    return text_download(name, FORMATS[file_format], lines)


def _csv(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for record in records:
        cells = ("" if record[name] is None else record[name] for name in COLUMNS)
        yield csv_line(csv_text(cell) if isinstance(cell, str) else cell for cell in cells)


def _json_lines(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    for record in records:
        yield json.dumps(record, ensure_ascii=False) + "\n"
