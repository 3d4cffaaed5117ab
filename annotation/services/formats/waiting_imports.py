"""Files that wait until somebody has looked at what they would bring."""

import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.models import Import, ImportState, Project
from annotation.selectors.schemes import LabelReading
from annotation.services.formats.archive_reading import (
    ArchiveReport,
    archive_preview,
    project_archive_read,
)
from annotation.services.formats.file_imports import (
    LONGEST_NAME,
    FileChoice,
    FileImport,
    LabelFile,
    report_json,
)
from annotation.services.formats.imports import ImportReport
from annotation.services.projects import ProjectAct
from leaderboard.models import User
from leaderboard.services.clips.recordings import incoming_folder
from leaderboard.web.refusals import Refused

# What nobody has decided by then is no longer kept.
WAITS_FOR = timedelta(days=7)
# Archives can have gigabytes, and lie on the disk that recordings need.
ARCHIVE_WAITS_FOR = timedelta(days=1)


def not_waiting() -> Refused:
    """A file that somebody has imported or discarded already."""
    return Refused("This file has been imported or discarded in the meantime.")


@transaction.atomic
def import_prepare(
    *, project: Project, file: LabelFile, choice: FileChoice, act: ProjectAct
) -> Import:
    """Keep a file with what it would bring; nothing of it comes in.

    One file waits for each person in a project: another one takes its place.
    """
    waiting = Import.objects.filter(state=ImportState.WAITING)
    waiting.filter(at__lt=act.now - WAITS_FOR).delete()
    waiting.filter(project=project, by=act.actor).delete()
    file.file.seek(0)
    record = Import(
        project=project,
        state=ImportState.WAITING,
        file_name=file.name[-LONGEST_NAME:],
        content=file.file.read(),
        by=act.actor,
        at=act.now,
    )
    return _looked_at(record, choice, act)


@transaction.atomic
def import_look(*, record: Import, choice: FileChoice, act: ProjectAct) -> Import:
    """Say anew what a file would bring, by another choice."""
    return _looked_at(_locked(record), choice, act)


@transaction.atomic
def import_confirm(*, record: Import, choice: FileChoice, act: ProjectAct) -> ImportReport:
    """Bring a waiting file in. Raises ``UnreadableLabels``, or refuses what waits no more.

    Where nothing of it is new, it is not listed with the imports.
    """
    locked = _locked(record)
    locked.by, locked.at = act.actor, act.now
    report = FileImport.of(locked.project, file_of(locked), choice, act.now).carry_out(locked)
    act.note(
        "fill",
        locked.project,
        phase="",
        submission="",
        file=locked.file_name,
        captions=report.captions,
        annotations=report.annotations,
    )
    return report


@transaction.atomic
def import_discard(*, record: Import) -> None:
    """Forget a waiting file."""
    _locked(record).delete()


def file_of(record: Import) -> LabelFile:
    """The file of an import that waits."""
    return LabelFile(BytesIO(bytes(record.content)), record.file_name)


def _locked(record: Import) -> Import:
    rows = Import.objects.select_for_update(of=("self",)).select_related("project__scheme")
    locked = rows.filter(pk=record.pk, state=ImportState.WAITING).first()
    if locked is None:
        raise not_waiting()
    return locked


def _looked_at(record: Import, choice: FileChoice, act: ProjectAct) -> Import:
    preview = FileImport.of(record.project, file_of(record), choice, act.now).preview()
    reading = preview.reading or LabelReading()
    record.sha256 = preview.survey.sha256
    record.chosen = choice.to_json()
    record.inventory, record.mapping = reading.inventory, reading.mapping_json()
    record.report = {**report_json(preview.survey, preview.report), "refusal": preview.refusal}
    record.save()
    return record


@dataclass(frozen=True, slots=True)
class WaitingArchive:
    """An archive of a project that somebody looks at before a project is made of it.

    ``key`` names it in addresses; it lies on disk, with its ``report`` beside it.
    """

    key: str
    path: Path
    report: ArchiveReport


def archive_prepare(*, path: Path, act: ProjectAct) -> WaitingArchive:
    """Keep an archive with what it would become; nothing is made.

    One waits for each person: another one takes its place. One that is refused is not kept.
    """
    report = archive_preview(path=path, act=act)
    archives_expire(now=act.now)
    for old in _archives_of(act.actor):
        _archive_forget(old)
    key = f"{act.actor.pk}-{secrets.token_hex(8)}"
    kept = _archive_path(key)
    kept.with_suffix(".json").write_text(json.dumps(asdict(report)))
    try:
        kept.hardlink_to(path)
    except OSError:  # on another disk
        shutil.copyfile(path, kept)
    return WaitingArchive(key, kept, report)


def archive_waiting(*, key: str, user: User) -> WaitingArchive:
    """An archive that this person sent; refused where it waits no more."""
    kept = _archive_path(key)
    if kept not in _archives_of(user):
        raise not_waiting()
    try:
        row: dict[str, Any] = json.loads(kept.with_suffix(".json").read_text())
        return WaitingArchive(key, kept, ArchiveReport(**row))
    except (FileNotFoundError, TypeError) as error:  # Another version's report has other fields.
        raise not_waiting() from error


def archive_confirm(
    *,
    waiting: WaitingArchive,
    people: Mapping[str, User],
    act: ProjectAct,
    source: Project | None = None,
) -> Project:
    """Make a project of a waiting archive, by which account each person is; forget the archive.

    ``source`` feeds it (``project_archive_read``).
    """
    # A form that is sent twice makes one project: who renames the archive has it.
    taken = waiting.path.with_suffix(".taken")
    try:
        waiting.path.rename(taken)
    except FileNotFoundError as error:
        raise not_waiting() from error
    try:
        project, _ = project_archive_read(path=taken, act=act, people=people, source=source)
    except Exception:
        taken.rename(waiting.path)
        raise
    taken.unlink()
    _archive_forget(waiting.path)
    return project


def archive_discard(*, waiting: WaitingArchive) -> None:
    """Forget a waiting archive."""
    _archive_forget(waiting.path)


def archives_expire(*, now: datetime) -> None:
    """Forget archives of which nobody decided in time."""
    for kept in incoming_folder().glob("project-*"):
        if now - datetime.fromtimestamp(kept.lstat().st_ctime, UTC) > ARCHIVE_WAITS_FOR:
            kept.unlink(missing_ok=True)


def _archives_of(user: User) -> list[Path]:
    return list(incoming_folder().glob(f"project-{user.pk}-*.zip"))


def _archive_path(key: str) -> Path:
    return incoming_folder() / f"project-{key}.zip"


def _archive_forget(kept: Path) -> None:
    kept.unlink(missing_ok=True)
    kept.with_suffix(".json").unlink(missing_ok=True)
