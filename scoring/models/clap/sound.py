"""Sounds from files: one channel at the rate that a model takes, in windows of its length."""

from math import gcd
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]

# What is listened to of a recording; a remainder below the second is left out beside a window.
MOST_SECONDS = 120
LEAST_SECONDS = 1
_RATES = range(1_000, 400_000)
_MOST_CHANNELS = 32


class SoundUnreadable(Exception):
    """A file that holds no sound that can be read; the text says why."""


def read_sound(path: Path, rate: int) -> Samples:
    """The first ``MOST_SECONDS`` of a file, its channels averaged, as samples at ``rate``.

    Reads wav, flac, ogg, opus and mp3, whatever the file is called. Raises ``SoundUnreadable``.
    """
    import soundfile
    from scipy.signal import resample_poly

    try:
        with soundfile.SoundFile(path) as file:
            found = file.samplerate
            if found not in _RATES or file.channels > _MOST_CHANNELS:
                raise SoundUnreadable(f"{file.channels} channels at {found} Hz")
            channels = file.read(MOST_SECONDS * found, dtype="float32", always_2d=True)
    except (soundfile.SoundFileError, OSError) as error:
        raise SoundUnreadable(f"{type(error).__name__}") from error
    mono = channels.mean(axis=1, dtype=np.float64)
    if not mono.size or not np.isfinite(mono).all():
        raise SoundUnreadable("it has no samples, or some that are no numbers")
    common = gcd(found, rate)
    resampled: Samples = resample_poly(mono, rate // common, found // common).astype(np.float32)
    return resampled


def windows(sound: Samples, *, length: int, least: int) -> list[Samples]:
    """Parts of ``length`` samples, one after another.

    The last may be shorter, but has ``least`` samples unless it is the only one.
    """
    parts = [sound[start : start + length] for start in range(0, sound.size, length)]
    return parts[:-1] if len(parts) > 1 and parts[-1].size < least else parts
