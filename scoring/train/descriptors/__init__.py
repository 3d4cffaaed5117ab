"""Training the labeller of sound descriptors."""

from scoring.train.descriptors.evaluation import Agreement, LabelScore, agreement
from scoring.train.descriptors.reading import (
    Annotated,
    DescriptorFault,
    LabelSet,
    annotated,
    read_lines,
    read_sets,
    without_source,
)
from scoring.train.descriptors.training import Recipe, Told, predict, save, train
from scoring.train.descriptors.validation import cross_validate

__all__ = [
    "Agreement",
    "Annotated",
    "DescriptorFault",
    "LabelScore",
    "LabelSet",
    "Recipe",
    "Told",
    "agreement",
    "annotated",
    "cross_validate",
    "predict",
    "read_lines",
    "read_sets",
    "save",
    "train",
    "without_source",
]
