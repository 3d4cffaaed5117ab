"""Detecting captions that are not fluent."""

from earmark.models.fluency.detector import (
    Detector,
    DetectorMissing,
    Probabilities,
    detect,
    find_detector,
)
from earmark.models.fluency.vocabulary import CLASSES, ERROR, normalise

__all__ = [
    "CLASSES",
    "ERROR",
    "Detector",
    "DetectorMissing",
    "Probabilities",
    "detect",
    "find_detector",
    "normalise",
]
