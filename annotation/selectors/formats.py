"""What people labelled, one after another, as files have it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet
from django.utils.text import slugify

from annotation.formats import docbin, prodigy, word_tags
from annotation.formats.export_rows import ExportRow
from annotation.models import Annotation, Answer, Gold, Item, Project
from scoring.captions.faults import in_quotes

ALL, GOLD = "all", "gold"
AT_ONCE = 500


class NoSuchPerson(ValueError):
    """Nobody of this name has labelled in the project."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Nobody called {in_quotes(name)} is in this project. "
            "Give a member's name, all or gold."
        )


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """Whose work, and with which answer ("" for any).

    ``who`` is a member's name, "all", or "gold" for what is settled.
    """

    who: str = ALL
    answer: str = ""


def export_rows(
    project: Project, choice: ExportSelection, *, by_person: bool = False
) -> Iterator[ExportRow]:
    """The work of a project in the order in which it was first kept, read piece by piece.

    ``by_person`` gives one person's after the other's. Raises ``NoSuchPerson``
    at once and not when the first work is asked for.
    """
    if choice.who == GOLD:
        return _settled(project)
    rows = _annotations(project, choice)
    return _works(rows.order_by("user", "pk") if by_person else rows.order_by("pk"), project)


def _annotations(project: Project, choice: ExportSelection) -> QuerySet[Annotation]:
    rows = Annotation.objects.filter(item__project=project)
    if choice.answer:
        rows = rows.filter(answer=choice.answer)
    if choice.who == ALL:
        return rows
    person = next((user for user, name in _names(project).items() if name == choice.who), None)
    if person is None:
        raise NoSuchPerson(choice.who)
    return rows.filter(user=person)


def _names(project: Project) -> dict[int, str]:
    """The name under which each person's work stands; who left keeps the user name."""
    left = Annotation.objects.filter(item__project=project).order_by()
    names = dict(left.values_list("user", "user__username").distinct())
    return names | dict(project.members.values_list("user", "name"))


def _works(rows: QuerySet[Annotation], project: Project) -> Iterator[ExportRow]:
    names = _names(project)
    for row in rows.select_related("item").iterator(AT_ONCE):
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
            changed=bool(line) and extra.get("version") != row.version,
            taken=row.taken,
        )


def _settled(project: Project) -> Iterator[ExportRow]:
    rows = Gold.objects.filter(item__project=project).select_related("item")
    for row in rows.order_by("item__position").iterator(AT_ONCE):
        yield ExportRow(**_caption(row.item), spans=row.spans, annotator=GOLD, at=row.settled_at)


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
    what was accepted. ``by_person`` where one person's work stands together.
    """

    name: str
    title: str
    about: str
    content_type: str
    ending: str
    answer: str
    write: Write
    by_person: bool = False


class NoSuchFormat(ValueError):
    """A format or an answer that there is not."""

    def __init__(self, what: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"There is no {what} {in_quotes(name)}. Choose from: {', '.join(known)}.")


def _text(lines: Iterator[str]) -> Iterator[bytes]:
    return (line.encode() for line in lines)


FORMATS = {
    file_format.name: file_format
    for file_format in (
        FileFormat(
            "prodigy",
            "Prodigy JSONL",
            "Everything, with every answer; comes in again unchanged.",
            "application/jsonl",
            "jsonl",
            ANY,
            lambda works, project: _text(prodigy.write(works, project.slug)),
        ),
        FileFormat(
            "bio",
            "CoNLL / BIO",
            "A zip archive with a file for each person; a word and its tag a line.",
            "application/zip",
            "zip",
            Answer.ACCEPT,
            lambda works, _: word_tags.write_bio(works),
            by_person=True,
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
            lambda works, project: _text(word_tags.write_json_lines(works, project.scheme.names)),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file about to be sent."""

    name: str
    content_type: str
    pieces: Iterator[bytes]


def download_of(project: Project, file_format: str, choice: ExportSelection) -> Download:
    """Prepare a file. Raises ``NoSuchFormat`` or ``NoSuchPerson``; later nothing can be refused."""
    writer = FORMATS.get(file_format)
    if writer is None:
        raise NoSuchFormat("format", file_format, tuple(FORMATS))
    answer = choice.answer or writer.answer
    if answer not in ANSWERS:
        raise NoSuchFormat("answer", answer, ANSWERS)
    wanted = replace(choice, answer="" if answer == ANY else answer)
    works = export_rows(project, wanted, by_person=writer.by_person)
    who = slugify(choice.who) or "person"
    return Download(
        name=f"{project.slug}-{who}.{writer.name}.{writer.ending}",
        content_type=writer.content_type,
        pieces=_pieces(writer.write(works, project)),
    )


def _pieces(parts: Iterator[bytes]) -> Iterator[bytes]:
    held = bytearray()
    for part in parts:
        held += part
        if len(held) >= PIECE:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
