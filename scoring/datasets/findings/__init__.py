"""Findings in captions: what somebody should look at before a data set is published."""

from scoring.datasets.findings.checked_captions import (
    CheckedCaptions,
    CheckOptions,
    LengthsImpossible,
    PlacedCaption,
)
from scoring.datasets.findings.checking import check_caption, check_captions
from scoring.datasets.findings.finding import (
    CheckFinding,
    FindingIdentity,
    FindingKind,
    UnknownFindingKind,
    placed,
)
from scoring.datasets.findings.registry import DEFAULT_KINDS, KINDS, WRITING_KINDS

__all__ = [
    "DEFAULT_KINDS",
    "KINDS",
    "WRITING_KINDS",
    "CheckFinding",
    "CheckOptions",
    "CheckedCaptions",
    "FindingIdentity",
    "FindingKind",
    "LengthsImpossible",
    "PlacedCaption",
    "UnknownFindingKind",
    "check_caption",
    "check_captions",
    "placed",
]
