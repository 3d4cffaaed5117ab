"""What each kind of figure shows and says of its numbers."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import combinations, pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.datasets.describing import published_sets
from earmark.registry import METRICS
from leaderboard.models import Submission
from leaderboard.selectors.analysis.distributions import SystemSpread, distribution
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.figures.captions import caption_statistics
from leaderboard.selectors.figures.distributions import (
    BarRow,
    bars_in_rows,
    events_figure,
    rows_layout,
)
from leaderboard.selectors.figures.figure import Figure, LineEnd, axis, end_labels, spread_apart
from leaderboard.selectors.figures.ranking import history_figure, scores_figure
from leaderboard.selectors.figures.scatter import against_figure
from leaderboard.selectors.ranking.history import History, RankMoment
from leaderboard.selectors.visibility.ranked_row import RankedRow, RankRange
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
        RankMoment(NOW + timedelta(days=at), tuple(row), tuple(values))
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


def test_scores_are_drawn_instead_of_ranks() -> None:
    figure = drawn(RANKS, SCORES, by_score=True)
    assert figure.data[0]["y"] == [0.5, 0.5, 0.5504]
    low, high = figure.layout["yaxis"]["range"]
    assert low < 0.5
    assert high > 0.6
    assert figure.numbers.rows[0][1:] == ("0.500", "")
    low, high = drawn(RANKS, SCORES, by_score=True, metric="fer").layout["yaxis"]["range"]
    assert low > high, "the best is at the top where lower is better"


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


def spread(metric: str, *values: float) -> SystemSpread:
    scores = np.array(values, dtype=np.float32)
    shown = distribution(scores, METRICS[metric])
    assert shown is not None
    return SystemSpread(
        Submission(system_name="One"), scores.astype(np.float64), shown, (0, 1), "signature"
    )


def drawn_scatter(x: SystemSpread, y: SystemSpread) -> Figure:
    infos = x.distribution.info, y.distribution.info
    names = [f"{at}.wav" for at in range(x.values.size)]
    corpus = SimpleNamespace(file_names=names, captions=names)
    return against_figure(x, y, infos, cast("Any", corpus), names)


def test_axes_hold_every_point_and_go_to_the_ends_of_a_metric() -> None:
    figure = drawn_scatter(
        spread("cb_score", 0.4, 0.5, np.nan, 1.0), spread("sbert_sim", -0.12, 0.3, 0.4, 0.5)
    )
    x, y = (figure.layout[name]["range"] for name in ("xaxis", "yaxis"))
    # Room for half a marker beyond 0 and 1, although no clip is at 0.
    assert x[0] < 0
    assert x[1] > 1
    assert y[0] < -0.12
    assert y[1] > 1
    assert figure.data[0]["x"] == [0.4, 0.5, 1.0], "a clip without one of the scores is left out"


def row(name: str, *shares: float) -> BarRow:
    return BarRow(
        name=name,
        edges=[at / 10 for at in range(len(shares) + 1)],
        shares=shares,
        texts=[f"bin {at}" for at in range(len(shares))],
        mean=0.1,
        mean_text="0.10",
        tone=0,
    )


@pytest.mark.parametrize("count", [1, 6, 8])
def test_rows_do_not_overlap_and_have_one_scale(count: int) -> None:
    rows = [row(f"<b>System {at}</b>", 0.1 * (at + 1), 0.2) for at in range(count)]
    *bars, means = bars_in_rows(rows)
    layout = rows_layout(rows, axis("Score"), "clips")
    low, high = layout["yaxis"]["range"]
    heights = []
    for trace, one in zip(bars, rows, strict=True):
        assert trace["base"] + max(trace["y"]) < trace["base"] + 1, "below the row above"
        assert low < trace["base"] < high
        assert trace["base"] + 1 <= high
        heights += [y / share for y, share in zip(trace["y"], one.shares, strict=True)]
        assert trace["customdata"] == pytest.approx(list(one.shares))
        assert trace["name"].startswith("&lt;b&gt;")
    assert heights == pytest.approx([heights[0]] * len(heights), rel=1e-3)
    assert [x for x in means["x"] if x is not None] == [0.1] * 2 * count
    assert layout["yaxis"]["tickvals"] == [trace["base"] for trace in bars]
    assert all(text.endswith("<br>mean 0.10") for text in layout["yaxis"]["ticktext"])
    assert f"{max(max(one.shares) for one in rows):.0%} of clips" in str(layout["annotations"])
    # Few rows are high enough to be read, many do not shrink to lines.
    assert layout["height"] / count > 50


def test_events_are_counted_below_the_middle_of_their_bars() -> None:
    figure = events_figure([("One", [0.5, 0.5], 0), ("Other", [0.0, 0.25, 0.75], 1)])
    one, other, means = figure.data
    assert one["x"] == other["x"] == [-0.5, 0.5, 1.5]
    assert one["customdata"] == [0.5, 0.5, 0.0]
    assert means["customdata"][0] == "0.50"
    assert means["x"][3] == 1.75
    assert figure.layout["xaxis"]["range"] == [-0.5, 2.5]
    assert figure.numbers.rows[2] == ("2", "0.0%", "75.0%")


def described(**counts: int) -> dict[str, Any]:
    """What is known of a set whose clips have so many captions; the rest as Clotho's."""
    whole: dict[str, Any] = dict(published_sets()[0].figures)
    return {**whole, "captions_per_clip": {**whole["captions_per_clip"], "counts": counts}}


def test_the_set_and_each_published_one_have_a_row() -> None:
    own = described(**{"5": 3})
    words, growth = caption_statistics(own)["figures"]
    *bars, means = words.data
    assert len(bars) == 1 + len(published_sets())
    assert bars[0]["name"] == "This set"
    assert sum(bars[0]["customdata"]) == pytest.approx(1, abs=0.01)
    assert means["x"][0] == pytest.approx(own["words_per_caption"]["mean"], abs=0.01)
    assert growth.name == "vocabulary-growth"


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.sets(st.sampled_from(list(combinations(range(n), 2)))).map(
            lambda pairs: (n, pairs)
        )
    )
)
def test_brackets_join_each_tied_pair_and_no_other(
    drawn_ties: tuple[int, set[tuple[int, int]]],
) -> None:
    count, pairs = drawn_ties
    rows = [
        RankedRow(
            key=at,
            public_id=f"s{at}",
            team=at,
            team_slug=f"t{at}",
            team_name=f"Team {at}",
            system_name=f"System {at}",
            submitted_at=NOW,
            chosen=False,
            rank=at + 1,
            ranking_value=MetricValue("fense", 1 - at / 10, None, None),
            range=RankRange(
                1, count, tuple(sum(pair) - at for pair in sorted(pairs) if at in pair)
            ),
        )
        for at in range(count)
    ]
    phase = SimpleNamespace(ranking=METRICS["fense"], ranking_metric="fense", precision=3)
    figure = scores_figure(cast("Any", phase), rows)
    assert figure is not None
    upright = [mark for mark in figure.layout["shapes"] if mark["x0"] == mark["x1"]]
    assert len({(mark["x0"], mark["y0"]) for mark in upright}) == len(upright)
    joined = set()
    for mark in upright:
        ends = {
            tick["y0"]
            for tick in figure.layout["shapes"]
            if tick["x1"] == mark["x1"] and mark["y0"] <= tick["y0"] == tick["y1"] <= mark["y1"]
        }
        joined |= set(combinations(sorted(ends), 2))
    assert joined == pairs
