"""Findings in captions: what somebody should look at before a data set is published."""

from earmark.datasets.findings.checked_captions import (
    CheckedCaptions,
    CheckOptions,
    LengthsImpossible,
    PlacedCaption,
)
from earmark.datasets.findings.checking import (
    DEFAULT_KINDS,
    KINDS,
    WRITING_KINDS,
    UnknownFindingKind,
    check_caption,
    check_captions,
)
from earmark.datasets.findings.finding import (
    CheckFinding,
    FindingKind,
)

__all__ = [
    "DEFAULT_KINDS",
    "KINDS",
    "WRITING_KINDS",
    "CheckFinding",
    "CheckOptions",
    "CheckedCaptions",
    "FindingKind",
    "LengthsImpossible",
    "PlacedCaption",
    "UnknownFindingKind",
    "check_caption",
    "check_captions",
]
