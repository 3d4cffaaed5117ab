"""CLAP models in folders: vectors of sounds and texts in one space (Elizalde et al., ICASSP 2023).

Nothing here reaches the network. A recording is heard in windows of the length that the model was
made for, whose vectors are averaged: models themselves cut a random part out of longer ones.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.errors import ResourceMissing
from earmark.models.encoder import weights_digest
from earmark.models.loaded_encoder import equal_length_batches, hidden_progress_bars, unit_vectors
from earmark.runtime import Device, Heartbeat, compute_device

Vectors = NDArray[np.float32]
Samples = NDArray[np.float32]

_BATCH = 16
_PARTS = (".safetensors", ".bin", ".json", ".txt")

# What is listened to of a recording; a remainder below the second is left out beside a window.
MOST_SECONDS = 120
LEAST_SECONDS = 1
_RATES = range(1_000, 400_000)
_MOST_CHANNELS = 32


class SoundUnreadable(Exception):
    """A file that holds no sound that can be read; the text says why."""


def read_sound(path: Path, rate: int) -> Samples:
    """The first ``MOST_SECONDS`` of a file, its channels averaged, as samples at ``rate``.

    Reads wav, flac, ogg, opus and mp3, whatever the file is called. Raises ``SoundUnreadable``.
    """
    import soundfile
    from scipy.signal import resample_poly

    try:
        with soundfile.SoundFile(path) as file:
            rate_in_file = file.samplerate
            if rate_in_file not in _RATES or file.channels > _MOST_CHANNELS:
                raise SoundUnreadable(f"{file.channels} channels at {rate_in_file} Hz")
            channels = file.read(MOST_SECONDS * rate_in_file, dtype="float32", always_2d=True)
    except (soundfile.SoundFileError, OSError) as error:
        raise SoundUnreadable(f"{type(error).__name__}") from error
    mono = channels.mean(axis=1, dtype=np.float64)
    if not mono.size or not np.isfinite(mono).all():
        raise SoundUnreadable("it has no samples, or some that are no numbers")
    common = gcd(rate_in_file, rate)
    resampled: Samples = resample_poly(mono, rate // common, rate_in_file // common).astype(
        np.float32
    )
    return resampled


def windows(sound: Samples, *, length: int, least: int) -> list[Samples]:
    """Parts of ``length`` samples, one after another.

    The last may be shorter, but has ``least`` samples unless it is the only one.
    """
    parts = [sound[start : start + length] for start in range(0, sound.size, length)]
    return parts[:-1] if len(parts) > 1 and parts[-1].size < least else parts


class ClapMissing(ResourceMissing):
    """A CLAP model is not where it should be, or cannot be read."""

    def __init__(self, folder: str | Path | None) -> None:
        missing = f"There is no CLAP model in {folder}." if folder else "No CLAP model is chosen."
        super().__init__(
            f"{missing} Give the folder of one, as transformers stores it: weights, config.json, "
            "preprocessor_config.json and the tokenizer."
        )


@dataclass(frozen=True, slots=True)
class Clap:
    """A CLAP model in a folder.

    ``identity`` is ``name@xxxxxxxx``, as it stands in signatures: the first 8 hex digits of a
    hash of its files.
    """

    folder: Path
    identity: str


def find_clap(folder: str | None) -> Clap:
    """Find a model and hash its files; loads nothing. Raises ``ClapMissing``."""
    place = Path(folder).resolve() if folder else None
    if place is None or not (place / "preprocessor_config.json").is_file():
        raise ClapMissing(folder)
    files = sorted(path for path in place.iterdir() if path.suffix in _PARTS)
    lines = "".join(f"{weights_digest(path)}  {path.name}\n" for path in files)
    return Clap(place, f"{place.name}@{hashlib.sha256(lines.encode()).hexdigest()[:8]}")


def embed_texts(
    clap: Clap, texts: Sequence[str], *, device: Device = "auto", heartbeat: Heartbeat | None = None
) -> Vectors:
    """Unit vector of each text, shape (texts, dimensions); long ones are cut.

    Batches hold texts of one length in sub-words, so that a vector does not depend on the others.
    """
    import torch

    model, _, tokenizer = _loaded(clap, device)
    out = np.zeros((len(texts), int(model.config.projection_dim)), np.float32)
    encoded = tokenizer(list(texts), truncation=True)["input_ids"] if texts else []
    done = 0
    for rows in equal_length_batches([len(ids) for ids in encoded], _BATCH):
        ids = torch.tensor([encoded[row] for row in rows], device=model.device)
        with torch.inference_mode():
            features = model.get_text_features(input_ids=ids, attention_mask=torch.ones_like(ids))
        out[rows] = unit_vectors(features.pooler_output.float().cpu().numpy())
        done += len(rows)
        if heartbeat is not None:
            heartbeat(done, len(texts))
    return out


def embed_sounds(
    clap: Clap,
    paths: Sequence[Path],
    *,
    device: Device = "auto",
    heartbeat: Heartbeat | None = None,
) -> Vectors:
    """Unit vector of each sound file, shape (files, dimensions); NaN for one that is unreadable."""
    model, extractor, _ = _loaded(clap, device)
    out = np.full((len(paths), int(model.config.projection_dim)), np.nan, np.float32)
    for row, path in enumerate(paths):
        try:
            sound = read_sound(path, extractor.sampling_rate)
        except SoundUnreadable:
            continue
        finally:
            if heartbeat is not None:
                heartbeat(row + 1, len(paths))
        out[row] = _heard(model, extractor, sound)
    return out


def _heard(model: Any, extractor: Any, sound: Samples) -> Vectors:
    """Unit vector of a sound: the mean of those of its windows."""
    import torch

    rate = extractor.sampling_rate
    parts = windows(sound, length=extractor.nb_max_samples, least=LEAST_SECONDS * rate)
    vectors = []
    for start in range(0, len(parts), _BATCH):
        batch = parts[start : start + _BATCH]
        features = extractor(batch, sampling_rate=rate, return_tensors="pt")["input_features"]
        # None is longer than the model takes, though the extractor says so of one drawn at random.
        longer = torch.zeros((len(batch), 1), dtype=torch.bool, device=model.device)
        with torch.inference_mode():
            output = model.get_audio_features(
                input_features=features.to(model.device), is_longer=longer
            )
        vectors.append(unit_vectors(output.pooler_output.float().cpu().numpy()))
    mean: Vectors = unit_vectors(np.concatenate(vectors).mean(axis=0, keepdims=True))[0]
    return mean


def _loaded(clap: Clap, device: Device) -> tuple[Any, Any, Any]:
    """The model on the device, its extractor of features and its tokenizer."""
    with hidden_progress_bars():
        return _load(clap.folder, clap.identity, compute_device(device))


@lru_cache(maxsize=1)
def _load(folder: Path, _identity: str, device: str) -> tuple[Any, Any, Any]:
    from transformers import AutoTokenizer, ClapFeatureExtractor, ClapModel

    try:
        model: Any = ClapModel.from_pretrained(folder, local_files_only=True)
        extractor = ClapFeatureExtractor.from_pretrained(folder, local_files_only=True)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise ClapMissing(folder) from error
    return model.to(device).eval(), extractor, tokenizer
