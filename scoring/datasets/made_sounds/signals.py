"""Sines, noise, fades, filters and reverberation, of which sounds are made."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scoring.datasets.made_sounds.made_clip import Waveform

_MOST_HARMONICS = 20
Gain = Callable[[NDArray[np.float64]], NDArray[np.float64]]


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
