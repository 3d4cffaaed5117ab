"""Detecting captions that are not fluent."""

from scoring.models.fluency.detector import (
    Detector,
    DetectorMissing,
    Probabilities,
    detect,
    find_detector,
)
from scoring.models.fluency.vocabulary import CLASSES, ERROR, normalise

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
