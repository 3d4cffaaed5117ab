"""Descriptors of several sets: one row each, told apart by form as well as by colour."""

from types import SimpleNamespace
from typing import Any, cast

from leaderboard.selectors.figures.words import descriptors_figure


def test_sets_differ_in_form_and_all_shares_are_in_view() -> None:
    names = ("References", "One", "Other")
    sets = [SimpleNamespace(name=name, system=at or None) for at, name in enumerate(names)]
    cells = [SimpleNamespace(count=at, share=share) for at, share in enumerate((0.5, 0.8, 0.0))]
    rows = [
        SimpleNamespace(label="WHO", cells=cells),
        SimpleNamespace(label="HOW", cells=[*cells[:2], SimpleNamespace(count=0, share=None)]),
    ]
    figure = descriptors_figure(cast("Any", sets), cast("Any", rows), "captions")
    assert len({trace["marker"]["symbol"] for trace in figure.data}) == 3
    assert figure.data[0]["meta"]["tone"] == "soft"
    assert figure.data[2]["x"] == [0.0, None]
    low, high = figure.layout["xaxis"]["range"]
    assert low < 0
    assert high > 0.8
    assert figure.numbers.rows[1][-1] == ""
