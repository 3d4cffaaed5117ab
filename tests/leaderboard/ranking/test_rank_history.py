"""Who stood where when: the last moment is the ranking of now, and each one that of then."""

from datetime import datetime, timedelta

import pytest
from django.urls import reverse

from leaderboard.models import Counting, MetricResult, Phase, Submission, Team
from leaderboard.selectors.ranking.history import history_of
from leaderboard.selectors.ranking.ranking import ranking_of
from tests.factories import NOW, TeamFactory, finish, submit
from tests.leaderboard.api_client import body, caller
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


def handed_in(phase: Phase, team: Team, minute: float, value: float | None) -> Submission:
    made = submit(phase, team, name=f"At {minute}", now=NOW + timedelta(minutes=minute))
    finish(made)
    MetricResult.objects.filter(submission=made, metric="cider_d").update(value=value)
    return made


@pytest.mark.parametrize("counting", list(Counting))
def test_each_moment_is_the_ranking_of_then(cast: Cast, counting: Counting) -> None:
    cast.rules(counting=counting)
    teams = TeamFactory.create_batch(3)
    values = [(0, 0.5), (1, 0.4), (0, 0.3), (2, None), (1, 0.6), (2, 0.6), (0, 0.7)]
    made = [
        handed_in(cast.phase, teams[team], minute, value)
        for minute, (team, value) in enumerate(values)
    ]
    history = history_of(cast.phase)
    known: dict[datetime, tuple[int | None, ...]] = {one.at: one.ranks for one in history.moments}
    latest: tuple[int | None, ...] = (None,) * len(history.lines)
    for last in range(len(made)):
        later = [row.pk for row in made[last + 1 :]]
        Submission.objects.filter(pk__in=later).update(withdrawn_at=NOW)
        then = {line.team: line.rank for line in ranking_of(cast.phase).rows}
        Submission.objects.filter(pk__in=later).update(withdrawn_at=None)
        latest = known.get(made[last].created_at, latest)
        assert latest == tuple(then.get(line.team) for line in history.lines)
    now = [line.rank for line in ranking_of(cast.phase).rows]
    assert list(history.moments[-1].ranks) == now


def test_many_moments_are_told_by_day(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.selectors.ranking.history.MOST_MOMENTS", 2)
    for number in range(4):
        handed_in(cast.phase, TeamFactory.create(), 24 * 60 * (number // 2) + number, number / 10)
    history = history_of(cast.phase)
    assert history.step == "day"
    assert [moment.ranks for moment in history.moments] == [(None, None, 1, 2), (1, 2, 3, 4)]


def test_the_best_and_ones_own_are_shown(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.selectors.ranking.history.MOST_TEAMS", 1)
    handed_in(cast.phase, TeamFactory.create(name="First"), 0, 0.9)
    handed_in(cast.phase, TeamFactory.create(name="Second"), 1, 0.8)
    handed_in(cast.phase, cast.team, 2, 0.1)
    names = [cast.phase.challenge.slug, cast.phase.slug]
    address = reverse("leaderboard:history", args=names)
    assert "2 of 3 teams are shown" in text(cast.client(cast.member).get(address).content)
    assert "Second" not in text(cast.client(None).get(address).content)
    told = body(caller(None).get(f"/phases/{names[0]}/{names[1]}/history"))
    assert [row["team_name"] for row in told["systems"]] == ["First"]
    assert told["moments"][-1]["ranks"] == [1]
    assert told["moments"][-1]["scores"] == [0.9]
    cast.rules(scores_public=False)
    assert cast.client(cast.member).get(address).status_code == 404


def test_a_better_score_is_a_moment_although_ranks_stay(cast: Cast) -> None:
    cast.rules(precision=2)
    team = TeamFactory.create()
    for minute, value in enumerate((0.5, 0.6041, 0.6042)):
        handed_in(cast.phase, team, minute, value)
    moments = history_of(cast.phase).moments
    assert [moment.ranks for moment in moments] == [(1,), (1,)]
    assert [moment.scores for moment in moments] == [(0.5,), (0.6,)], "at the declared precision"


def test_scores_are_drawn_where_asked_for(cast: Cast) -> None:
    for minute, value in enumerate((0.5, 0.6)):
        handed_in(cast.phase, TeamFactory.create(), minute, value)
    address = cast.at("history")
    for query, shown in (("", "rank-history"), ("?show=scores", "score-history")):
        page = cast.client(None).get(address + query).content.decode()
        assert f'<figure class="plot" id="{shown}">' in page
        assert page.count('aria-current="true">') >= 1
