"""A new project of a zip that a project gave: what it would be, and making it."""

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.formats.archived_values import require, told_at
from annotation.formats.project_archive import PEOPLE, PROJECT, SOUNDS, TABLES, head_of, objects_of
from annotation.formats.records import RecordFault
from annotation.kinds.names import LABEL_WORDS
from annotation.models import Annotation, Gold, Item, Member, Project, Role
from annotation.models.project import LONGEST_NAME
from annotation.services.formats.archive_links import ArchiveLinks
from annotation.services.formats.archived_rows import ArchivedRows
from annotation.services.projects import ProjectAct, free_name, member_add
from annotation.services.sounds import sounds_record
from leaderboard.models import User
from leaderboard.services.clips.recordings import (
    FILES_BESIDE,
    HEAD,
    SortedRecordings,
    archive_open,
    check_limits,
    media_type_of,
    recordings_stored,
    zip_recordings,
)
from leaderboard.web.refusals import Refused

MOST_PEOPLE, MOST_SOUNDS = 1000, 100_000
_EXPORTS = frozenset({"all", "gold"})


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What an archive holds, or what of it came in; ``left_out`` counts what stayed behind.

    ``people`` have the ``name`` there, ``answers``, and ``decisions``: captions that they settled.
    ``counts`` has rows by part of the archive. ``source`` is what fed the project, "" for nothing,
    ``phase`` the phase whose captions are judged; ``linked`` says whether that is linked.
    """

    name: str
    people: Sequence[dict[str, Any]]
    counts: Mapping[str, int]
    sounds: int
    size: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    kind: str = LABEL_WORDS
    source: str = ""
    phase: str = ""
    linked: bool = False


def archive_report(
    archive: zipfile.ZipFile, head: Mapping[str, Any], links: ArchiveLinks, sounds: "_Sounds"
) -> ArchiveReport:
    """Count the rows of an archive and whose they are."""
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
    people = [
        {"name": name, "answers": answers[number], "decisions": decisions[number]}
        for number, name in enumerate(_names(archive), 1)
    ]
    left_out = head.get("left_out")
    behind = left_out if isinstance(left_out, dict) else {}
    with told_at(PROJECT, 1):
        settings = require(dict, head.get("settings"))
        return ArchiveReport(
            name=" ".join(str(settings["name"]).split()),
            people=people,
            counts=counts,
            sounds=len(sounds.names),
            size=sounds.files.size,
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
            value = row["member"]["name"] if "member" in row else row["name"]
            name = str(require(str, value))
            if not name or name in names | _EXPORTS or not name.isprintable():
                raise RecordFault(
                    "The name is empty, invisible or taken. Give another.", value=name
                )
            Member._meta.get_field("name").clean(name, None)
            names.add(name)
            yield name


def archive_preview(*, path: Path, act: ProjectAct) -> ArchiveReport:
    """What an archive says that it holds; its rows are read closely only when it is made.

    Recordings are looked at and not stored.
    """
    with _opened(path) as archive:
        head = head_of(archive)
        sounds = _Sounds(archive, head.get("sounds"))
        sounds.look()
        return archive_report(archive, head, _links_of(head, None, act.actor), sounds)


def project_archive_read(
    *,
    path: Path,
    act: ProjectAct,
    people: Mapping[str, User] | None = None,
    source: Project | None = None,
) -> tuple[Project, ArchiveReport]:
    """Make a project of an archive, all of it or nothing; the actor owns and manages it.

    ``people`` says which account a person is, by the name in the archive. The others come in
    without a log-in. ``source`` feeds it: a project that was made of the archive of what did, and
    that callers have checked the actor manages.
    """
    with _opened(path) as archive:
        head = head_of(archive)
        sounds = _Sounds(archive, head.get("sounds"))
        with recordings_stored(sounds.files) as stored, transaction.atomic():
            places = sounds.by_name({at: file.sha256 for at, file in stored.items()})
            links = _links_of(head, source, act.actor)
            report = archive_report(archive, head, links, sounds)
            names = [person["name"] for person in report.people]
            accounts = [(people or {}).get(name) for name in names]
            rows = ArchivedRows(archive, head, list(zip(names, accounts, strict=True)), act, links)
            project = rows.store()
            taken = project.members.filter(user=act.actor).exists()
            name = "" if taken else free_name(project, act.actor.get_username())
            member_add(project=project, user=act.actor, role=Role.MANAGER, name=name)
            act.note("from-archive", project, captions=report.counts["captions"])
            if places:
                files = {name: stored[at] for name, at in places.items()}
                sounds_record(project=project, sounds=files, act=act)
    return project, report


# What the library says of damaged archives; a name of a member may be no text.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    UnicodeError,
)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """An archive, of which every damage is told alike."""
    with archive_open(path, most_files=MOST_SOUNDS + FILES_BESIDE) as archive:
        try:
            yield archive
        except _DAMAGE as error:
            raise Refused("The archive is damaged. Download it again.") from error


def _links_of(head: Mapping[str, Any], source: Project | None, actor: User) -> ArchiveLinks:
    links = ArchiveLinks(head, source, actor)
    with told_at(PROJECT, 1):
        links.find(str(require(dict, head.get("settings"))["kind"]))
    return links


class _Sounds:
    """The recordings of an archive, by the names that captions call them."""

    def __init__(self, archive: zipfile.ZipFile, listed: object) -> None:
        if not isinstance(listed, dict) or not all(isinstance(one, str) for one in listed.values()):
            raise Refused(f"{PROJECT} does not list the sounds. Download the archive again.")
        if any(len(name) > LONGEST_NAME for name in listed):
            raise Refused(f"A sound has a name of more than {LONGEST_NAME} characters. Shorten it.")
        self.names: dict[str, str] = listed
        self._digests = list(dict.fromkeys(listed.values()))
        self.files = SortedRecordings()
        recordings = {recording.name: recording for recording in zip_recordings(archive)}
        for at, sha256 in enumerate(self._digests):
            recording = recordings.get(f"{SOUNDS}{sha256}")
            if recording is None or recording.fault is not None:
                raise Refused(
                    f"The archive lacks the recording {sha256[:64]}. Download the archive again."
                )
            self.files.chosen[at] = recording

    def look(self) -> None:
        """Refuse recordings that are too much, and what is no recording, storing nothing."""
        check_limits(self.files.size)
        for at, recording in self.files.chosen.items():
            with recording.open() as file:
                if media_type_of(file.read(HEAD)) is None:
                    raise _damaged(self._digests[at])

    def by_name(self, stored: Mapping[int, str]) -> dict[str, int]:
        """Which recording each name has, where all of them were stored as the archive says."""
        for at, sha256 in enumerate(self._digests):
            if stored.get(at) != sha256:
                raise _damaged(sha256)
        places = {sha256: at for at, sha256 in enumerate(self._digests)}
        return {name: places[sha256] for name, sha256 in self.names.items()}


def _damaged(sha256: str) -> Refused:
    return Refused(
        f"{SOUNDS}{sha256[:64]} is damaged or not a sound. Use the archive exactly as it was "
        "downloaded."
    )
