"""What sounds on and on: tones, sirens, hisses, wind, running water, engines and buzzes.

Each function gives ``count`` samples of an event, of any size.
"""

from collections.abc import Callable

import numpy as np

from scoring.datasets.made_sounds.made_clip import MadeEvent, Waveform
from scoring.datasets.made_sounds.signals import (
    band,
    fading,
    harmonics,
    noise,
    peak,
    pink,
    sine,
)

Sounding = Callable[[np.random.Generator, MadeEvent, int, int], Waveform]


def _tone(_draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    pitch = event.number("frequency")
    return sine(pitch, count, rate) + 0.15 * sine(2 * pitch, count, rate)


def _siren(_draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    low, trend = event.number("frequency"), event.text("trend")
    if trend == "up and down":
        swing = 0.5 - 0.5 * np.cos(2 * np.pi * event.number("swings") * np.arange(count) / rate)
    else:
        swing = np.linspace(0, 1, count)
    swept = low * event.number("span") ** (swing if trend != "falling" else 1 - swing)
    return sine(swept, count, rate) + 0.2 * sine(2 * swept, count, rate)


def _hiss(draw: np.random.Generator, _event: MadeEvent, count: int, rate: int) -> Waveform:
    return noise(draw, count, rate, band(2500, 7500))


def _wind(draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    air = noise(draw, count, rate, pink(70, 900))
    if event.text("flow") == "steady":
        return air
    return air * (0.55 + 0.45 * sine(event.number("swings"), count, rate))


def _stream(draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    if event.text("flow") == "steady":
        return noise(draw, count, rate, pink(500, 7000))
    flow = 0.35 * noise(draw, count, rate, pink(400, 4000))
    length = rate // 20
    for start in draw.integers(0, max(1, count - length), size=14 * count // rate):
        rising = np.linspace(draw.uniform(450, 900), draw.uniform(900, 1700), length)
        drop = draw.uniform(0.4, 1.4) * fading(sine(rising, length, rate), rate, 0.014)
        flow[start : start + length] += drop[: count - start]
    return flow


def _engine(draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    first, trend = event.number("frequency"), event.text("trend")
    last = {"speeding up": 2.2, "slowing down": 1 / 2.2}.get(trend, 1.0)
    firing = first * last ** np.linspace(0, 1, count)
    strokes = harmonics(firing, count, rate, 0.6)
    strokes /= max(peak(strokes), 1e-12)
    # Exhaust: noise that is let out with every stroke.
    exhaust = noise(draw, count, rate, pink(60, 1500)) * np.clip(strokes, 0, 1)
    return strokes + 0.8 * exhaust


def _buzz(draw: np.random.Generator, event: MadeEvent, count: int, rate: int) -> Waveform:
    pitch = event.number("frequency")
    if event.text("pitch") == "low":
        return harmonics(pitch, count, rate, 0.5)
    wander = 1 + 0.04 * sine(draw.uniform(1.5, 3.0), count, rate)
    return harmonics(pitch * wander, count, rate, 0.8) * (
        0.8 + 0.2 * sine(draw.uniform(4, 7), count, rate)
    )


SUSTAINED: dict[str, Sounding] = {
    "tone": _tone,
    "siren": _siren,
    "hiss": _hiss,
    "wind": _wind,
    "stream": _stream,
    "engine": _engine,
    "buzz": _buzz,
}
