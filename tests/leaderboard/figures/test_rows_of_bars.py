"""Distributions of several systems: a row for each, on one axis and of one scale."""

import pytest

from leaderboard.selectors.figures.distributions import events_figure
from leaderboard.selectors.figures.figure import axis
from leaderboard.selectors.figures.rows_of_bars import BarRow, bars_in_rows, rows_layout


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


def test_nothing_anywhere_is_no_division_by_nothing() -> None:
    bars, _ = bars_in_rows([row("Empty", 0.0, 0.0)])
    assert bars["y"] == [0, 0]
