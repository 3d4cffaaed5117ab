"""What becomes of captions that were rated: means, ranks, ties, what is kept."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.kinds.rate import caption_key
from annotation.models import Answer
from annotation.selectors.stages.ratings import _ranked, rated_captions
from annotation.services.answers import AnswerChange, annotation_save
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.annotation.kinds.conftest import VERSIONS, Workshop, make_workshop, ratings


@pytest.fixture
def workshop(db: None) -> Workshop:
    return make_workshop("rate")


def rate(workshop: Workshop, user: User, *numbers: tuple[int, int], **change: Any) -> None:
    whole = {"edit": f"edit-{user.pk}", "base": 0, "value": ratings(*numbers), **change}
    annotation_save(item=workshop.items[0], user=user, change=AnswerChange(**whole), now=NOW)


def test_captions_are_ranked_by_mean_accuracy_then_fluency_and_the_best_are_kept(
    workshop: Workshop,
) -> None:
    workshop.project.kind_options = {"keep": 2}
    rate(workshop, workshop.ann, (4, 1), (3, 4), (1, 4))
    rate(workshop, workshop.bob, (2, 2), (3, 3), (2, 4))
    first, second, third = rated_captions(workshop.project)[0].captions
    assert (first.text, first.accuracy, first.fluency) == (VERSIONS[1], 3.0, 3.5)
    assert (second.text, second.accuracy, second.fluency) == (VERSIONS[0], 3.0, 1.5)
    assert (third.text, third.accuracy, third.fluency) == (VERSIONS[2], 1.5, 4.0)
    assert [(row.rank, row.tied, row.kept, row.raters) for row in (first, second, third)] == [
        (1, False, True, 2), (2, False, True, 2), (3, False, False, 2),
    ]  # fmt: skip


def test_equal_captions_share_a_rank_and_the_one_written_first_is_kept(workshop: Workshop) -> None:
    workshop.project.kind_options = {"keep": 1}
    rate(workshop, workshop.ann, (1, 1), (3, 3), (3, 3))
    clip = rated_captions(workshop.project)[0]
    assert [(row.text, row.rank, row.tied, row.kept) for row in clip.captions] == [
        (VERSIONS[1], 1, True, True), (VERSIONS[2], 1, True, False), (VERSIONS[0], 3, False, False),
    ]  # fmt: skip
    assert [row.text for row in clip.kept] == [VERSIONS[1]]
    assert clip.missing == 1


def test_what_nobody_rated_has_no_rank_and_is_not_kept(workshop: Workshop) -> None:
    clip = rated_captions(workshop.project)[0]
    assert clip.file_name == "rain on a roof.wav"
    assert [(row.rank, row.accuracy, row.kept) for row in clip.captions] == [
        (None, None, False)
    ] * 3
    assert clip.missing == 2


def test_only_what_was_accepted_and_counts_is_read(workshop: Workshop) -> None:
    rate(workshop, workshop.ann, (1, 1), (3, 3), (3, 3), answer=Answer.REJECT)
    rate(workshop, workshop.bob, (4, 4), (3, 3), (3, 3))
    rate(workshop, workshop.manager, (1, 1), (1, 1), (1, 1))
    clip = rated_captions(workshop.project)[0]
    assert {row.raters for row in clip.captions} == {1}
    assert clip.captions[0].accuracy == 4.0


numbers = st.tuples(st.integers(1, 4), st.integers(1, 4))


@given(st.lists(st.lists(numbers, max_size=3), max_size=6), st.integers(1, 6))
def test_ranks_follow_the_means_and_as_many_are_kept_as_there_are(
    drawn: list[list[tuple[int, int]]], keep: int
) -> None:
    captions = [{"text": f"caption {at}"} for at in range(len(drawn))]
    told = {caption_key(f"caption {at}"): rows for at, rows in enumerate(drawn)}
    found = _ranked(captions, told, keep)
    rated = [row for row in found if row.rank is not None]
    assert found[: len(rated)] == tuple(rated), "what nobody rated comes last"
    assert sum(row.kept for row in found) == min(keep, len(rated))
    for one, other in pairwise(rated):
        better, worse = (one.accuracy, one.fluency), (other.accuracy, other.fluency)
        assert better >= worse
        assert (one.rank == other.rank) == (better == worse)
        assert one.kept or not other.kept
    for row in rated:
        means = [(other.accuracy, other.fluency) for other in rated]
        assert row.tied == (means.count((row.accuracy, row.fluency)) > 1)


def ranked_without(keep: int, refused: set[int], *rated: tuple[tuple[int, int], ...]) -> list[str]:
    """Which captions are kept, by their text; caption n was said by the answers n and n + 10."""
    captions = [{"text": f"{at}", "annotations": [at, at + 10]} for at in range(len(rated))]
    told = {caption_key(f"{at}"): list(rows) for at, rows in enumerate(rated)}
    found = _ranked(captions, told, keep, frozenset(refused))
    return [row.text for row in found if row.kept]


BEST, GOOD, LATER, POOR = ((4, 4), (4, 4)), ((4, 3), (3, 4)), ((3, 3), (3, 3)), ((4, 4), (2, 4))


def test_a_refused_caption_is_replaced_by_the_next_that_everybody_rated_three_or_more() -> None:
    rated = (BEST, POOR, GOOD, LATER)
    # By means: 0, 2 (accuracy 3.5), then 1 (3 and 4) and 3.
    assert ranked_without(2, set(), *rated) == ["0", "2"]
    assert ranked_without(2, {0, 10}, *rated) == ["2", "3"], "caption 1 has a 2 for accuracy"
    assert ranked_without(2, {0}, *rated) == ["0", "2"], "another answer says it still"
    assert ranked_without(2, {1, 11}, *rated) == ["0", "2"], "it was not kept"


def test_a_clip_without_a_good_replacement_is_dropped() -> None:
    assert ranked_without(2, {0, 10, 2, 12}, BEST, POOR, GOOD, LATER) == []
    assert ranked_without(2, {0, 10, 3, 13}, BEST, POOR, GOOD, LATER) == []
    assert ranked_without(5, {0, 10}, BEST, GOOD) == []
