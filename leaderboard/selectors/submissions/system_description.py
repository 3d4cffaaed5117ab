"""What a team says of its system, laid out in DCASE's sections for readers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from earmark.packages.metadata import Author, Dataset, Metadata, labels_of, without_people
from earmark.packages.metadata_files import metadata_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

Rows = tuple[tuple[str, str], ...]
MAX_OPEN_ROWS = 8


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the description; one of many rows is folded."""

    title: str
    rows: Rows

    @property
    def long(self) -> bool:
        """Whether it is better folded."""
        return len(self.rows) > MAX_OPEN_ROWS


def about_of(submission: AnySubmission, *, people: bool) -> dict[str, Any]:
    """The description of a system for readers; with its authors where ``people`` may be shown.

    ``main`` is what readers ask first. Empty where nothing is said.
    """
    stored = submission.metadata if isinstance(submission.metadata, dict) else {}
    metadata = metadata_of(stored if people else without_people(stored)).value or Metadata()
    system, description = metadata.system, metadata.system.description
    scores = metadata.results.development_evaluation
    first = frozenset({"audio_modelling", "word_modelling"})
    main = [
        ("Label", submission.label or metadata.submission.label),
        ("Abbreviation", metadata.submission.abbreviation),
        ("Encoder", description.audio_modelling),
        ("Decoder", description.word_modelling),
        ("Parameters", system.complexity.total_parameters),
    ]
    sections = (
        Section("Method", tuple(_known(description, without=first))),
        Section("Scores on the public split, from the team", tuple(_known(scores))),
        Section("Authors", tuple(_authors(metadata.submission.authors))),
        Section("More", tuple(_further(metadata))),
    )
    about = {
        "main": [(label, shown(value)) for label, value in main if _says(value)],
        "source_code": system.source_code or "",
        "sections": [section for section in sections if section.rows],
        "datasets": _table(system.external_datasets),
    }
    return about if any(about.values()) else {}


def shown(value: Any) -> str:
    """Write a value as readers expect it: yes and no, thousands apart."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(shown(inner) for inner in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _known(part: Any, without: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    for name, label in labels_of(type(part)).items():
        value = getattr(part, name)
        if name not in without and _says(value):
            yield label, shown(value)


def _authors(authors: tuple[Author, ...]) -> Iterator[tuple[str, str]]:
    for author in authors:
        name = " ".join(filter(None, (author.firstname, author.lastname))) or "Unnamed"
        of = author.affiliation
        details = (author.email, of.institute or of.abbreviation, of.department, of.location)
        marked = ["corresponding"] if author.corresponding is True else []
        yield name, ", ".join([*filter(None, details), *marked])


def _table(datasets: tuple[Dataset, ...]) -> dict[str, Any] | None:
    """Rows of the data sets beyond the challenge's own, with the columns that any speaks of."""
    if not datasets:
        return None
    labels = labels_of(Dataset)
    names = [name for name in labels if any(_says(getattr(one, name)) for one in datasets)]
    return {
        "columns": [labels[name] for name in names],
        "rows": [[_cell(one, name) for name in names] for one in datasets],
    }


def _cell(dataset: Dataset, name: str) -> str:
    value = getattr(dataset, name)
    text = shown(value) if _says(value) else ""
    return text.replace("_", " ") if name == "used_for" else text


def _further(part: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """What is not among DCASE's fields, wherever it was written."""
    for spec in fields(part):
        held = getattr(part, spec.name)
        if spec.name == "more":
            yield from _rows(name, held)
        elif "part" in spec.metadata:
            yield from _further(held, name)
        elif "parts" in spec.metadata:
            for number, item in enumerate(held, start=1):
                yield from _further(item, f"{spec.name} {number}")


def _rows(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        # The database keeps no order of keys, so that the page needs one of its own.
        for key, inner in sorted(value.items(), key=lambda item: str(item[0])):
            yield from _rows(f"{name}, {key}" if name else str(key), inner)
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for position, inner in enumerate(value, start=1):
            yield from _rows(f"{name} {position}", inner)
    elif _says(value):
        title = name.replace("_", " ") or "Metadata"
        yield title[0].upper() + title[1:], shown(value)


def _says(value: Any) -> bool:
    return value not in (None, "", [])
