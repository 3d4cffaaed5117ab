"""A new project of a zip that a project gave: what it would be, and making it."""

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.formats.archived_values import require
from annotation.formats.project_archive import PROJECT, SOUNDS, head_of
from annotation.models import Project, Role
from annotation.models.sound import LONGEST_NAME
from annotation.services.formats.archive_faults import told_at
from annotation.services.formats.archive_links import ArchiveLinks
from annotation.services.formats.archive_report import ArchiveReport, archive_report
from annotation.services.formats.archived_rows import ArchivedRows
from annotation.services.projects import ProjectAct, free_name, member_add
from annotation.services.sounds import sounds_record
from leaderboard.models import User
from leaderboard.services.clips.matching import (
    FILES_BESIDE,
    SortedRecordings,
    check_limits,
    recordings_stored,
)
from leaderboard.services.clips.recordings import (
    HEAD,
    archive_open,
    media_type_of,
    zip_recordings,
)
from leaderboard.web.refusals import Refused

MOST_SOUNDS = 100_000


def archive_preview(*, path: Path, act: ProjectAct) -> ArchiveReport:
    """What an archive says that it holds; its rows are read closely only when it is made.

    Recordings are looked at and not stored.
    """
    with _opened(path) as archive:
        head = head_of(archive)
        sounds = _Sounds(archive, head.get("sounds"))
        sounds.look()
        return _report_of(archive, head, sounds, _links_of(head, None, act.actor))


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
            found = sounds.by_name({at: file.sha256 for at, file in stored.items()})
            links = _links_of(head, source, act.actor)
            report = _report_of(archive, head, sounds, links)
            names = [person.name for person in report.people]
            accounts = [(people or {}).get(name) for name in names]
            rows = ArchivedRows(archive, head, list(zip(names, accounts, strict=True)), act, links)
            project = rows.store()
            taken = project.members.filter(user=act.actor).exists()
            name = "" if taken else free_name(project, act.actor.get_username())
            member_add(project=project, user=act.actor, role=Role.MANAGER, name=name)
            act.note("from-archive", project, captions=report.counts["captions"])
            if found:
                files = {name: stored[at] for name, at in found.items()}
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


def _report_of(
    archive: zipfile.ZipFile, head: Mapping[str, Any], sounds: "_Sounds", links: ArchiveLinks
) -> ArchiveReport:
    return archive_report(archive, head, links, (len(sounds.names), sounds.files.size))


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
        found = {recording.name: recording for recording in zip_recordings(archive)}
        for at, sha256 in enumerate(self._digests):
            recording = found.get(f"{SOUNDS}{sha256}")
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
