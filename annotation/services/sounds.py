"""Adding recordings to a project's captions by their names, and removing them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from django.db import transaction

from annotation.models import Project, Sound
from annotation.models.project import LONGEST_NAME
from annotation.selectors.sounds import NAME, captions_by_name
from annotation.services.projects import ProjectAct, Task, items_add
from leaderboard.services.clips.recordings import (
    FILES_BESIDE,
    ClipMatcher,
    Recording,
    SortedRecordings,
    StoredRecording,
    archive_open,
    recordings_discard,
    recordings_sorted,
    recordings_stored,
    zip_recordings,
)
from leaderboard.web.refusals import Refused

# In one archive, where no captions say how many to expect.
MOST_SOUNDS = 50_000


def sounds_add_zip(*, project: Project, path: Path, act: ProjectAct) -> dict[str, Any]:
    """Add the recordings of a zip to the captions that name them in ``meta.file_name``.

    A name that had a recording gets the new one; folders and the extension do not matter.
    Where the work is on sounds that are brought, every recording that is new becomes an item.
    Where all of it is refused, nothing was stored.
    """
    names = captions_by_name(project)
    if not (project.work_kind.has_labels or project.work_kind.sources):
        with archive_open(path, most_files=MOST_SOUNDS) as archive:
            return _add_items(project, frozenset(names), list(zip_recordings(archive)), act)
    if not names.total() - names[""]:
        raise Refused(
            "No caption of the project names a sound. Import them with a column file_name, or "
            "choose the column of a table that has the names.",
            field="file",
        )
    with archive_open(path, most_files=2 * len(names) + FILES_BESIDE) as archive:
        return _add(project, sorted(set(names) - {""}), names, zip_recordings(archive), act)


def _add_items(
    project: Project, known: frozenset[str], recordings: Sequence[Recording], act: ProjectAct
) -> dict[str, Any]:
    """Store recordings, and make items of those whose names the project does not have."""
    there = ClipMatcher(sorted(known))
    new = {
        PurePosixPath(recording.name).name
        for recording in recordings
        if there.find(recording.names) is None
    }
    # Files that are no sounds would only be noise in the report of names.
    names = [*sorted(known), *sorted(name for name in new if len(name) <= LONGEST_NAME)]
    files = recordings_sorted(recordings, ClipMatcher(names))
    with recordings_stored(files) as stored, transaction.atomic():
        tasks = [Task(names[at], meta={NAME: names[at]}) for at in sorted(stored)]
        items_add(project=project, tasks=[task for task in tasks if task.text not in known])
        sounds = {names[at]: file for at, file in stored.items()}
        if sounds:
            sounds_record(project=project, sounds=sounds, act=act)
    return _report(files, sounds, captions=len(sounds))


def _add(
    project: Project,
    names: Sequence[str],
    captions: Mapping[str, int],
    recordings: Iterable[Recording],
    act: ProjectAct,
) -> dict[str, Any]:
    files = recordings_sorted(recordings, ClipMatcher(names))
    with recordings_stored(files) as stored:
        sounds = {names[at]: file for at, file in stored.items()}
        if sounds:
            sounds_record(project=project, sounds=sounds, act=act)
    have = set(project.sounds.values_list("file_name", flat=True))
    missing = [name for name in names if name not in have]
    return _report(files, sounds, captions=sum(captions[name] for name in sounds), missing=missing)


def _report(
    files: SortedRecordings,
    sounds: Mapping[str, StoredRecording],
    *,
    captions: int,
    missing: Sequence[str] = (),
) -> dict[str, Any]:
    """What became of an archive of recordings.

    ``captions`` have a sound by it. ``unknown`` are files that no caption names; ``missing``
    names of captions that still have no sound.
    """
    return {
        "matched": len(sounds),
        "size": sum(file.size for file in sounds.values()),
        "captions": captions,
        "missing": missing,
        "unknown": files.unknown,
        "refused": files.refused,
    }


@transaction.atomic
def sounds_record(
    *, project: Project, sounds: Mapping[str, StoredRecording], act: ProjectAct
) -> None:
    """Note stored recordings as the project's, by the name in the captions."""
    locked = Project.objects.select_for_update().get(pk=project.pk)
    replaced = sound_rows_remove(locked, list(sounds))
    Sound.objects.bulk_create(
        Sound(
            project=locked,
            file_name=name,
            sha256=file.sha256,
            size=file.size,
            media_type=file.media_type,
        )
        for name, file in sounds.items()
    )
    act.note("sounds", locked, files=len(sounds), replaced=replaced)


@transaction.atomic
def sounds_remove(*, project: Project, act: ProjectAct) -> int:
    """Remove every recording of a project; returns how many there were."""
    number = sound_rows_remove(Project.objects.select_for_update().get(pk=project.pk))
    act.note("sounds-removed", project, files=number)
    return number


def sound_rows_remove(project: Project, names: list[str] | None = None) -> int:
    """Delete rows of recordings (None: all); files that nothing else has are deleted on commit."""
    rows = project.sounds.all()
    if names is not None:
        rows = rows.filter(file_name__in=names)
    digests = list(rows.values_list("sha256", flat=True))
    rows.delete()
    transaction.on_commit(lambda: recordings_discard(digests))
    return len(digests)
