"""Clips of several caption files in one list, with where each stands."""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from earmark.captions import Fault
from earmark.captions.clip_names import name_key
from earmark.captions.faults import Severity, in_quotes
from earmark.captions.references import read_reference_lines


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file as it was given: its name for messages, and its content."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class PooledClip:
    """A clip with its captions as written, the place of its file and its first line there."""

    name: str
    captions: tuple[str, ...]
    file: int
    line: int


@dataclass(frozen=True, slots=True)
class Pool:
    """Clips of all files, file after file, and what is wrong with them.

    ``namesakes`` are clips of one name in different files, by place in ``clips``. Published
    Clotho has four such names, of different recordings with different captions.
    """

    clips: tuple[PooledClip, ...]
    namesakes: tuple[tuple[int, ...], ...]
    faults: tuple[Fault, ...]


def pooled_clips(files: Sequence[GivenFile]) -> Pool:
    """Read the clips of caption files, in any form that references have; .gz is unpacked.

    A clip that stands in two files with the same captions is an error. With other captions it
    is another clip of the same name, which is a warning.
    """
    clips: list[PooledClip] = []
    faults: list[Fault] = []
    for place, file in enumerate(files):
        for item in _read(file):
            if isinstance(item, Fault):
                faults.append(replace(item, file=file.name))
            else:
                line, name, captions = item
                clips.append(PooledClip(name, captions, place, line))
    namesakes = _namesakes(clips)
    for places in namesakes:
        faults += _namesake_faults([clips[place] for place in places], files)
    return Pool(tuple(clips), namesakes, tuple(faults))


def unpacked(file: GivenFile) -> GivenFile | Fault:
    """Unpack a file whose name ends in .gz, and leave every other as it is."""
    if not file.name.lower().endswith(".gz"):
        return file
    try:
        return GivenFile(file.name[: -len(".gz")], gzip.decompress(file.data))
    except (OSError, EOFError, zlib.error) as error:
        return Fault(None, None, "", f"The file cannot be unpacked: {error}. Pack it again.")


def _read(file: GivenFile) -> Iterator[Fault | tuple[int, str, tuple[str, ...]]]:
    plain = unpacked(file)
    if isinstance(plain, Fault):
        yield plain
        return
    read = read_reference_lines(plain.data, file_name=plain.name)
    yield from read.errors
    yield from ((line, clip.file_name, clip.references) for line, clip in read.value or ())


def _namesakes(clips: Sequence[PooledClip]) -> tuple[tuple[int, ...], ...]:
    places: dict[str, list[int]] = {}
    for place, clip in enumerate(clips):
        places.setdefault(name_key(clip.name), []).append(place)
    return tuple(tuple(same) for same in places.values() if len(same) > 1)


def _namesake_faults(clips: Sequence[PooledClip], files: Sequence[GivenFile]) -> Iterator[Fault]:
    """One fault for each clip whose name an earlier file has."""
    for at, clip in enumerate(clips[1:], start=1):
        same = next((one for one in clips[:at] if one.captions == clip.captions), None)
        first = same or clips[0]
        where = f"line {first.line} of {in_quotes(files[first.file].name)}"
        if same is not None:
            message = f"This clip is already in {where} with the same captions. Remove one of them."
        else:
            message = (
                f"A clip of this name is in {where} with other captions. They are treated as "
                "different clips and put into different parts, so that each name is unambiguous "
                "there. If they are the same recording, put all of its captions into one file; "
                "if not, rename one of them."
            )
        severity: Severity = "error" if same is not None else "warning"
        yield Fault(clip.line, None, clip.name, message, severity, files[clip.file].name)
