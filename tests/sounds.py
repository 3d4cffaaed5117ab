"""Recordings for tests: short, real, made on the spot."""

import io
import math
import struct
import wave
import zipfile
from collections.abc import Mapping
from pathlib import Path


def wav(seconds: float = 0.05, *, pitch: float = 440.0, rate: int = 8000) -> bytes:
    """Make a tone as a WAV file; from the second second on it repeats itself."""
    count = int(seconds * rate)
    once = min(count, rate)
    tones = (int(9000 * math.sin(2 * math.pi * pitch * at / rate)) for at in range(once))
    frames = struct.pack(f"<{once}h", *tones)
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, rate, count, "NONE", ""))
        file.writeframes((frames * math.ceil(seconds))[: 2 * count])
    return out.getvalue()


def zipped(files: Mapping[str, bytes], path: Path, *, method: int = zipfile.ZIP_STORED) -> Path:
    """Write a zip with these files."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
