"""Findings as the queue shows them, and what people decided about captions."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import Lower
from django.urls import reverse

from annotation.batches import AT_ONCE
from annotation.models import (
    CaptionAct,
    CaptionDecision,
    CaptionFinding,
    DataSet,
    DataSetCaption,
    Sound,
    Verdict,
)
from annotation.models.data_set import DECIDING
from annotation.selectors.formats import text_download
from annotation.text_changes import text_stamp
from earmark.datasets.findings import KINDS
from leaderboard.models import User
from leaderboard.web.csv_cells import csv_line, csv_text
from leaderboard.web.file_responses import Download

# States as addresses name them; the stored value of an open one is empty.
STATES = {verdict.value or "open": verdict for verdict in Verdict}
# Of the whole caption, so that there is no word to dismiss everywhere.
_OF_CAPTIONS = frozenset({"duplicate", "length", "same_text"})


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings are shown: a kind ("" for all), and a state as ``STATES`` names it."""

    kind: str = ""
    state: str = "open"


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding with its caption in three pieces, the middle one being the place that was found.

    ``others`` are the clip's other captions, ``sound`` the address of its recording ("" for
    none), ``same`` how many open findings of the kind have the same text, this one among them.
    ``decision`` is the one that can be taken back.
    """

    finding: CaptionFinding
    caption: DataSetCaption
    pieces: tuple[str, str, str]
    others: tuple[DataSetCaption, ...]
    sound: str
    same: int
    decision: CaptionDecision | None

    @property
    def open(self) -> bool:
        """Whether it waits for a decision."""
        return self.finding.verdict == Verdict.OPEN and not self.caption.taken_out

    @property
    def seen(self) -> str:
        """Stamp of the caption as it is shown."""
        return text_stamp(self.caption.text)

    @property
    def title(self) -> str:
        """Its kind as pages name it."""
        return kind_title(self.finding.kind)

    @property
    def suggestions(self) -> list[tuple[int, str]]:
        """What could stand at the place, each with its number from 0."""
        return list(enumerate(map(str, self.finding.suggestions)))

    @property
    def explanation(self) -> str:
        """What its kind finds."""
        kind = KINDS.get(self.finding.kind)
        return kind.explanation if kind else ""


def kind_title(kind: str) -> str:
    """A kind as pages name it."""
    return kind.replace("_", " ").capitalize()


def findings_of(data_set: DataSet, chosen: FindingFilter) -> QuerySet[CaptionFinding]:
    """The findings that are asked for, in the order of the clips and of their captions."""
    rows = CaptionFinding.objects.filter(
        caption__clip__data_set=data_set, verdict=STATES[chosen.state]
    )
    if chosen.kind:
        rows = rows.filter(kind=chosen.kind)
    return rows.order_by("caption__clip__position", "caption__number", "start", "id")


def finding_counts(data_set: DataSet) -> dict[str, Counter[str]]:
    """How many findings of each kind are in each state, by state and then by kind."""
    rows = CaptionFinding.objects.filter(caption__clip__data_set=data_set).order_by()
    counts: dict[str, Counter[str]] = {state: Counter() for state in STATES}
    for kind, verdict, count in rows.values_list("kind", "verdict").annotate(count=Count("pk")):
        counts[verdict or "open"][kind] = count
    return counts


def finding_rows(
    data_set: DataSet, findings: Iterable[CaptionFinding], *, hears: bool
) -> list[FindingRow]:
    """Rows of findings in their order, in a fixed number of queries.

    ``hears`` says whether the asker may play recordings of the data set's project.
    """
    rows = list(findings)
    captions = {
        row.pk: row
        for row in DataSetCaption.with_taken_out.filter(
            clip__captions__in={one.caption_id for one in rows}
        ).select_related("clip")
    }
    of_clip = defaultdict(list)
    for caption in captions.values():
        of_clip[caption.clip_id].append(caption)
    clips = {caption.clip.file_name for caption in captions.values()}
    sounds = sounds_of(data_set, clips) if hears else {}
    same = _same_texts(data_set, rows)
    decided = [one.pk for one in rows if one.verdict not in {Verdict.OPEN, Verdict.GONE}]
    kept = CaptionDecision.objects.filter(finding__in=decided, taken_back=False)
    kept = kept.exclude(act=CaptionAct.TAKEN_BACK).select_related("by").order_by("pk")
    decisions = {one.finding_id: one for one in kept}
    result = []
    for one in rows:
        caption = captions[one.caption_id]
        others = (
            other for other in of_clip[caption.clip_id] if other != caption and not other.taken_out
        )
        result.append(
            FindingRow(
                finding=one,
                caption=caption,
                pieces=_pieces(one, caption),
                others=tuple(sorted(others, key=lambda other: other.number)),
                sound=sounds.get(caption.clip.file_name, ""),
                same=same[one.kind, one.text.lower()],
                decision=decisions.get(one.pk),
            )
        )
    return result


def sounds_of(data_set: DataSet, names: Iterable[str]) -> dict[str, str]:
    """Addresses of the recordings that the data set's project has of clips, by their names."""
    project = data_set.source
    if project is None:
        return {}
    rows = Sound.objects.filter(project=project, file_name__in=set(names))
    return {row.file_name: reverse("annotation:sound", args=[project.slug, row.pk]) for row in rows}


def _pieces(finding: CaptionFinding, caption: DataSetCaption) -> tuple[str, str, str]:
    """The caption with the place; where that is of an earlier text, the text of then."""
    text, start, end = caption.text, finding.start, finding.end
    if text[start:end] != finding.text or finding.verdict in {Verdict.ACCEPTED, Verdict.EDITED}:
        text = finding.before
    return text[:start], text[start:end], text[end:]


def _same_texts(data_set: DataSet, rows: Iterable[CaptionFinding]) -> Counter[tuple[str, str]]:
    texts = {(one.kind, one.text.lower()) for one in rows if one.kind not in _OF_CAPTIONS}
    counted = (
        CaptionFinding.objects.filter(
            caption__clip__data_set=data_set,
            verdict=Verdict.OPEN,
            kind__in={kind for kind, _ in texts},
        )
        .annotate(lower=Lower("text"))
        .filter(lower__in={text for _, text in texts})
        .order_by()
        .values_list("kind", "lower")
    )
    return Counter(
        {(kind, text): count for kind, text, count in counted.annotate(count=Count("pk"))}
    )


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
        decision_record, rows.select_related("by", "caption__clip").order_by("pk").iterator(AT_ONCE)
    )
    lines = (
        _csv(records)
        if file_format == "csv"
        else (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    )
    name = f"{data_set.slug}-decisions.{file_format}"
    return text_download(name, FORMATS[file_format], lines)


def _csv(records: Iterator[dict[str, Any]]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for record in records:
        cells = ("" if record[name] is None else record[name] for name in COLUMNS)
        yield csv_line(csv_text(cell) if isinstance(cell, str) else cell for cell in cells)
