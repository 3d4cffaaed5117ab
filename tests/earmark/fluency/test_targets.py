"""The shipped detector against the data of the field, in shares of many captions.

Bounds from what docs/reference/fluency.md shows, with room for the sample.
"""

from functools import cache
from pathlib import Path

import pytest

from tests.bench.bench_fluency import (
    both_detectors,
    f1,
    flags,
    kappa,
    recall_and_precision,
    sample,
    synthetic_errors,
)
from tests.bench.fluency_texts import (
    errors_by_kind,
    human_captions,
    judged_captions,
    short_captions,
    system_captions,
)

UNSEEN = ("Clotho evaluation", "AudioCaps test")


def test_finds_synthetic_errors(shared_data: Path) -> None:
    assert f1(*synthetic_errors(shared_data)) >= 0.90


def test_agrees_with_the_original_detector(shared_data: Path) -> None:
    assert kappa(*both_detectors(shared_data)) >= 0.80


@pytest.mark.parametrize("part", UNSEEN)
def test_spares_what_people_wrote(shared_data: Path, part: str) -> None:
    assert flags(sample(human_captions(shared_data, part), 2500)).mean() <= 0.01


def test_spares_short_captions() -> None:
    assert not flags(short_captions()).any()


@cache
def _errors(data: Path) -> dict[str, list[str]]:
    return errors_by_kind(
        [text for part in UNSEEN for text in sample(human_captions(data, part), 300)]
    )


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("all words shuffled", 0.9),
        ("two neighbours swapped", 0.45),
        ("function word doubled", 0.8),
        ("two words said twice", 0.9),
        ("preposition inserted", 0.4),
        ("broken off after a function word", 0.9),
    ],
)
def test_finds_errors_of_each_kind(shared_data: Path, kind: str, least: float) -> None:
    assert flags(_errors(shared_data)[kind]).mean() >= least


@pytest.mark.parametrize(
    ("part", "least"),
    [("audiocaps-chosen", 0.80), ("audiocaps-final", 0.80), ("clotho-final", 0.60)],
)
def test_finds_what_a_reader_found_flawed(shared_data: Path, part: str, least: float) -> None:
    """Sixteen captions of the last part are flawed, so that one more or less is .06."""
    texts, flawed = judged_captions(shared_data)[part]
    recall, precision = recall_and_precision(flawed, flags(texts))
    assert recall >= least
    assert precision >= 0.95


def test_systems_keep_most_of_their_captions(shared_data: Path) -> None:
    for system in ("dcase2022_baseline", "dcase2023_baseline"):
        assert flags(system_captions(shared_data, system)).mean() <= 0.1
