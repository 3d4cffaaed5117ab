"""Sorting recordings on their way in by the clips that they are of, and storing them."""

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings

from leaderboard.services.clips.recordings import (
    NotAudio,
    Recording,
    StoredRecording,
    free_bytes,
    recording_save,
    recordings_discard,
)
from leaderboard.web.refusals import Refused
from scoring.captions.clip_names import ClipNames, name_key


@dataclass(frozen=True, slots=True)
class RecordingRefusal:
    """A file that was refused, and why."""

    name: str
    why: str


_EXTENSION = re.compile(r"\.(wav|flac|mp3|ogg|oga|m4a|mp4|opus)$", re.IGNORECASE)


def _bare(name: str) -> str:
    return _EXTENSION.sub("", name_key(name))


def _last(name: str) -> str:
    return re.split(r"[/\\]", name)[-1]


def _once(names: Iterable[str]) -> dict[str, int]:
    """The positions of those names that occur once."""
    listed = list(names)
    often = Counter(listed)
    return {name: at for at, name in enumerate(listed) if often[name] == 1}


class ClipMatcher:
    """Finds the clips of a reference set by the names that people write."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = ClipNames(names)
        # Recordings are often converted, so that only the extension differs.
        self._bare = _once(map(_bare, names))
        self._without_folder = _once(_bare(_last(name)) for name in names)

    def find(self, names: Sequence[str]) -> int | None:
        """Position of the clip that has one of these names, folders on either side left out."""
        for name in names:
            for written in (name, _last(name)):
                at = self._names.find(written)
                at = self._bare.get(_bare(written)) if at is None else at
                if at is not None:
                    return at
            at = self._without_folder.get(_bare(_last(name)))
            if at is not None:
                return at
        return None


# An archive of recordings may also contain notes and other versions of the clips.
FILES_BESIDE = 1000
NOT_AUDIO = (
    "It is not a sound that can be used. By its content, whatever its name, it must be wav, flac, "
    "mp3, ogg, opus or m4a."
)
DAMAGED = "It is damaged in the archive. Make the archive again."


class SortedRecordings:
    """Uploaded recordings, sorted into those to store, unknown ones and refused ones."""

    def __init__(self) -> None:
        self.chosen: dict[int, Recording] = {}
        self.unknown: list[str] = []
        self.refused: list[RecordingRefusal] = []

    @property
    def size(self) -> int:
        """Bytes of the chosen files, unpacked."""
        return sum(recording.size for recording in self.chosen.values())


def recordings_sorted(recordings: Iterable[Recording], clips: ClipMatcher) -> SortedRecordings:
    """Uploaded recordings by the clip that each is of, by their names alone."""
    files = SortedRecordings()
    for recording in recordings:
        at = clips.find(recording.names)
        if at is None:
            files.unknown.append(recording.name)
        elif recording.fault is not None:
            files.refused.append(RecordingRefusal(recording.name, recording.fault))
        elif at in files.chosen:
            first = files.chosen[at].name
            files.refused.append(
                RecordingRefusal(recording.name, f"It is of the same clip as {first}. Remove one.")
            )
        else:
            files.chosen[at] = recording
    return files


def check_limits(size: int) -> None:
    """Refuse where recordings of so many bytes are too much."""
    if size > settings.MAX_AUDIO_BYTES:
        raise Refused(
            f"Unpacked, the recordings have {size / 1e9:.2f} GB, and the limit is "
            f"{settings.MAX_AUDIO_BYTES / 1e9:g} GB. Use flac or mp3, or give an address from "
            "which they can be played.",
            field="file",
        )
    if size > free_bytes():
        raise Refused(
            "The server has no room for these recordings. Tell the administrator.", field="file"
        )


def _store_each(files: SortedRecordings, stored: dict[int, StoredRecording]) -> None:
    for at, recording in files.chosen.items():
        try:
            with recording.open() as source:
                stored[at] = recording_save(source)
        except NotAudio:
            files.refused.append(RecordingRefusal(recording.name, NOT_AUDIO))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError):
            files.refused.append(RecordingRefusal(recording.name, DAMAGED))


@contextmanager
def recordings_stored(files: SortedRecordings) -> Iterator[dict[int, StoredRecording]]:
    """Store what was chosen, by clip, and discard it again where what follows fails.

    What cannot be taken is refused one by one, and all of it where it is too much.
    """
    check_limits(files.size)
    stored: dict[int, StoredRecording] = {}
    try:
        _store_each(files, stored)
        yield stored
    except BaseException:
        recordings_discard(file.sha256 for file in stored.values() if file.new)
        raise
