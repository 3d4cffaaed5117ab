"""ACES: sound descriptors of the caption against those of the references."""

from scoring.metrics.aces.metric import Aces, AcesReferences

__all__ = ["Aces", "AcesReferences"]
