"""Audio files as log mel energies, or as what a pretrained encoder hears in them.

Any format and rate that libsndfile reads. What is computed is stored by the content of the file
and the settings, so that it is computed once, whatever the file is called.
"""

import hashlib
import json
import math
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch
from numpy.typing import NDArray
from scipy.signal import resample_poly
from torch import Tensor

from captions import InputUnusable

Floats = NDArray[np.float32]
# Below this energy nothing is heard; it keeps the logarithm finite.
FLOOR = 1e-10


@dataclass(frozen=True)
class FeatureSettings:
    """What features are made of.

    Windows of ``window`` seconds overlap by half. ``pool`` neighbouring frames are averaged.
    ``encoder`` is a folder with a pretrained model of Hugging Face's format; its last hidden
    layer takes the place of the mel energies.
    """

    rate: int = 44_100
    bands: int = 64
    window: float = 0.046
    pool: int = 1
    encoder: str = ""


def load_audio(path: Path, rate: int) -> Floats:
    """Samples of a file, its channels averaged, at ``rate`` per second."""
    try:
        samples, own_rate = soundfile.read(path, dtype="float32", always_2d=True)
    except (soundfile.LibsndfileError, OSError) as error:
        raise InputUnusable(f"{path} cannot be read as audio: {error}") from error
    if not len(samples):
        raise InputUnusable(f"{path} has no samples. Take the clip out, or replace the file.")
    mono = samples.mean(axis=1)
    if own_rate != rate:
        common = math.gcd(own_rate, rate)
        mono = resample_poly(mono, rate // common, own_rate // common)
    return np.asarray(mono, dtype=np.float32)


def log_mel(samples: Floats, settings: FeatureSettings) -> Floats:
    """Logarithm of mel band energies, shape (frames, bands), under a Hamming window."""
    length = round(settings.window * settings.rate)
    size = 1 << (length - 1).bit_length()
    hop = length // 2
    padded = np.pad(samples, (0, max(0, length - len(samples))))
    frames = np.lib.stride_tricks.sliding_window_view(padded, length)[::hop]
    spectrum = np.fft.rfft(frames * np.hamming(length).astype(np.float32), n=size)
    energies = (np.abs(spectrum) ** 2) @ mel_filters(settings.rate, size, settings.bands).T
    return np.asarray(np.log(energies + FLOOR), dtype=np.float32)


def mel_filters(rate: int, size: int, bands: int) -> Floats:
    """Triangular filters, evenly spaced in mel (O'Shaughnessy), shape (bands, size // 2 + 1)."""
    top = 2595 * math.log10(1 + rate / 2 / 700)
    edges = 700 * (10 ** (np.linspace(0, top, bands + 2) / 2595) - 1)
    frequencies = np.linspace(0, rate / 2, size // 2 + 1)
    rising = (frequencies - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - frequencies) / (edges[2:] - edges[1:-1])[:, None]
    filters = np.maximum(0, np.minimum(rising, falling))
    # Equal area, so that wide bands do not drown the narrow ones.
    return np.asarray(filters * (2 / (edges[2:] - edges[:-2]))[:, None], dtype=np.float32)


def pooled(frames: Floats, pool: int) -> Floats:
    """Means of ``pool`` frames each; the last may be of fewer."""
    starts = np.arange(0, len(frames), pool)
    counts = np.diff(np.append(starts, len(frames)))[:, None]
    return np.asarray(np.add.reduceat(frames, starts) / counts, dtype=np.float32)


class FeatureStore:
    """Features of audio files, computed once and stored in a folder."""

    def __init__(self, folder: Path, settings: FeatureSettings) -> None:
        self.folder = folder
        self.settings = settings
        self._encoder: PretrainedEncoder | None = None

    def stored(self, audio: Path) -> Path:
        """The file with the features of an audio file, which is computed where it is missing."""
        path = self.folder / f"{self._key(audio)}.npy"
        if not path.exists():
            self._store(path, self._computed(audio))
        return path

    def _key(self, path: Path) -> str:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputUnusable(f"{path} cannot be read: {error.strerror}.") from error
        settings = json.dumps(asdict(self.settings), sort_keys=True).encode()
        return hashlib.sha256(settings + b"\0" + content).hexdigest()

    def _computed(self, path: Path) -> Floats:
        samples = load_audio(path, self.settings.rate)
        if not self.settings.encoder:
            return pooled(log_mel(samples, self.settings), self.settings.pool)
        self._encoder = self._encoder or PretrainedEncoder(Path(self.settings.encoder))
        return pooled(self._encoder(samples, self.settings.rate), self.settings.pool)

    def _store(self, path: Path, frames: Floats) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Under another name first: a file that is there is whole.
        part = path.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as file:
            np.save(file, frames, allow_pickle=False)
        part.replace(path)


def load_features(path: Path) -> Tensor:
    """Stored features, shape (frames, size)."""
    return torch.from_numpy(np.load(path, allow_pickle=False))


class PretrainedEncoder:
    """A frozen audio model from a local folder (such as AST, HuBERT or Whisper's encoder)."""

    def __init__(self, folder: Path) -> None:
        # Imported here: only those who have such a model need the package.
        import transformers

        loaders: Any = transformers

        # Weights in safetensors only: other formats can run code when they are loaded.
        model: Any = loaders.AutoModel.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, trust_remote_code=False
        ).eval()
        self.model = model.encoder if model.config.is_encoder_decoder else model
        self.prepare: Any = loaders.AutoFeatureExtractor.from_pretrained(
            folder, local_files_only=True
        )

    @torch.inference_mode()
    def __call__(self, samples: Floats, rate: int) -> Floats:
        """The last hidden layer, shape (frames, size)."""
        inputs = self.prepare(samples, sampling_rate=rate, return_tensors="pt")
        hidden = self.model(**inputs).last_hidden_state[0]
        return np.asarray(hidden.float().numpy(), dtype=np.float32)
