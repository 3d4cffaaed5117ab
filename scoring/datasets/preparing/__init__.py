"""Preparing recordings as Clotho's were: trimmed, resampled, cut to a length, faded."""

from scoring.datasets.preparing.recordings import (
    RATE,
    WINDOWS,
    LeftOut,
    Preparation,
    PreparedRecording,
    prepare_recordings,
)

__all__ = [
    "RATE",
    "WINDOWS",
    "LeftOut",
    "Preparation",
    "PreparedRecording",
    "prepare_recordings",
]
