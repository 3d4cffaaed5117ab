"""The recordings of the demo challenge: made sounds, in a form that every browser plays."""

from collections.abc import Iterator
from pathlib import Path

import soundfile

from earmark.datasets.made_sounds import MadeClip, made_clips

CLIPS, SEED = 72, 1


def demo_clips() -> Iterator[MadeClip]:
    """The clips whose captions are the demo's references."""
    return made_clips("evaluation", CLIPS, SEED)


def recordings_write(folder: Path) -> None:
    """Write each clip as FLAC, which loses nothing and is smaller than WAV."""
    for clip in demo_clips():
        path = (folder / clip.file_name).with_suffix(".flac")
        soundfile.write(path, clip.samples, clip.rate, subtype="PCM_16")
