"""Clips made of recordings as Clotho's were.

Drossos, Lipping and Virtanen, "Clotho: an audio captioning dataset" (ICASSP 2020), section 2.1:
recordings are normalised, their ends trimmed of silence (60 dB below the maximum), and resampled to
44.1 kHz. What is shorter than 15 s then is left out; of what is longer than 30 s a window is cut
whose length is drawn so that all durations are spread evenly, where it has the highest energy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring.datasets.preparing.durations import drawn_seconds
from scoring.datasets.preparing.samples import (
    Samples,
    Sounding,
    UnusableRecording,
    faded,
    loudest_start,
    read_samples,
    resampled,
    sounding,
)

RATE = 44_100
WINDOWS = ("loudest", "random")


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
    found = [_sounding(path, asked) for path in files]
    draws = np.random.default_rng(asked.seed)
    sounds = [one for one in found if isinstance(one, Sounding)]
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
    for path, one in zip(files, found, strict=True):
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
        found = sounding(path, asked.silence_db)
    except UnusableRecording as error:
        return LeftOut(path.name, f"{error}.")
    if found.seconds >= asked.shortest:
        return found
    reason = f"is too short: {found.seconds:.2f} s without silence, {asked.shortest:g} s needed."
    return LeftOut(path.name, reason, too_short=True)


def _prepared(
    path: Path,
    folder: Path,
    found: Sounding,
    seconds: float | None,
    window: str,
    draws: np.random.Generator,
) -> PreparedRecording:
    """Write a clip of so many seconds of a recording, None for all of it."""
    import soundfile

    samples, rate = read_samples(path, found.start, found.end)
    sound = resampled(samples / np.float32(found.peak), rate, RATE)
    start, length = _window(sound, seconds, window, draws)
    name = f"{path.stem}.wav"
    clip = faded(sound[start : start + length])
    soundfile.write(folder / name, clip, RATE, format="WAV", subtype="PCM_16")
    cut_from = found.start / rate + start / RATE
    return PreparedRecording(
        file_name=name,
        source=path.name,
        rate=rate,
        source_seconds=found.length / rate,
        trimmed_start=found.start / rate,
        trimmed_end=(found.length - found.end) / rate,
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
