"""The labels of a project as a file, made piece by piece while it is sent."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from django.utils.text import slugify

from annotation.formats import bio, docbin, hf, prodigy
from annotation.formats.work import Work
from annotation.models import Answer, Project
from annotation.selectors.exports import Choice, works_of

# Single lines would each be a packet of their own.
PIECE = 32_768
ANY = "any"
ANSWERS = (*Answer.values, ANY)

Write = Callable[[Iterator[Work], Project], Iterator[bytes]]


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
        super().__init__(f"There is no {what} {name!r}. Choose from: {', '.join(known)}.")


def _text(lines: Iterator[str]) -> Iterator[bytes]:
    return (line.encode() for line in lines)


FORMATS = {
    found.name: found
    for found in (
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
            lambda works, _: bio.write(works),
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
            lambda works, project: _text(hf.write(works, project.scheme.names)),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file about to be sent."""

    name: str
    content_type: str
    pieces: Iterator[bytes]


def download_of(project: Project, file_format: str, choice: Choice) -> Download:
    """Prepare a file. Raises ``NoSuchFormat`` or ``NoSuchPerson``; later nothing can be refused."""
    found = FORMATS.get(file_format)
    if found is None:
        raise NoSuchFormat("format", file_format, tuple(FORMATS))
    answer = choice.answer or found.answer
    if answer not in ANSWERS:
        raise NoSuchFormat("answer", answer, ANSWERS)
    wanted = replace(choice, answer="" if answer == ANY else answer)
    works = works_of(project, wanted, by_person=found.by_person)
    who = slugify(choice.who) or "person"
    return Download(
        name=f"{project.slug}-{who}.{found.name}.{found.ending}",
        content_type=found.content_type,
        pieces=_pieces(found.write(works, project)),
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
