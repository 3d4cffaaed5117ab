"""The way of teams to their ranks: who is new, what they had, and names at the ends of lines."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest

from leaderboard.selectors.figures.end_labels import LineEnd, end_labels, spread_apart
from leaderboard.selectors.figures.figure import Figure
from leaderboard.selectors.figures.history import history_figure
from leaderboard.selectors.ranking.history import History, Moment
from scoring.registry import METRICS
from tests.factories import NOW

Ranks = Sequence[int | None]


def drawn(
    ranks: Sequence[Ranks],
    scores: Sequence[Sequence[float | None]],
    *,
    by_score: bool = False,
    metric: str = "fense",
) -> Figure:
    """The figure of teams 0, 1, ...; the last one is the reader's own."""
    teams = len(ranks[0])
    info = METRICS[metric]
    phase = SimpleNamespace(ranking=info, ranking_metric=metric, precision=3)
    lines = tuple(SimpleNamespace(team=at, team_name=f"Team {at}") for at in range(teams))
    moments = tuple(
        Moment(NOW + timedelta(days=at), tuple(row), tuple(values))
        for at, (row, values) in enumerate(zip(ranks, scores, strict=True))
    )
    history = History(
        cast("Any", phase),
        info,
        cast("Any", lines),
        frozenset({teams - 1}),
        teams,
        moments,
        "submission",
    )
    return history_figure(history, by_score=by_score)


RANKS = [(1, None), (2, 1), (2, 1)]
SCORES = [(0.5, None), (0.5, 0.6), (0.5504, 0.6)]


def test_a_line_begins_where_its_team_enters_and_says_so() -> None:
    figure = drawn(RANKS, SCORES)
    old, new = figure.data
    assert len(old["x"]) == 3
    assert len(new["x"]) == 2
    for line in (old, new):
        sizes, symbols = line["marker"]["size"], line["marker"]["symbol"]
        assert sizes[0] > max(sizes[1:])
        assert symbols[0].endswith("-open")
        assert not symbols[1].endswith("-open")
        assert line["text"][0] == "first ranked"
    assert "first rank of a team" in figure.layout["annotations"][-1]["text"]


def test_scores_are_told_at_every_point() -> None:
    old, new = drawn(RANKS, SCORES).data
    assert old["customdata"][-1] == "rank 2, FENSE 0.550"
    assert new["customdata"] == ["rank 1, FENSE 0.600"] * 2


def test_moments_of_one_minute_stay_apart_in_the_figure() -> None:
    figure = drawn(RANKS, SCORES)
    assert all(x.count(":") == 2 for x in figure.data[0]["x"])
    assert all(row[0].count(":") == 1 for row in figure.numbers.rows)


def test_scores_are_drawn_instead_of_ranks() -> None:
    figure = drawn(RANKS, SCORES, by_score=True)
    assert figure.data[0]["y"] == [0.5, 0.5, 0.5504]
    low, high = figure.layout["yaxis"]["range"]
    assert low < 0.5
    assert high > 0.6
    assert figure.numbers.rows[0][1:] == ("0.500", "")
    low, high = drawn(RANKS, SCORES, by_score=True, metric="fer").layout["yaxis"]["range"]
    assert low > high, "the best is at the top where lower is better"


@pytest.mark.parametrize("deepest", [2, 200])
def test_names_stand_at_the_ends_of_their_lines(deepest: int) -> None:
    figure = drawn([(1, None), (1, deepest)], [(0.6, None), (0.6, 0.5)])
    *labels, _ = figure.layout["annotations"]
    assert [label["text"] for label in labels] == ["Team 0", "Team 1 (yours)"]
    assert [label["y"] for label in labels] == [1, deepest]
    assert {label["x"] for label in labels} == {figure.data[0]["x"][-1]}
    assert [label["ay"] for label in labels] == [0, 0], "far enough apart to stay where they are"
    assert not figure.layout["showlegend"]


def test_names_of_ends_at_one_place_move_apart() -> None:
    ends = [LineEnd(f"<b>{'x' * 40}", 1, 5, 0), LineEnd("Other", 1, 5, 1)]
    one, other = end_labels(ends, "now", 100)
    assert other["ay"] - one["ay"] >= 14
    assert len(one["text"]) < 30
    assert "<" not in one["text"]


@pytest.mark.parametrize("wanted", [[], [3.0], [0, 0, 0], [100, 100, 99], [50, 10, 50], [5] * 30])
def test_places_keep_their_order_their_distance_and_the_height(wanted: list[float]) -> None:
    places = spread_apart(wanted, 100)
    assert all(-0.001 <= place <= 100.001 for place in places)
    least = min(14, 100 / max(1, len(wanted) - 1))
    apart = sorted(places)
    assert all(b - a >= least - 0.001 for a, b in pairwise(apart))
    for one, here in zip(wanted, places, strict=True):
        for other, there in zip(wanted, places, strict=True):
            assert one >= other or here < there
