"""Clips made of recordings as Clotho's were.

Drossos, Lipping and Virtanen, "Clotho: an audio captioning dataset" (ICASSP 2020), section 2.1:
recordings are normalised, their ends trimmed of silence (60 dB below the maximum), and resampled to
44.1 kHz. What is shorter than 15 s then is left out; of what is longer than 30 s a window is cut
whose length is drawn so that all durations are spread evenly, where it has the highest energy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
RATE = 44_100
WINDOWS = ("loudest", "random")
STEP = 0.05
"""Seconds between durations (Drossos et al. 2020, section 2.1)."""
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
    sound = samples.copy()
    sound[:half] *= window[:half]
    sound[-half:] *= window[half:]
    return sound


def drawn_seconds(
    whole: Sequence[float],
    cut: int,
    *,
    shortest: float,
    longest: float,
    shares: Sequence[float],
    draws: np.random.Generator,
) -> list[float]:
    """Seconds of each of ``cut`` parts, so that all durations are spread as asked.

    ``whole`` are the seconds of the recordings that are not cut. ``shares`` are the proportions of
    bins of equal width between shortest and longest. Each part takes a duration that is furthest
    behind its proportion, drawn among equals: with one bin, the highest entropy of all durations in
    steps of 0.05 s that these parts can give.
    """
    steps = np.arange(round(shortest / STEP), round(longest / STEP) + 1)
    seconds = steps.astype(np.float64) * STEP
    wanted = _shares_of(seconds, shares)
    counts = np.zeros(len(seconds), dtype=np.int64)
    for known in whole:
        counts[np.abs(seconds - known).argmin()] += 1
    with np.errstate(divide="ignore"):
        behind = 1 / wanted
    drawn = []
    for _ in range(cut):
        filled = (counts + 1) * behind
        place = int(draws.choice(np.flatnonzero(filled == filled.min())))
        counts[place] += 1
        drawn.append(float(seconds[place]))
    return drawn


def _shares_of(seconds: NDArray[np.float64], shares: Sequence[float]) -> NDArray[np.float64]:
    """The share of the bin in which each duration is; the last bin has its upper edge, too."""
    edges = np.linspace(seconds[0], seconds[-1], len(shares) + 1)[1:-1]
    # Steps are no exact floats: an edge belongs to the bin above it.
    return np.asarray(shares, dtype=np.float64)[np.searchsorted(edges, seconds + STEP / 9)]


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is asked: seconds, the proportions of bins of durations between them, and the rest.

    ``window`` is where a part is cut: where it is ``loudest``, or at ``random``.
    """

    shortest: float = 15.0
    longest: float = 30.0
    duration_shares: tuple[float, ...] = (1.0,)
    silence_db: float = 60.0
    window: str = WINDOWS[0]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PreparedRecording:
    """A clip and what it is of its source, in seconds; ``rate`` and ``source_seconds`` are its.

    ``trimmed_start`` and ``trimmed_end`` were silent; the clip is ``cut_from`` to ``cut_to``.
    """

    file_name: str
    source: str
    rate: int
    source_seconds: float
    trimmed_start: float
    trimmed_end: float
    cut_from: float
    cut_to: float
    duration: float


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A recording of which no clip was made, and why; ``too_short`` as the procedure has it."""

    source: str
    reason: str
    too_short: bool = False


Outcome = PreparedRecording | LeftOut


def prepare_recordings(
    files: Sequence[Path],
    folder: Path,
    asked: Preparation,
    progress: Callable[[Outcome], None] = lambda _outcome: None,
) -> list[Outcome]:
    """Write ``folder/STEM.wav`` of each file, 16 bits at 44.1 kHz, and say what became of each.

    Channels stay as they are. The same files and seed give the same clips. ``progress`` is told
    each outcome. Raises ``OSError`` where a clip cannot be written.
    """
    recordings = [_sounding(path, asked) for path in files]
    draws = np.random.default_rng(asked.seed)
    sounds = [one for one in recordings if isinstance(one, Sounding)]
    whole = [one.seconds for one in sounds if one.seconds <= asked.longest]
    drawn = iter(
        drawn_seconds(
            whole,
            len(sounds) - len(whole),
            shortest=asked.shortest,
            longest=asked.longest,
            shares=asked.duration_shares,
            draws=draws,
        )
    )
    outcomes: list[Outcome] = []
    for path, one in zip(files, recordings, strict=True):
        outcome: Outcome
        if isinstance(one, LeftOut):
            outcome = one
        else:
            seconds = None if one.seconds <= asked.longest else next(drawn)
            outcome = _prepared(path, folder, one, seconds, asked.window, draws)
        progress(outcome)
        outcomes.append(outcome)
    return outcomes


def _sounding(path: Path, asked: Preparation) -> Sounding | LeftOut:
    try:
        sound = sounding(path, asked.silence_db)
    except UnusableRecording as error:
        return LeftOut(path.name, f"{error}.")
    if sound.seconds >= asked.shortest:
        return sound
    reason = f"is too short: {sound.seconds:.2f} s without silence, {asked.shortest:g} s needed."
    return LeftOut(path.name, reason, too_short=True)


def _prepared(
    path: Path,
    folder: Path,
    place: Sounding,
    seconds: float | None,
    window: str,
    draws: np.random.Generator,
) -> PreparedRecording:
    """Write a clip of so many seconds of a recording, None for all of it."""
    import soundfile

    samples, rate = read_samples(path, place.start, place.end)
    sound = resampled(samples / np.float32(place.peak), rate, RATE)
    start, length = _window(sound, seconds, window, draws)
    name = f"{path.stem}.wav"
    clip = faded(sound[start : start + length])
    soundfile.write(folder / name, clip, RATE, format="WAV", subtype="PCM_16")
    cut_from = place.start / rate + start / RATE
    return PreparedRecording(
        file_name=name,
        source=path.name,
        rate=rate,
        source_seconds=place.length / rate,
        trimmed_start=place.start / rate,
        trimmed_end=(place.length - place.end) / rate,
        cut_from=cut_from,
        cut_to=cut_from + length / RATE,
        duration=length / RATE,
    )


def _window(
    sound: Samples, seconds: float | None, window: str, draws: np.random.Generator
) -> tuple[int, int]:
    """Where a clip begins, and its length, in samples."""
    if seconds is None:
        return 0, len(sound)
    length = min(round(seconds * RATE), len(sound))
    if window == WINDOWS[0]:
        return loudest_start(sound, length), length
    return int(draws.integers(len(sound) - length + 1)), length
