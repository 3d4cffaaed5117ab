"""Labelling the words of a caption with sound descriptors."""

from scoring.models.descriptors.inventory import DEFAULT_INVENTORY, OUTSIDE, inventories
from scoring.models.descriptors.labeller import (
    Labelled,
    Labeller,
    LabellerMissing,
    find_labeller,
    label,
    labelled_by,
)
from scoring.models.descriptors.uncertainty import uncertainty
from scoring.models.descriptors.words import Span, Word, spans_of, words_of

__all__ = [
    "DEFAULT_INVENTORY",
    "OUTSIDE",
    "Labelled",
    "Labeller",
    "LabellerMissing",
    "Span",
    "Word",
    "find_labeller",
    "inventories",
    "label",
    "labelled_by",
    "spans_of",
    "uncertainty",
    "words_of",
]
