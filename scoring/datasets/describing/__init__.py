"""Describing a set of captions by figures that sets of different sizes can be compared by."""

from scoring.datasets.describing.captions_described import (
    CaptionsDescribed,
    Spread,
    describe_captions,
    described_json,
)
from scoring.datasets.describing.published import PublishedSet, published_sets

__all__ = [
    "CaptionsDescribed",
    "PublishedSet",
    "Spread",
    "describe_captions",
    "described_json",
    "published_sets",
]
