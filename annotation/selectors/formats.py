"""What people labelled, one after another, as files have it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet
from django.utils.text import slugify

from annotation.batches import AT_ONCE
from annotation.formats import docbin, prodigy, table, word_labels
from annotation.formats.records import ExportRow
from annotation.models import Annotation, Answer, Gold, Item, Project
from annotation.selectors.projects import worker_names
from earmark.captions.faults import in_quotes
from leaderboard.web.csv_cells import csv_line, csv_text
from leaderboard.web.file_responses import Download
from leaderboard.web.refusals import Refused

ALL, GOLD = "all", "gold"


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """Whose work, and with which answer ("" for any).

    ``who`` is a member's name, "all", or "gold" for what is settled. ``own_inventory``
    leaves out labels of another inventory, which a file brought. ``items`` are the ids of
    the captions, None for all.
    """

    who: str = ALL
    answer: str = ""
    own_inventory: bool = False
    items: frozenset[int] | None = None


def export_rows(project: Project, choice: ExportSelection) -> Iterator[ExportRow]:
    """The work of a project in the order in which it was first kept, read piece by piece.

    An unknown person is refused at once and not when the first work is asked for.
    """
    if choice.who == GOLD:
        golds = Gold.objects.filter(item__project=project).select_related("item")
        return (
            ExportRow(**_caption(row.item), spans=row.spans, annotator=GOLD, at=row.settled_at)
            for row in golds.order_by("item__position").iterator(AT_ONCE)
            if choice.items is None or row.item_id in choice.items
        )
    rows = _annotations(project, choice)
    return _works(rows.order_by("pk"), project, choice.items)


def _annotations(project: Project, choice: ExportSelection) -> QuerySet[Annotation]:
    rows = Annotation.objects.filter(item__project=project)
    if choice.answer:
        rows = rows.filter(answer=choice.answer)
    if choice.own_inventory:
        rows = rows.filter(inventory="")
    if choice.who == ALL:
        return rows
    person = next(
        (user for user, name in worker_names(project).items() if name == choice.who), None
    )
    if person is None:
        raise Refused(
            f"Nobody called {in_quotes(choice.who)} is in this project. "
            "Give a member's name, all or gold.",
            status=404,
        )
    return rows.filter(user=person)


def _works(
    rows: QuerySet[Annotation], project: Project, items: frozenset[int] | None
) -> Iterator[ExportRow]:
    names = worker_names(project)
    for row in rows.select_related("item").iterator(AT_ONCE):
        # Databases take only so many values at once.
        if items is not None and row.item_id not in items:
            continue
        extra: dict[str, Any] = row.extra
        line = str(extra.get("line", ""))
        yield ExportRow(
            **_caption(row.item),
            spans=row.spans,
            annotator=names.get(row.user_id, str(row.user_id)),
            at=row.updated_at,
            answer=row.answer,
            flagged=row.flagged,
            comment=row.comment,
            line=line,
            changed=bool(line) and _changed(row, project),
            taken=row.taken,
            inventory=row.inventory,
        )


def _changed(row: Annotation, project: Project) -> bool:
    """Whether its maker, or a later version of the labels, changed what the line of a file says."""
    if row.extra.get("version") != row.version:
        return True
    if row.scheme_id in {None, project.scheme_id}:
        return False
    return not prodigy.says(row.extra["line"], row.spans, row.inventory)


def _caption(item: Item) -> dict[str, Any]:
    return {
        "number": item.position,
        "text": item.text,
        "tokens": item.tokens,
        "meta": item.meta,
        "carried": str(item.extra.get("carried", "")),
    }


# Single lines would each be a packet of their own.
PIECE = 32_768
ANY = "any"
ANSWERS = (*Answer.values, ANY)

Write = Callable[[Iterator[ExportRow], Project], Iterator[bytes]]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format of files.

    ``answer`` is what goes into the file where nobody says: all that was done, or
    what was accepted. ``every_inventory`` where labels of another inventory go into the file too.
    """

    name: str
    title: str
    about: str
    content_type: str
    ending: str
    answer: str
    write: Write
    every_inventory: bool = False


def _unknown(what: str, name: str, known: Iterable[str]) -> Refused:
    return Refused(
        f"There is no {what} {in_quotes(name)}. Choose from: {', '.join(known)}.", status=404
    )


def _text(lines: Iterator[str]) -> Iterator[bytes]:
    return (line.encode() for line in lines)


FORMATS = {
    file_format.name: file_format
    for file_format in (
        FileFormat(
            "prodigy",
            "Prodigy JSONL",
            "Everything, with every answer; can be imported again.",
            "application/jsonl",
            "jsonl",
            ANY,
            lambda works, project: _text(prodigy.write(works, project.slug)),
            every_inventory=True,
        ),
        FileFormat(
            "csv",
            "CSV",
            "For spreadsheets, with every answer; can be imported again.",
            "text/csv; charset=utf-8",
            "csv",
            ANY,
            lambda works, _: _text(table.write(works)),
        ),
        FileFormat(
            "docbin",
            "spaCy DocBin",
            "Documents for spaCy's training, with spans and entities.",
            "application/octet-stream",
            "spacy",
            Answer.ACCEPT,
            lambda works, _: docbin.write(works),
        ),
        FileFormat(
            "hf",
            "Hugging Face JSONL",
            "Words, one label for each, and its number.",
            "application/jsonl",
            "jsonl",
            Answer.ACCEPT,
            lambda works, project: _text(word_labels.write_json_lines(works, project.scheme.names)),
        ),
    )
}


def text_download(name: str, content_type: str, lines: Iterable[str]) -> Download:
    """A file of lines, made while it is sent."""
    return Download(name, content_type, pieces_of(line.encode() for line in lines))


def clotho_lines(rows: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Clotho's table: file_name, caption_1 and so on; cells after a clip's last are empty."""
    most = max((len(captions) for _, captions in rows), default=0)
    yield csv_line(["file_name", *(f"caption_{number}" for number in range(1, most + 1))])
    for name, captions in rows:
        yield csv_line(map(csv_text, [name, *captions, *[""] * (most - len(captions))]))


def download_of(project: Project, file_format: str, choice: ExportSelection) -> Download:
    """Prepare a file, or refuse it; later nothing can be refused."""
    writer = FORMATS.get(file_format)
    if writer is None:
        raise _unknown("format", file_format, FORMATS)
    answer = choice.answer or writer.answer
    if answer not in ANSWERS:
        raise _unknown("answer", answer, ANSWERS)
    wanted = replace(
        choice, answer="" if answer == ANY else answer, own_inventory=not writer.every_inventory
    )
    works = export_rows(project, wanted)
    who = slugify(choice.who) or "person"
    some = "" if choice.items is None else f"-{len(choice.items)}-captions"
    return Download(
        name=f"{project.slug}-{who}{some}.{writer.name}.{writer.ending}",
        content_type=writer.content_type,
        pieces=pieces_of(writer.write(works, project)),
    )


def pieces_of(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are worth a packet each."""
    held = bytearray()
    for part in parts:
        held += part
        if len(held) >= PIECE:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
