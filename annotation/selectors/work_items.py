"""What people answered where the work is another than labelling words: on pages and in files."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotation.batches import AT_ONCE
from annotation.kinds.names import RATE
from annotation.models import Annotation, Answer, Item, Project
from annotation.selectors.formats import clotho_lines, text_download
from annotation.selectors.projects import worker_names
from annotation.selectors.stages.ratings import rated_captions
from annotation.selectors.tasks import audio_addresses
from leaderboard.web.file_responses import Download


def work_items(project: Project, items: Iterable[Item]) -> list[dict[str, Any]]:
    """Items as a page lists them, each with its sound ("" for none) and how many answers miss.

    And with all its ``answers``, the first one first: by whom, what in one line, the row itself.
    """
    rows, kind, names = list(items), project.work_kind, worker_names(project)
    sounds = audio_addresses(rows)
    answers: dict[int, list[dict[str, Any]]] = defaultdict(list)
    every = Annotation.objects.filter(item__in=rows).select_related("sent_back__by", "refused__by")
    for answer in every.order_by("pk"):
        by, text = names.get(answer.user_id, str(answer.user_id)), kind.said(answer.value or {})
        answers[answer.item_id].append({"by": by, "said": text, "annotation": answer})
    return [
        {
            "item": item,
            "sound": sounds.get(item.pk, ""),
            "answers": answers[item.pk],
            "open": max(0, item.copies - sum(row["annotation"].counts for row in answers[item.pk])),
        }
        for item in rows
    ]


def accepted_lines(project: Project) -> Iterator[tuple[Item, list[str]]]:
    """Items in their order with what was accepted for each, as far as it counts, in one line."""
    kind, lines = project.work_kind, defaultdict(list)
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for pk, value in rows.order_by("pk").values_list("item", "value").iterator(AT_ONCE):
        lines[pk].append(kind.said(value or {}))
    for item in project.items.order_by("position").iterator(AT_ONCE):
        yield item, lines[item.pk]


def _captions(project: Project) -> Iterator[str]:
    """Clotho's table: a clip a line, with what was accepted for it as its captions."""
    rows: dict[str, list[str]] = defaultdict(list)
    for item, lines in accepted_lines(project):
        rows[item.text] += lines
    return clotho_lines([row for row in rows.items() if row[1]])


def _kept(project: Project) -> Iterator[str]:
    """Clotho's table with the captions that are kept, best first, of clips with all ratings."""
    clips = {clip.file_name: clip for clip in rated_captions(project) if not clip.missing}
    rows = ((name, [row.text for row in clip.kept]) for name, clip in clips.items())
    return clotho_lines([row for row in rows if row[1]])


def _ratings(project: Project) -> Iterator[str]:
    """A clip as a JSON object a line, with its captions, best first, and how they were rated."""
    for clip in rated_captions(project):
        captions = [
            {
                "caption": row.text,
                "accuracy": row.accuracy,
                "fluency": row.fluency,
                "raters": row.raters,
                "rank": row.rank,
                "tied": row.tied,
                "kept": row.kept,
            }
            for row in clip.captions
        ]
        record = {"file_name": clip.file_name, "missing": clip.missing, "captions": captions}
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _answers(project: Project) -> Iterator[str]:
    """Every answer as a JSON object a line, whether or not it counts."""
    names = worker_names(project)
    rows = Annotation.objects.filter(item__project=project).select_related("item", "refused")
    for row in rows.order_by("item__position", "pk").iterator(AT_ONCE):
        record = {
            "file_name": row.item.text,
            "annotator": names.get(row.user_id, str(row.user_id)),
            "answer": row.answer,
            "value": _sorted(row.value),
            "content": _sorted(row.item.content),
            "counts": row.counts,
            "refused": None if row.refused is None else row.refused.note,
            "flagged": row.flagged,
            "comment": row.comment,
            "seconds": row.seconds,
            "updated_at": row.updated_at.isoformat(),
        }
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _sorted(value: Any) -> Any:
    """A value with its keys in order, which databases keep as they like: the same file of each."""
    return json.loads(json.dumps(value, sort_keys=True))


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A file that a project's answers can be had as."""

    title: str
    about: str
    content_type: str
    lines: Callable[[Project], Iterator[str]]


_EVERY_ANSWER = WorkFile(
    "JSON lines",
    "Every answer, with who gave it, when and how long it took.",
    "application/jsonl",
    _answers,
)
_OF_TEXTS = {
    "csv": WorkFile(
        "CSV",
        "Accepted captions in the format of Clotho: file_name, caption_1 and so on.",
        "text/csv; charset=utf-8",
        _captions,
    ),
    "jsonl": _EVERY_ANSWER,
}
_OF_RATINGS = {
    "csv": WorkFile(
        "CSV",
        "Kept captions in the format of Clotho, best first: file_name, caption_1 and so on, of "
        "clips with all ratings.",
        "text/csv; charset=utf-8",
        _kept,
    ),
    "ratings.jsonl": WorkFile(
        "Ratings as JSON lines",
        "Every clip with all its captions: means of ratings, rank, and whether it is kept.",
        "application/jsonl",
        _ratings,
    ),
    "jsonl": _EVERY_ANSWER,
}


def work_files(project: Project) -> dict[str, WorkFile]:
    """The files of a project by their names: Clotho's table only where answers are texts."""
    if project.kind == RATE:
        return _OF_RATINGS
    return _OF_TEXTS if project.work_kind.checks_text else {"jsonl": _EVERY_ANSWER}


def work_file(project: Project, name: str) -> Download:
    """A file by its name in ``work_files``, made while it is sent."""
    chosen = work_files(project)[name]
    return text_download(f"{project.slug}.{name}", chosen.content_type, chosen.lines(project))
