"""Labelling the words of a caption with sound descriptors."""

from earmark.models.descriptors.labeller import (
    DescriptorLabeller,
    LabelledCaption,
    LabellerMissing,
    find_labeller,
    label,
    label_with_network,
    uncertainty,
)
from earmark.models.descriptors.words import OUTSIDE, inventories, spans_of, words_of

__all__ = [
    "OUTSIDE",
    "DescriptorLabeller",
    "LabelledCaption",
    "LabellerMissing",
    "find_labeller",
    "inventories",
    "label",
    "label_with_network",
    "spans_of",
    "uncertainty",
    "words_of",
]
