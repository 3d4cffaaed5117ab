"""Which clips have a recording, and where it lies."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse

from earmark.recordings import ClipRecording, Recordings
from leaderboard.models import AudioFile, RecordingRow, ReferenceSet
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

Clip = tuple[int, int]


def audio_path(sha256: str) -> Path:
    """The place of a recording in the folder."""
    return Path(settings.AUDIO_DIR) / sha256[:2] / sha256


def recording_rows() -> list[QuerySet[RecordingRow]]:
    """The rows of each table that keeps recordings, those of other apps among them."""
    return [QuerySet(model) for model in apps.get_models() if issubclass(model, RecordingRow)]


def audio_url(reference_set: int, position: int) -> str:
    """The address of a clip's sound on this site; clips are counted from 1 there."""
    return reverse("leaderboard:audio", args=[reference_set, position + 1])


def audible(clips: Iterable[Clip]) -> dict[Clip, str]:
    """The addresses of those clips, each a set and a position, that have a recording."""
    wanted = set(clips)
    sets = {number for number, _ in wanted}
    if not sets:
        return {}
    elsewhere = set(
        ReferenceSet.objects.filter(pk__in=sets)
        .exclude(audio_base_url="")
        .values_list("pk", flat=True)
    )
    here = set(
        AudioFile.objects.filter(
            reference_set__in=sets, position__in={position for _, position in wanted}
        ).values_list("reference_set", "position")
    )
    recorded = {clip for clip in wanted if clip[0] in elsewhere} | (wanted & here)
    return {clip: audio_url(*clip) for clip in recorded}


def example_of(reference_set: ReferenceSet) -> dict[str, Any] | None:
    """The first clip of a reference set that has a sound, and its captions; None where none has."""
    first = reference_set.audio.values_list("position", flat=True).first()
    position = 0 if reference_set.audio_base_url else first
    if position is None:
        return None
    clip = references_of(reference_set.content_hash).clips[position]
    sound = audio_url(reference_set.pk, position)
    return {"file_name": clip.file_name, "sound": sound, "references": clip.references}


def sound_of(submission: AnySubmission, position: int, file_name: str) -> str | None:
    """The address of the sound of a clip of a system, or None where it has none.

    What people wrote is scored against fewer clips than the phase has; there the name
    says which clip it is.
    """
    stored = submission.phase.reference_set
    if stored is None:
        return None
    if submission.other_references_id is not None:
        names = references_of(stored.content_hash).file_names
        if file_name not in names:
            return None
        position = names.index(file_name)
    heard = stored.audio_base_url or stored.audio.filter(position=position).exists()
    return audio_url(stored.pk, position) if heard else None


def origin_of(address: str) -> str:
    """The origin of an address, as content security policies write it."""
    parts = urlsplit(address)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}"


def clips_without(reference_set: ReferenceSet) -> list[str]:
    """List the clips of a set that have no recording here."""
    have = set(reference_set.audio.values_list("position", flat=True))
    names = references_of(reference_set.content_hash).file_names
    return [name for at, name in enumerate(names) if at not in have]


def recordings_of(reference_set: ReferenceSet | None) -> Recordings:
    """The recordings that are stored here of a set's clips; what lies elsewhere is not fetched."""
    if reference_set is None:
        return Recordings()
    names = references_of(reference_set.content_hash).file_names
    rows = reference_set.audio.values_list("position", "sha256")
    return Recordings(
        {
            names[at]: ClipRecording(audio_path(sha256), sha256)
            for at, sha256 in rows
            if at < len(names)
        }
    )
