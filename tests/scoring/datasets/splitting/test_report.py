"""The report of a split: shares and violations by hand, and beside counting."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.datasets.splitting import ClipSplit, SplitReport, Violation, split_report
from scoring.datasets.splitting.parts import part_sizes
from scoring.datasets.splitting.words import ClipWords
from tests.scoring.datasets.splitting.random_clips import clips, parts_of, shares


def report_of(
    texts: list[list[str]], assignment: list[int], weights: tuple[int, ...]
) -> SplitReport:
    parts = parts_of(weights)
    words = ClipWords.of(texts)
    return split_report(
        ClipSplit(parts, part_sizes(parts, len(texts)), np.array(assignment), words)
    )


def test_shares_and_violations_by_hand() -> None:
    texts = [["the rain"], ["the rain wind"], ["the wind"], ["the dog"], ["the dog"], ["The cat."]]
    report = report_of(texts, [0, 0, 1, 1, 1, 2], (3, 2, 1))
    assert report.words == ("the", "dog", "rain", "wind")
    assert report.frequencies.tolist() == [6, 2, 2, 2]
    assert report.shares[:, 0].tolist() == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert report.shares[:, 3].tolist() == [0.5, 0.5, 0]
    assert (report.ideals.tolist(), report.tolerances.tolist()) == ([3, 1, 1, 1], [1, 0, 0, 0])
    dog, rain = report.violations
    assert (dog.word, dog.frequency, dog.counts) == ("dog", 2, (0, 2, 0))
    assert dog.violations == tuple(Violation)
    assert (rain.word, rain.counts, rain.ideal, rain.tolerance) == ("rain", (2, 0, 0), 1, 0)
    assert rain.violations == (Violation.ONE_PART, Violation.OUTSIDE)


@given(clips, shares, st.data())
def test_what_it_lists_is_what_the_measures_count(
    texts: list[list[str]], weights: tuple[int, ...], data: Any
) -> None:
    part = st.integers(0, len(weights) - 1)
    assignment = data.draw(st.lists(part, min_size=len(texts), max_size=len(texts)))
    report = report_of(texts, assignment, weights)
    listed = {kind: sum(kind in one.violations for one in report.violations) for kind in Violation}
    measures = report.measures
    assert listed[Violation.ONE_PART] == measures.words_in_one_part
    assert listed[Violation.NOT_IN_DEVELOPMENT] == measures.words_not_in_development
    assert listed[Violation.OUTSIDE] == measures.words_outside_tolerance
    kinds = [list(Violation).index(one.violations[0]) for one in report.violations]
    assert kinds == sorted(kinds), "the worst come first"
    for one in report.violations:
        found = [set(" ".join(captions).split()) for captions in texts]
        counts = [
            sum(
                one.word in words for words, at in zip(found, assignment, strict=True) if at == part
            )
            for part in range(len(weights))
        ]
        assert one.counts == tuple(counts)
    assert np.allclose(report.shares.sum(axis=0), 1)
    assert report.frequencies.tolist() == sorted(report.frequencies.tolist(), reverse=True)
