"""What sounds in a made sound: each source with its samples and with clauses that say it.

Every function gives ``count`` samples at ``RATE``, at most 1 in size. What is struck or called
sounds ``times`` times, evenly spread; what goes on ignores it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RATE = 16_000

Samples = NDArray[np.float64]
Sounding = Callable[[np.random.Generator, int, int], Samples]


def _fading(samples: Samples, speed: float) -> Samples:
    """Samples that fall off exponentially, to 1/e in 1 / ``speed`` seconds."""
    faded: Samples = samples * np.exp(-np.arange(len(samples)) / RATE * speed)
    return faded


def _sum(parts: Iterable[Samples]) -> Samples:
    whole: Samples = np.sum(list(parts), axis=0)
    return whole


def _sine(frequency: Samples | float, count: int) -> Samples:
    """A sine of a frequency in Hz that may change from sample to sample."""
    turns = np.cumsum(np.broadcast_to(frequency, (count,))) / RATE
    samples: Samples = np.sin(2 * np.pi * turns)
    return samples


def _noise(draw: np.random.Generator, count: int, low: float, high: float) -> Samples:
    """Noise between two frequencies in Hz, with the largest sample at 1."""
    spectrum = np.fft.rfft(draw.standard_normal(count))
    frequencies = np.fft.rfftfreq(count, 1 / RATE)
    spectrum[(frequencies < low) | (frequencies > high)] = 0
    return _largest_at_one(np.fft.irfft(spectrum, count))


def _largest_at_one(samples: Samples) -> Samples:
    largest = float(np.max(np.abs(samples), initial=0.0))
    return samples / largest if largest else samples


def _struck(one: Callable[[int], Samples], count: int, times: int) -> Samples:
    """A sound that begins ``times`` times, evenly spread; the last has the same room as others."""
    out, room = np.zeros(count), count // times
    for number in range(times):
        out[number * room : (number + 1) * room] = one(room)
    return _largest_at_one(out)


def _knocks(draw: np.random.Generator, count: int, times: int) -> Samples:
    def one(room: int) -> Samples:
        return _fading(_noise(draw, room, 80, 900), 45)

    return _struck(one, count, times)


def _bell(draw: np.random.Generator, count: int, times: int) -> Samples:
    pitch = draw.uniform(600, 900)

    def one(room: int) -> Samples:
        partials = ((1.0, 1.0, 3.0), (2.76, 0.6, 5.0), (5.4, 0.3, 9.0))
        return _sum(
            size * _fading(_sine(pitch * ratio, room), fall) for ratio, size, fall in partials
        )

    return _struck(one, count, times)


def _beeps(draw: np.random.Generator, count: int, times: int) -> Samples:
    pitch = draw.uniform(900, 1800)

    def one(room: int) -> Samples:
        return _sine(pitch, room) * (np.arange(room) < room * 0.4)

    return _struck(one, count, times)


def _chirps(draw: np.random.Generator, count: int, times: int) -> Samples:
    low, high = draw.uniform(2200, 2800), draw.uniform(4200, 5600)

    def one(room: int) -> Samples:
        sweep = np.minimum(1.0, np.arange(room) / (room * 0.35))
        swell = np.sin(np.pi * np.clip(np.arange(room) / (room * 0.35), 0, 1))
        return _sine(low + (high - low) * sweep, room) * swell

    return _struck(one, count, times)


def _steps(draw: np.random.Generator, count: int, times: int) -> Samples:
    def one(room: int) -> Samples:
        heel = _fading(_noise(draw, room, 40, 300), 30)
        gravel = _fading(_noise(draw, room, 1500, 5000), 18)
        return heel + 0.35 * gravel

    return _struck(one, count, times)


def _water(draw: np.random.Generator, count: int, _times: int) -> Samples:
    flow, drops = _noise(draw, count, 700, 5000), np.zeros(count)
    length = RATE // 25
    for start in draw.integers(0, max(1, count - length), size=12 * count // RATE):
        rising = np.linspace(draw.uniform(500, 900), draw.uniform(1000, 1800), length)
        drop = _fading(_sine(rising, length), 90)
        drops[start : start + length] += drop[: count - start]
    return _largest_at_one(0.4 * flow + drops)


def _engine(draw: np.random.Generator, count: int, _times: int) -> Samples:
    firing = draw.uniform(35, 60)
    hum = _sum(_sine(firing * n, count) / n for n in range(1, 9))
    shake = 1 + 0.3 * _sine(firing / 4, count)
    return _largest_at_one(hum * shake + 0.4 * _noise(draw, count, 60, 800))


def _wind(draw: np.random.Generator, count: int, _times: int) -> Samples:
    gusts = 0.55 + 0.45 * _sine(draw.uniform(0.25, 0.5), count)
    return _largest_at_one(_noise(draw, count, 60, 700) * gusts)


def _hiss(draw: np.random.Generator, count: int, _times: int) -> Samples:
    return _noise(draw, count, 2500, 7500)


def _siren(draw: np.random.Generator, count: int, _times: int) -> Samples:
    swing = _sine(draw.uniform(0.4, 0.8), count)
    return _sine(900 + 350 * swing, count)


@dataclass(frozen=True, slots=True)
class Source:
    """What sounds: its tag, its samples, and clauses in the present that are true of them.

    In clauses of what is struck or called, ``{times}`` stands for "once", "twice" and so on.
    """

    tag: str
    sounding: Sounding
    clauses: tuple[str, ...]

    @property
    def is_counted(self) -> bool:
        """Whether it sounds a number of times."""
        return "{times}" in self.clauses[0]


SOURCES = (
    Source(
        "knock",
        _knocks,
        (
            "someone knocks on wood {times}",
            "a dull knock sounds {times}",
            "a wooden door is knocked on {times}",
            "a hand raps on a board {times}",
            "something hard hits wood {times}",
        ),
    ),
    Source(
        "bell",
        _bell,
        (
            "a bell rings {times}",
            "a clear bell is struck {times}",
            "a small metal bell chimes {times}",
            "a bell sounds {times} and fades away",
            "metal rings like a bell {times}",
        ),
    ),
    Source(
        "beep",
        _beeps,
        (
            "a device beeps {times}",
            "an electronic tone sounds {times}",
            "a steady high tone beeps {times}",
            "a machine gives a short beep {times}",
            "a plain electronic beep is heard {times}",
        ),
    ),
    Source(
        "bird",
        _chirps,
        (
            "a bird chirps {times}",
            "a small bird calls {times}",
            "a high rising chirp sounds {times}",
            "a bird gives a bright chirp {times}",
            "a songbird tweets {times}",
        ),
    ),
    Source(
        "footsteps",
        _steps,
        (
            "a foot crunches on gravel {times}",
            "someone steps on loose stones {times}",
            "a shoe comes down on gravel {times}",
            "a heavy step lands on gravel {times}",
            "a person steps on gravel {times}",
        ),
    ),
    Source(
        "water",
        _water,
        (
            "water trickles and bubbles",
            "a small stream of water runs",
            "water flows and drips without a pause",
            "running water gurgles on and on",
            "water keeps bubbling and dripping",
        ),
    ),
    Source(
        "engine",
        _engine,
        (
            "an engine rumbles without a pause",
            "a motor runs at an even speed",
            "a low engine hums steadily",
            "a machine with a deep motor is running",
            "an engine idles with a low hum",
        ),
    ),
    Source(
        "wind",
        _wind,
        (
            "wind blows in gusts",
            "a low wind rises and falls",
            "gusts of wind come and go",
            "the wind swells and dies down",
            "strong wind rushes in waves",
        ),
    ),
    Source(
        "hiss",
        _hiss,
        (
            "air hisses without a break",
            "steam hisses and never stops",
            "a sharp steady hiss goes on",
            "a valve lets out hissing air",
            "gas escapes with a constant hiss",
        ),
    ),
    Source(
        "siren",
        _siren,
        (
            "a siren wails up and down",
            "an alarm siren rises and falls",
            "a siren howls in slow waves",
            "a high siren swings up and down",
            "an emergency siren keeps wailing",
        ),
    ),
)
