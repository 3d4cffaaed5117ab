"""What sounds a number of times: beeps, knocks, chirps, drops, steps and bells.

Each function gives the samples of one stroke of an event, for so many seconds, of any size.
"""

from collections.abc import Callable

import numpy as np

from scoring.datasets.made_sounds.made_clip import MadeEvent, Waveform
from scoring.datasets.made_sounds.signals import (
    band,
    fading,
    noise,
    sine,
    with_soft_ends,
)

Stroke = Callable[[np.random.Generator, MadeEvent, int, int], Waveform]
# Seconds that one stroke is heard.
STROKE_SECONDS = {
    "beep": 0.2,
    "knock": 0.15,
    "chirp": 0.16,
    "drops": 0.12,
    "footsteps": 0.18,
    "bell": 1.1,
}
_BELL_PARTIALS = ((1.0, 1.0, 0.5), (2.76, 0.5, 0.25), (5.4, 0.2, 0.1))


def _beep(_draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    return with_soft_ends(sine(event.number("frequency"), count, rate), rate, 0.008)


def _knock(draw: np.random.Generator, _event: MadeEvent, count: int, rate: int) -> Waveform:
    wood = 2 * fading(sine(draw.uniform(180, 210), count, rate), rate, 0.03)
    return wood + fading(noise(draw, count, rate, band(100, 1200)), rate, 0.015)


def _chirp(_draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    low = event.number("frequency")
    rising = low * 1.6 ** np.linspace(0, 1, count)
    return sine(rising, count, rate) * np.sin(np.pi * np.linspace(0, 1, count))


def _drop(draw: np.random.Generator, _event: MadeEvent, count: int, rate: int) -> Waveform:
    rising = np.linspace(draw.uniform(700, 900), draw.uniform(1300, 1700), count)
    return fading(sine(rising, count, rate), rate, 0.02)


def _step(draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    if event.text("surface") == "gravel":
        heel = fading(noise(draw, count, rate, band(60, 400)), rate, 0.03)
        return heel + fading(noise(draw, count, rate, band(1500, 6000)), rate, 0.05)
    heel = fading(sine(draw.uniform(110, 130), count, rate), rate, 0.03)
    return 2 * heel + fading(noise(draw, count, rate, band(300, 2500)), rate, 0.008)


def _bell(_draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    pitch = event.number("frequency")
    whole: Waveform = np.sum(
        [
            size * fading(sine(pitch * ratio, count, rate), rate, seconds)
            for ratio, size, seconds in _BELL_PARTIALS
            if pitch * ratio < 0.45 * rate
        ],
        axis=0,
    )
    return with_soft_ends(whole, rate, 0.003)


STRUCK: dict[str, Stroke] = {
    "beep": _beep,
    "knock": _knock,
    "chirp": _chirp,
    "drops": _drop,
    "footsteps": _step,
    "bell": _bell,
}


def strokes(draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    """All strokes of an event in ``count`` samples, the first at once."""
    out = np.zeros(count)
    for number in range(int(event.number("times"))):
        at = round(number * event.number("interval") * rate)
        length = min(int(STROKE_SECONDS[event.kind] * rate), count - at)
        out[at : at + length] += STRUCK[event.kind](draw, event, length, rate)
    return out
