"""Scenes as samples: each event at its level and distance, in its place, over a floor of noise.

What is struck (beeps, knocks, chirps, drops, steps and bells) sounds a number of times, what is
sustained (tones, sirens, hisses, wind, running water, engines and buzzes) on and on.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from earmark.datasets.made_sounds.made_clip import AT_ONCE, MadeEvent, Scene, Waveform

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
_MOST_HARMONICS = 20
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
Gain = Callable[[NDArray[np.float64]], NDArray[np.float64]]
# The samples of an event, of any size: one stroke of what is struck, else all of them.
Synthesis = Callable[[np.random.Generator, MadeEvent, int, int], Waveform]


def sine(frequency: Waveform | float, count: int, rate: int) -> Waveform:
    """A sine of a frequency in Hz that may change from sample to sample."""
    samples: Waveform = np.sin(_phase(frequency, count, rate))
    return samples


def _phase(frequency: Waveform | float, count: int, rate: int) -> Waveform:
    phase: Waveform = np.cumsum(np.broadcast_to(frequency, (count,))) * (2 * np.pi / rate)
    return phase


def harmonics(frequency: Waveform | float, count: int, rate: int, fall: float) -> Waveform:
    """A tone with overtones below 0.45 of the rate, whose sizes fall as 1 / n ** ``fall``."""
    highest = float(np.max(frequency))
    phase, whole = _phase(frequency, count, rate), np.zeros(count)
    for order in range(1, max(2, min(_MOST_HARMONICS, int(0.45 * rate / highest)))):
        whole += np.sin(order * phase) / order**fall
    return whole


def filtered(samples: Waveform, rate: int, gain: Gain) -> Waveform:
    """Samples with each frequency multiplied by its gain."""
    size = _quick_size(len(samples))
    frequencies = np.fft.rfftfreq(size, 1 / rate).astype(np.float64)
    spectrum = np.fft.rfft(samples, size) * gain(frequencies)
    return np.fft.irfft(spectrum, size)[: len(samples)]


def _quick_size(count: int) -> int:
    """A power of two of at least ``count``, as the Fourier transform of a prime takes long."""
    return 1 << max(1, count - 1).bit_length()


def noise(draw: np.random.Generator, count: int, rate: int, gain: Gain) -> Waveform:
    """Noise with each frequency multiplied by its gain, with a root mean square of 1."""
    samples = filtered(draw.standard_normal(count), rate, gain)
    return samples / max(root_mean_square(samples), 1e-12)


def band(low: float, high: float) -> Gain:
    """The gain that keeps only what lies between two frequencies in Hz."""
    return lambda hz: ((hz >= low) & (hz <= high)).astype(np.float64)


def pink(low: float, high: float) -> Gain:
    """The gain of noise that falls by 3 dB an octave between two frequencies in Hz."""
    return lambda hz: band(low, high)(hz) / np.sqrt(np.maximum(hz, low))


def muffling(cutoff: float) -> Gain:
    """The gain of a low pass of the second order, as distance has it."""
    return lambda hz: 1 / (1 + (hz / cutoff) ** 2)


def root_mean_square(samples: Waveform) -> float:
    """The root of the mean square, 0 of no samples."""
    return float(np.sqrt(np.mean(samples**2))) if len(samples) else 0.0


def peak(samples: Waveform) -> float:
    """The largest size of a sample."""
    return float(np.max(np.abs(samples), initial=0.0))


def fading(samples: Waveform, rate: int, seconds: float) -> Waveform:
    """Samples that fall off exponentially, to 1/e in so many seconds."""
    faded: Waveform = samples * np.exp(-np.arange(len(samples)) / (rate * seconds))
    return faded


def with_soft_ends(samples: Waveform, rate: int, seconds: float = 0.02) -> Waveform:
    """Samples that swell from silence and end in it, so that neither end clicks."""
    length = min(int(rate * seconds), len(samples) // 2)
    slope = np.linspace(0, 1, length)
    soft = samples.copy()
    soft[:length] *= slope
    soft[len(soft) - length :] *= slope[::-1]
    return soft


def reverberated(
    draw: np.random.Generator, samples: Waveform, rate: int, seconds: float, wet: float
) -> Waveform:
    """Samples with an echo of noise that falls by 60 dB in so many seconds, cut to their length."""
    length = int(rate * seconds)
    answer = fading(draw.standard_normal(length), rate, seconds / 6.9)
    answer *= wet / np.sqrt(np.sum(answer**2))
    size = _quick_size(len(samples) + length)
    echo = np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(answer, size), size)
    reached: Waveform = samples + echo[: len(samples)]
    return reached


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


STRUCK: dict[str, Synthesis] = {
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


SUSTAINED: dict[str, Synthesis] = {
    "tone": _tone,
    "siren": _siren,
    "hiss": _hiss,
    "wind": _wind,
    "stream": _stream,
    "engine": _engine,
    "buzz": _buzz,
}


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
