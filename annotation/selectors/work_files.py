"""Files of what people answered where the work is another than labelling words."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from annotation.models import Annotation, Project
from annotation.selectors.formats import AT_ONCE, Download, pieces_of
from annotation.selectors.projects import worker_names
from annotation.selectors.work_items import accepted_lines
from leaderboard.web.csv_cells import csv_line, csv_text


def _captions(project: Project) -> Iterator[str]:
    """Clotho's table: a clip a line, with what was accepted for it as its captions."""
    rows = list(accepted_lines(project))
    most = max((len(lines) for _, lines in rows), default=0)
    yield csv_line(["file_name", *(f"caption_{number}" for number in range(1, most + 1))])
    for item, lines in rows:
        if lines:
            cells = [item.text, *lines, *[""] * (most - len(lines))]
            yield csv_line(map(csv_text, cells))


def _answers(project: Project) -> Iterator[str]:
    """Every answer as a JSON object a line, whether or not it counts."""
    names = worker_names(project)
    rows = Annotation.objects.filter(item__project=project).select_related("item")
    for row in rows.order_by("item__position", "pk").iterator(AT_ONCE):
        told = {
            "file_name": row.item.text,
            "annotator": names.get(row.user_id, str(row.user_id)),
            "answer": row.answer,
            "value": row.value,
            "counts": row.counts,
            "flagged": row.flagged,
            "comment": row.comment,
            "seconds": row.seconds,
            "updated_at": row.updated_at.isoformat(),
        }
        yield json.dumps(told, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A file that a project's answers can be had as."""

    title: str
    about: str
    content_type: str
    lines: Callable[[Project], Iterator[str]]


WORK_FILES = {
    "csv": WorkFile(
        "CSV",
        "As Clotho's: file_name, caption_1 and so on, what was accepted.",
        "text/csv; charset=utf-8",
        _captions,
    ),
    "jsonl": WorkFile(
        "JSON lines",
        "Every answer, with who gave it, when and how long it took.",
        "application/jsonl",
        _answers,
    ),
}


def files_of(project: Project) -> dict[str, WorkFile]:
    """The files of a project by their names: Clotho's table only where answers are texts."""
    has_texts = project.work_kind.checks_text
    return {name: file for name, file in WORK_FILES.items() if has_texts or name != "csv"}


def work_file(project: Project, name: str) -> Download:
    """A file by its name in ``WORK_FILES``, made while it is sent."""
    chosen = WORK_FILES[name]
    lines = (line.encode() for line in chosen.lines(project))
    return Download(f"{project.slug}.{name}", chosen.content_type, pieces_of(lines))
