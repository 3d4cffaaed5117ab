"""What an archive of a project says that it holds, read row by row without making anything."""

import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.formats.archived_values import require
from annotation.formats.project_archive import PEOPLE, PROJECT, TABLES, objects_of
from annotation.formats.records import RecordFault
from annotation.kinds.names import LABEL_WORDS
from annotation.models import Annotation, Gold, Item, Member
from annotation.services.formats.archive_faults import told_at
from annotation.services.formats.archive_links import ArchiveLinks

MOST_PEOPLE = 1000
_EXPORTS = frozenset({"all", "gold"})


@dataclass(frozen=True, slots=True)
class ArchivedPerson:
    """A person of an archive: the name there, answers, and captions that they settled."""

    name: str
    answers: int
    decisions: int


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What an archive holds, or what of it came in; ``left_out`` counts what stayed behind.

    ``counts`` has rows by part of the archive. ``source`` is what fed the project, "" for nothing,
    ``phase`` the phase whose captions are judged; ``linked`` says whether that is linked.
    """

    name: str
    people: tuple[ArchivedPerson, ...]
    counts: Mapping[str, int]
    sounds: int
    size: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    kind: str = LABEL_WORDS
    source: str = ""
    phase: str = ""
    linked: bool = False


def archive_report(
    archive: zipfile.ZipFile,
    head: Mapping[str, Any],
    links: ArchiveLinks,
    recordings: tuple[int, int],
) -> ArchiveReport:
    """Count the rows of an archive and whose they are; ``recordings``: how many, bytes in all."""
    counts = {table.part.partition(".")[0]: 0 for table in TABLES}
    answers, decisions, unlinked = Counter[int](), Counter[int](), 0
    for table in TABLES:
        for number, row in enumerate(objects_of(archive, table.part), 1):
            with told_at(table.part, number):
                counts[table.part.partition(".")[0]] += 1
                if table.model is Annotation and not row["test"]:
                    answers[row["user"]] += 1
                elif table.model is Gold:
                    decisions[row["settled_by"]] += 1
                elif table.model is Item and row["clip"] is not None:
                    unlinked += not links.has_references(row["reference_set"])
    people = tuple(
        ArchivedPerson(name, answers[number], decisions[number])
        for number, name in enumerate(_names(archive), 1)
    )
    left_out = head.get("left_out")
    behind = left_out if isinstance(left_out, dict) else {}
    with told_at(PROJECT, 1):
        settings = require(dict, head.get("settings"))
        return ArchiveReport(
            name=" ".join(str(settings["name"]).split()),
            people=people,
            counts=counts,
            sounds=recordings[0],
            size=recordings[1],
            left_out={str(key): value for key, value in behind.items() if isinstance(value, int)}
            | ({"challenge_clips": unlinked} if unlinked else {}),
            kind=str(settings["kind"]),
            source=links.source_name,
            phase=links.phase_name,
            linked=bool(links.phase),
        )


def _names(archive: zipfile.ZipFile) -> Iterator[str]:
    """The people of an archive by name, each another one."""
    names: set[str] = set()
    for number, row in enumerate(objects_of(archive, PEOPLE), 1):
        with told_at(PEOPLE, number):
            if number > MOST_PEOPLE:
                raise RecordFault(
                    f"There are more than {MOST_PEOPLE:,} people, which is the limit."
                )
            found = row["member"]["name"] if "member" in row else row["name"]
            name = str(require(str, found))
            if not name or name in names | _EXPORTS or not name.isprintable():
                raise RecordFault(
                    "The name is empty, invisible or taken. Give another.", value=name
                )
            Member._meta.get_field("name").clean(name, None)
            names.add(name)
            yield name
