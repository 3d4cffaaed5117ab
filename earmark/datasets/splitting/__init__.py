"""Splitting a captioned data set into parts, stratified by words, with Clotho's constraints."""

from earmark.datasets.splitting.constraints import SplitMeasures, split_measures
from earmark.datasets.splitting.parts import Part, PartsRead, read_parts
from earmark.datasets.splitting.pooling import GivenFile, PooledClip
from earmark.datasets.splitting.report import (
    SplitReport,
    Violation,
    WordViolation,
    split_report,
)
from earmark.datasets.splitting.split import TRIALS, ClipSplit, split_clips
from earmark.datasets.splitting.split_input import SIMILARITY, SplitInput, read_split_input

__all__ = [
    "SIMILARITY",
    "TRIALS",
    "ClipSplit",
    "GivenFile",
    "Part",
    "PartsRead",
    "PooledClip",
    "SplitInput",
    "SplitMeasures",
    "SplitReport",
    "Violation",
    "WordViolation",
    "read_parts",
    "read_split_input",
    "split_clips",
    "split_measures",
    "split_report",
]
