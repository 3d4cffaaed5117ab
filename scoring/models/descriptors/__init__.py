"""Labelling the words of a caption with sound descriptors."""

from scoring.models.descriptors.labeller import (
    DescriptorLabeller,
    LabelledCaption,
    LabellerMissing,
    find_labeller,
    label,
    label_with_network,
    uncertainty,
)
from scoring.models.descriptors.words import (
    DEFAULT_INVENTORY,
    OUTSIDE,
    Span,
    Word,
    inventories,
    spans_of,
    words_of,
)

__all__ = [
    "DEFAULT_INVENTORY",
    "OUTSIDE",
    "DescriptorLabeller",
    "LabelledCaption",
    "LabellerMissing",
    "Span",
    "Word",
    "find_labeller",
    "inventories",
    "label",
    "label_with_network",
    "spans_of",
    "uncertainty",
    "words_of",
]
