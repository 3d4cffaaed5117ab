"""Statistics of captions as figures: the set above those that were published."""

from typing import Any

import pytest

from leaderboard.selectors.figures.captions import caption_statistics
from scoring.datasets.describing import published_sets


def described(**counts: int) -> dict[str, Any]:
    """What is known of a set whose clips have so many captions; the rest as Clotho's."""
    whole: dict[str, Any] = dict(published_sets()[0].figures)
    return {**whole, "captions_per_clip": {**whole["captions_per_clip"], "counts": counts}}


def test_the_set_and_each_published_one_have_a_row() -> None:
    own = described(**{"5": 3})
    words, growth = caption_statistics(own).figures
    *bars, means = words.data
    assert len(bars) == 1 + len(published_sets())
    assert bars[0]["name"] == "This set"
    assert sum(bars[0]["customdata"]) == pytest.approx(1, abs=0.01)
    assert means["x"][0] == pytest.approx(own["words_per_caption"]["mean"], abs=0.01)
    assert growth.name == "vocabulary-growth"


def test_captions_of_a_clip_are_drawn_where_they_differ() -> None:
    names = [figure.name for figure in caption_statistics(described(**{"4": 1, "5": 3})).figures]
    assert names == ["words-per-caption", "captions-per-clip", "vocabulary-growth"]
