"""Sounds as WAV files."""

import io
import wave

import numpy as np
from numpy.typing import NDArray

FULL_SCALE = 32767


def wav_bytes(samples: NDArray[np.float64], rate: int) -> bytes:
    """One channel of samples from -1 to 1, beyond which they are cut, as 16-bit WAV."""
    whole = np.round(np.clip(samples, -1.0, 1.0) * FULL_SCALE).astype("<i2")
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(whole.tobytes())
    return out.getvalue()
