"""Samples of a recording, shape (samples, channels): reading, trimming, cutting, fading."""

from dataclasses import dataclass
from math import gcd
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
FADE = 512
"""Points of the Hamming window whose halves begin and end a clip (Drossos et al. 2020, 2.1)."""
MOST_SECONDS = 1_800
_RATES = range(1_000, 400_000)


class UnusableRecording(Exception):
    """A file of which no clip can be made; the text says why."""


@dataclass(frozen=True, slots=True)
class Sounding:
    """Where a recording sounds: from sample ``start`` to before ``end``, of ``length`` at a rate.

    ``peak`` is its largest amplitude.
    """

    start: int
    end: int
    length: int
    rate: int
    peak: float

    @property
    def seconds(self) -> float:
        """How long it is from the first sound to the last."""
        return (self.end - self.start) / self.rate


def read_samples(path: Path, start: int = 0, end: int | None = None) -> tuple[Samples, int]:
    """Samples of a file from one to before another, and their rate.

    Reads what libsndfile does (wav, flac, ogg, opus, mp3, aiff ...). Raises ``UnusableRecording``.
    """
    import soundfile

    try:
        with soundfile.SoundFile(path) as file:
            if file.samplerate not in _RATES:
                raise UnusableRecording(
                    f"cannot be read: it has {file.samplerate} samples a second"
                )
            if file.frames > MOST_SECONDS * file.samplerate:
                raise UnusableRecording(f"is longer than {MOST_SECONDS:,} s")
            file.seek(start)
            count = -1 if end is None else end - start
            samples = file.read(count, dtype="float32", always_2d=True)
            rate = int(file.samplerate)
    except (soundfile.SoundFileError, OSError) as error:
        raise UnusableRecording(f"cannot be read as a recording: {error}") from error
    if not np.isfinite(samples).all():
        raise UnusableRecording("cannot be read: some samples are not numbers")
    return samples, rate


def sounding(path: Path, silence_db: float) -> Sounding:
    """Where a file begins and ends to be louder than so many dB below its largest amplitude."""
    samples, rate = read_samples(path)
    loudness = np.abs(samples).max(axis=1, initial=0)
    peak = float(loudness.max(initial=0))
    if peak == 0:
        raise UnusableRecording("is silent")
    heard = np.flatnonzero(loudness >= peak * 10 ** (-silence_db / 20))
    return Sounding(int(heard[0]), int(heard[-1]) + 1, len(samples), rate, peak)


def resampled(samples: Samples, rate: int, wanted: int) -> Samples:
    """The samples at another rate, with peaks above 1 scaled down."""
    from scipy.signal import resample_poly

    if rate != wanted:
        common = gcd(rate, wanted)
        samples = resample_poly(samples, wanted // common, rate // common, axis=0)
    return np.asarray(samples / max(1.0, np.abs(samples).max()), dtype=np.float32)


def loudest_start(samples: Samples, length: int) -> int:
    """Where the window of this length with the highest energy begins, the first of equal ones."""
    energy = np.concatenate([[0.0], np.square(samples, dtype=np.float64).sum(axis=1).cumsum()])
    return int((energy[length:] - energy[:-length]).argmax())


def faded(samples: Samples) -> Samples:
    """The samples with the halves of a Hamming window at both ends."""
    half = FADE // 2
    window = np.hamming(FADE).astype(np.float32)[:, None]
    found = samples.copy()
    found[:half] *= window[:half]
    found[-half:] *= window[half:]
    return found
