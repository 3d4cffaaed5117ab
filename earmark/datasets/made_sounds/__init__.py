"""Short sounds that are made by rules, each with five captions that are true of it.

For first trainings, demonstrations and tests, where no recordings are at hand. What sounds in a
clip is known (`MadeEvent`), so that captions can be checked against the samples.
"""

from earmark.datasets.made_sounds.clips import (
    SPLITS,
    made_clips,
    split_counts,
    wav_bytes,
    write_data_set,
)
from earmark.datasets.made_sounds.made_clip import MadeClip, MadeEvent
from earmark.datasets.made_sounds.rendering import DEFAULT_RATE

__all__ = [
    "DEFAULT_RATE",
    "SPLITS",
    "MadeClip",
    "MadeEvent",
    "made_clips",
    "split_counts",
    "wav_bytes",
    "write_data_set",
]
