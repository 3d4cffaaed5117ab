"""Scenes as samples: each event at its level and distance, in its place, over a floor of noise."""

import numpy as np
from numpy.typing import NDArray

from scoring.datasets.made_sounds.made_clip import AT_ONCE, MadeEvent, Scene, Waveform
from scoring.datasets.made_sounds.signals import (
    filtered,
    muffling,
    noise,
    peak,
    pink,
    reverberated,
    root_mean_square,
    with_soft_ends,
)
from scoring.datasets.made_sounds.struck_sounds import STRUCK, strokes
from scoring.datasets.made_sounds.sustained_sounds import SUSTAINED

DEFAULT_RATE = 16_000
LOWEST_RATE, HIGHEST_RATE = 16_000, 48_000
# Root mean squares of what is sustained, peaks of what is struck.
_SUSTAINED_LEVELS = {"quiet": 0.03, "normal": 0.09, "loud": 0.25}
_STRUCK_LEVELS = {"quiet": 0.1, "normal": 0.45, "loud": 0.95}
_FAR = 0.35
_FAR_CUTOFF = 1400.0
_BACKGROUND = 0.5
# Seconds of reverberation and its share; "open" has none.
_PLACES = {"room": (0.25, 0.15), "hall": (1.5, 1.2)}
_FLOOR = (0.0005, 0.0015)
_HIGHEST_PEAK = 0.98


def rendered(draw: np.random.Generator, scene: Scene, rate: int) -> NDArray[np.float32]:
    """Samples of a scene, float32 from -1 to 1."""
    count = round(scene.seconds * rate)
    whole = np.zeros(count)
    for number, event in enumerate(scene.events):
        size = _BACKGROUND if scene.arrangement == AT_ONCE and number else 1.0
        start = round(event.start * rate)
        samples = size * _event_samples(draw, event, rate)
        whole[start : start + len(samples)] += samples[: count - start]
    if scene.place in _PLACES:
        whole = reverberated(draw, whole, rate, *_PLACES[scene.place])
    whole += draw.uniform(*_FLOOR) * noise(draw, count, rate, pink(40, 0.5 * rate))
    whole *= min(1.0, _HIGHEST_PEAK / max(peak(whole), 1e-12))
    return whole.astype(np.float32)


def _event_samples(draw: np.random.Generator, event: MadeEvent, rate: int) -> Waveform:
    count = round(event.seconds * rate)
    is_struck = event.kind in STRUCK
    if is_struck:
        samples = strokes(draw, event, count, rate)
    else:
        samples = SUSTAINED[event.kind](draw, event, count, rate)
    size = (_STRUCK_LEVELS if is_struck else _SUSTAINED_LEVELS)[event.text("level")]
    if event.text("distance") == "far":
        samples, size = filtered(samples, rate, muffling(_FAR_CUTOFF)), size * _FAR
    samples = with_soft_ends(samples, rate, 0.002 if is_struck else 0.05)
    present = peak(samples) if is_struck else root_mean_square(samples)
    return samples * (size / max(present, 1e-12))
