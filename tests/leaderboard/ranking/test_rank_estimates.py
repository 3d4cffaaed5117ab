"""Ranges of ranks and ties: made by a worker, equal to the analysis, told when they fit."""

from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from earmark.statistics import p_values, resampled_means, tied_pairs, ties_of, two_sided_p_value
from leaderboard import tasks
from leaderboard.models import MetricResult, Phase, RankEstimates, Submission
from leaderboard.selectors.analysis.ranking_stability import ranking_analysis
from leaderboard.selectors.ranking.rank_intervals import (
    Ranges,
    phase_to_estimate,
    phases_due_for_estimates,
    ranges_of,
)
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.selectors.visibility.ranked_row import RankRange
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.api_client import body, caller
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


def systems(phase: Phase, count: int = 5) -> list[Submission]:
    """Make systems that lie close together; two of one team."""
    teams = TeamFactory.create_batch(count - 1)
    made = []
    for number in range(count):
        made.append(submit(phase, teams[number % len(teams)], name=f"System {number}"))
        finish(made[-1], value=0.4 + 0.02 * number, seed=number)
    return made


def refresh(phase: Phase) -> bool:
    return rank_estimates_refresh(phase_id=phase.pk, now=timezone.now())


def ranges(phase: Phase, *, every_system: bool = False) -> Ranges:
    ranking = ranking_of(phase, every_system=every_system)
    return ranges_of(ranking, [line.key for line in ranking.rows])


def test_they_are_those_of_the_analysis(cast: Cast) -> None:
    systems(cast.phase)
    assert ranges(cast.phase).state == "pending"
    assert refresh(cast.phase)
    analysis = ranking_analysis(cast.phase)
    found = ranges(cast.phase)
    assert analysis.stability is not None
    assert found.state == "known"
    for at, system in enumerate(analysis.systems):
        mine = found.by_key[system.pk]
        assert [mine.low, mine.high] == analysis.stability.intervals[at].tolist()
        assert len(mine.tied) == len(analysis.stability.tied(at))
        assert system.pk not in mine.tied


def test_hidden_references_have_them_too_and_the_page_says_what_they_are(cast: Cast) -> None:
    cast.rules(references_public=False)
    systems(cast.phase)
    address = cast.at("board")
    client = cast.client(None)
    assert "are being computed" in text(client.get(address).content)
    refresh(cast.phase)
    seen = text(client.get(address).content)
    assert "resampled 4,000 times" in seen
    assert "Tied with System" in seen
    rows = body(
        caller(None).get(f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/leaderboard")
    )
    assert rows["rank_intervals"] == "known"
    ids = {row["id"] for row in rows["rows"]}
    for row in rows["rows"]:
        assert row["rank_interval"]["low"] <= row["rank_interval"]["high"]
        assert set(row["tied_with"]) < ids


def test_a_tie_is_told_by_name_and_not_by_a_number_that_reads_as_a_rank() -> None:
    assert RankRange(1, 2, (7,), ("Plain speaker",)).tied_text == "Plain speaker"
    three = RankRange(1, 4, (7, 8, 9), ("Plain speaker", "Careful", "Quick"))
    assert three.tied_text == "Plain speaker and 2 more"


def test_they_are_made_again_only_where_what_they_rest_on_changed(cast: Cast) -> None:
    first = systems(cast.phase)[0]
    assert refresh(cast.phase)
    before = list(RankEstimates.objects.order_by("pk").values("stamp", "content"))
    assert not refresh(cast.phase)
    assert phases_due_for_estimates(now=timezone.now() + timedelta(days=1)) == []
    first.withdrawn_at = timezone.now()
    first.save()
    assert ranges(cast.phase, every_system=True).state == "pending"
    assert phases_due_for_estimates(now=timezone.now() + timedelta(days=1)) == [cast.phase.pk]
    assert refresh(cast.phase)
    first.withdrawn_at = None
    first.save()
    assert refresh(cast.phase)
    after = list(RankEstimates.objects.order_by("pk").values("stamp", "content"))
    for old, new in zip(before, after, strict=True):
        old["content"].pop("seconds")
        new["content"].pop("seconds")
    assert after == before  # the same results give the same estimates


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite is on the machine itself")
def test_a_machine_whose_clock_is_fast_makes_no_later_estimates_wait(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems(cast.phase, 3)
    late = submit(cast.phase, TeamFactory.create(), name="Late")
    true = timezone.now
    with monkeypatch.context() as fast:
        fast.setattr(timezone, "now", lambda: true() + timedelta(hours=1))
        tasks.rank_estimates_refresh(cast.phase.pk)
    assert ranges(cast.phase).state == "known"
    finish(late)
    assert phases_due_for_estimates(now=true() + timedelta(minutes=1)) == [cast.phase.pk]


def test_a_phase_is_estimated_when_a_value_that_ranks_is_there(cast: Cast) -> None:
    one, other = (submit(cast.phase, TeamFactory.create(), name=name) for name in "AB")
    now = timezone.now()

    def asked(submission: Submission, family: str) -> int | None:
        found = submission.evaluations.get(family=family)
        return phase_to_estimate(evaluation_id=found.pk, now=now)

    finish(one)
    assert asked(one, "cider_d") == cast.phase.pk  # though the other one waits, maybe for hours
    finish(other, seed=1)
    assert asked(other, "bleu") is None  # does not rank
    assert asked(other, "cider_d") == cast.phase.pk
    tasks.rank_estimates_refresh(cast.phase.pk)
    assert ranges(cast.phase).state == "known"
    assert asked(other, "cider_d") is None


def test_values_computed_in_different_ways_have_none_and_it_says_why(cast: Cast) -> None:
    one, *_ = systems(cast.phase)
    MetricResult.objects.filter(submission=one, metric="cider_d").update(signature="other|v:0")
    refresh(cast.phase)
    found = ranges(cast.phase, every_system=True)
    assert (found.state, bool(found.reason)) == ("none", True)


def test_what_has_no_value_has_no_range(cast: Cast) -> None:
    one, *_ = systems(cast.phase)
    MetricResult.objects.filter(submission=one, metric="cider_d").update(value=None)
    refresh(cast.phase)
    found = ranges(cast.phase, every_system=True)
    assert one.pk not in found.by_key
    assert len(found.by_key) == 4


@pytest.mark.parametrize("missing", [False, True])
def test_pairs_at_once_are_pairs_one_by_one(missing: bool) -> None:
    values = np.random.default_rng(3).normal(0.5, 0.2, (12, 6))
    values[:, 1] = values[:, 0]
    if missing:
        values[2:, 3] = np.nan
    draws = resampled_means(values, resamples=300)
    found = p_values(draws)
    for one in range(6):
        for other in range(one + 1, 6):
            assert found[one, other] == two_sided_p_value(draws[:, one] - draws[:, other])
    assert np.array_equal(tied_pairs(draws), ties_of(found))


def test_systems_are_tied_by_the_clips_that_both_have(cast: Cast) -> None:
    """Equal where both have values; the second has none of the easy clips."""
    made = systems(cast.phase, count=3)[:2]
    hard = np.random.default_rng(4).normal(0.3, 0.02, 30)
    noise = np.random.default_rng(5).normal(0, 0.02, 30)
    easy = np.full(30, 0.9)
    scores = [np.concatenate([hard, easy]), np.concatenate([hard + noise, easy * np.nan])]
    results = MetricResult.objects.filter(metric=cast.phase.ranking_metric)
    for system, values in zip(made, scores, strict=True):
        packed = values.astype("<f4").tobytes()
        results.filter(submission=system).update(per_clip=packed, value=np.nanmean(values))
    results.exclude(submission__in=made).delete()
    assert refresh(cast.phase)
    found = ranges(cast.phase).by_key
    assert {key: one.tied for key, one in found.items()} == {
        made[0].pk: (made[1].pk,),
        made[1].pk: (made[0].pk,),
    }
    stability = ranking_analysis(cast.phase).stability
    assert stability is not None
    assert stability.tied(0) == (1,)
