"""Describing a set of captions by figures that sets of different sizes can be compared by."""

from scoring.datasets.describing.captions_described import (
    CaptionsDescribed,
    Spread,
    describe_captions,
    described_json,
)

__all__ = ["CaptionsDescribed", "Spread", "describe_captions", "described_json"]
