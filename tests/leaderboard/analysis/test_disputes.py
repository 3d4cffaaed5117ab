"""Clips worth a look: on which metrics disagree, and the ends of a system's."""

import numpy as np
import pytest
from django.urls import reverse

from earmark.registry import METRICS
from leaderboard.models import MetricResult, Phase, Submission
from leaderboard.selectors.analysis.comparing import (
    DisputedClip,
    comparison_of,
    disputes_of,
    judges_of,
)
from leaderboard.selectors.clips.corpus import corpus_of
from leaderboard.selectors.clips.side_by_side import extremes_of
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.analysis.test_analysis_page import HOSTILE, compare_url
from tests.leaderboard.clips.test_clips_page import clip_url, set_values
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

JUDGES = ("cider_d", "fense", "fer", "rouge_l")


@pytest.fixture
def pair(cast: Cast) -> tuple[Submission, Submission]:
    """Two systems that all judges hold for equal on every clip."""
    found = []
    for place in range(2):
        system = submit(cast.phase, TeamFactory.create(), name=f"{HOSTILE} {place}")
        finish(system)
        MetricResult.objects.filter(submission=system).exclude(metric__in=JUDGES).delete()
        for metric in JUDGES:
            set_values(system, metric, [0.5] * 5)
        found.append(system)
    return found[0], found[1]


def disputes(pair: tuple[Submission, Submission]) -> tuple[DisputedClip, ...]:
    judges = judges_of(comparison_of(*pair), JUDGES)
    return disputes_of(judges, (corpus_of(pair[0]), corpus_of(pair[1])))


def test_the_most_even_and_largest_split_comes_first(pair: tuple[Submission, Submission]) -> None:
    first, _ = pair
    # Clip 1: all for A. Clip 2: a small split. Clip 3: a large one. Clip 4: lopsided.
    set_values(first, "cider_d", [0.9, 0.6, 0.9, 0.9, 0.5])
    set_values(first, "rouge_l", [0.9, 0.4, 0.1, 0.48, 0.5])
    found = disputes(pair)
    assert [dispute.number for dispute in found] == [3, 2]
    for_a, for_b = found[0].votes
    assert [info.name for info, _ in for_a] == ["cider_d"]
    assert [info.name for info, _ in for_b] == ["rouge_l"]
    # The typical difference of CIDEr-D is the root of (3 * 0.16 + 0.01) / 5.
    assert for_a[0][1] == pytest.approx(0.4 / np.sqrt(0.49 / 5), rel=1e-5)


def test_lower_is_better_votes_for_the_lower(pair: tuple[Submission, Submission]) -> None:
    set_values(pair[0], "fer", [1, 0, 0, 0, 0])
    set_values(pair[1], "fer", [0, 0, 0, 0, 0])
    set_values(pair[0], "cider_d", [0.9, 0.5, 0.5, 0.5, 0.5])
    (dispute,) = disputes(pair)
    assert [info.name for info, _ in dispute.votes[0]] == ["cider_d"]
    assert [info.name for info, _ in dispute.votes[1]] == ["fer"]


def test_clips_without_a_value_take_no_side(pair: tuple[Submission, Submission]) -> None:
    set_values(pair[0], "cider_d", [np.nan, 0.5, 0.5, 0.5, 0.5])
    set_values(pair[0], "rouge_l", [0.1, 0.5, 0.5, 0.5, 0.5])
    assert disputes(pair) == ()


def test_one_metric_of_each_family_votes(cast: Cast) -> None:
    pair = [submit(cast.phase, TeamFactory.create()) for _ in range(2)]
    for place, system in enumerate(pair):
        finish(system, seed=place)
    comparison = comparison_of(*pair)
    chosen = judges_of(comparison, ("bleu_1", "bleu_4", "meteor", "nonsense"))
    assert [row.info.name for row in chosen] == ["bleu_1", "meteor"]
    alone = judges_of(comparison, ("bleu_1",))
    families = [row.info.family for row in alone]
    assert len(families) == len(set(families)) > 10, "one metric cannot disagree with itself"


def test_the_page_shows_them_with_the_other_beside(
    cast: Cast, pair: tuple[Submission, Submission]
) -> None:
    first, second = pair
    Phase.objects.update(columns=["cider_d", "rouge_l"])
    set_values(first, "cider_d", [0.9, 0.5, 0.5, 0.5, 0.5])
    set_values(first, "rouge_l", [0.1, 0.5, 0.5, 0.5, 0.5])
    query = f"?a={first.public_id}&b={second.public_id}"
    page = cast.client(None).get(compare_url(cast.phase, query)).content
    assert "Where metrics disagree about the winner" in text(page)
    assert "CIDEr-D 2.2 ROUGE-L 2.2" in text(page)
    assert f'href="{clip_url(first, 1)}?with={second.public_id}"' in page.decode()
    assert HOSTILE not in page.decode()


def test_what_is_shown_follows_the_columns_of_the_phase(
    cast: Cast, pair: tuple[Submission, Submission]
) -> None:
    """The page is kept for all visitors; a change of the phase must still show."""
    query = f"?a={pair[0].public_id}&b={pair[1].public_id}"
    for columns, second in ((["fer"], METRICS["fer"]), (["rouge_l"], METRICS["rouge_l"])):
        Phase.objects.update(columns=columns)
        page = text(cast.client(None).get(compare_url(cast.phase, query)).content)
        assert f"One metric of each family: CIDEr-D , {second.label} ." in page


def with_clips(cast: Cast, metric: str, values: list[float]) -> Submission:
    cast.rules(ranking_metric=metric)
    system = submit(cast.phase, cast.team)
    finish(system)
    MetricResult.objects.filter(submission=system, metric=metric).update(
        per_clip=MetricResult.pack_per_clip(np.array(values, np.float32))
    )
    return system


@pytest.mark.parametrize(
    ("metric", "best", "worst"), [("cider_d", [4, 1], [5, 3]), ("fer", [5, 3], [4, 1])]
)
def test_best_and_worst_by_the_metric_that_ranks(
    cast: Cast, metric: str, best: list[int], worst: list[int]
) -> None:
    """Clip 2 has no value and stands at neither end; of equals the earlier comes first."""
    system = with_clips(cast, metric, [0.5, float("nan"), 0.25, 0.5 + 2**-10, 0.0])
    found = extremes_of(system, corpus_of(system))
    assert found is not None
    assert [line.number for line in found["best"]] == best
    assert [line.number for line in found["worst"]] == worst


def test_a_lone_clip_is_not_worst_as_well(cast: Cast) -> None:
    nan = float("nan")
    system = with_clips(cast, "cider_d", [nan, nan, 0.3, nan, nan])
    found = extremes_of(system, corpus_of(system))
    assert found is not None
    assert ([line.number for line in found["best"]], found["worst"]) == ([3], ())
    page = cast.client(None).get(reverse("leaderboard:profile", args=[system.public_id]))
    assert "Best and worst clips by CIDEr-D Best" in text(page.content)
