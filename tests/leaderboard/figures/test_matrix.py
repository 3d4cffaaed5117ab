"""Matrices: each pair once, a key, and chance told by a word."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from django.urls import reverse

from earmark.registry import METRICS
from leaderboard.models import Submission
from leaderboard.selectors.analysis.ranking_stability import MetricAgreement, RankStability
from leaderboard.selectors.figures.figure import Figure, shortened_apart
from leaderboard.selectors.figures.lab import MOST_LETTERS
from leaderboard.selectors.figures.labellers import confusion_figure
from leaderboard.selectors.figures.matrix import p_class
from leaderboard.selectors.figures.ranking import (
    agreement_figure,
    rank_probability_figure,
    significance_figure,
)
from tests.factories import TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.figures.test_figures import figures_of
from tests.leaderboard.scored_pages import scored


def stability(*names: str, pairs: Any = None, probabilities: Any = None) -> RankStability:
    systems = tuple(Submission(system_name=name) for name in names)
    table = SimpleNamespace(systems=systems, info=METRICS["fense"])
    return cast(
        "RankStability", SimpleNamespace(table=table, pairs=pairs, probabilities=probabilities)
    )


@pytest.fixture
def significance() -> Figure:
    pairs = np.array([[1, 0.0004, 0.3], [0.0004, 1, 0.0312], [0.3, 0.0312, 1]])
    return significance_figure(stability("One", "Two", "Three", pairs=pairs))


def test_every_pair_of_systems_is_drawn_once(significance: Figure) -> None:
    trace = significance.data[0]
    assert (trace["x"], trace["y"]) == (["One", "Two"], ["Two", "Three"])
    assert trace["z"] == [[3, None], [0, 1]]
    # The table finds a pair from both sides.
    assert significance.numbers.rows[0] == ("One", "", "<.001", ".300")
    assert significance.numbers.rows[2] == ("Three", ".300", ".031", "")


def test_a_difference_that_may_be_chance_is_told_by_a_word(significance: Figure) -> None:
    trace = significance.data[0]
    assert trace["text"] == [["<.001", ""], ["n.s.", ".031"]]
    assert trace["customdata"][1] == ["p = .300, not significant", "p = .031"]
    assert trace["customdata"][0][0] == "p &lt;.001"
    assert "%{customdata}" in trace["hovertemplate"]
    assert significance.layout["xaxis2"]["ticktext"] == ["n.s.", "< .05", "< .01", "< .001"]


@pytest.mark.parametrize(
    ("value", "place"), [(1, 0), (0.05, 0), (0.0499, 1), (0.01, 1), (0.001, 2), (0.0009, 3), (0, 3)]
)
def test_classes_of_p_values(value: float, place: int) -> None:
    assert p_class(value) == place


def test_correlations_of_metrics_stand_once_and_short_in_their_cells() -> None:
    metrics = tuple(METRICS[name] for name in ("fense", "aces", "sbf"))
    values = np.array([[1, 0.25, -0.5], [0.25, 1, np.nan], [-0.5, np.nan, 1]])
    figure = agreement_figure(MetricAgreement(metrics, values, "kendall", "clips"), "over-clips")
    trace = figure.data[0]
    assert trace["z"] == [[0.25, None], [-0.5, None]]
    assert trace["text"] == [[".25", ""], ["\N{MINUS SIGN}.50", ""]]
    assert trace["customdata"][1][0] == "-0.50"
    assert figure.numbers.rows[0] == ("FENSE", "1.00", "0.25", "-0.50")


def test_every_matrix_has_a_key_of_the_same_colours(significance: Figure) -> None:
    confusion = confusion_figure(["a", "b"], [[3, 1], [0, 2]], ("One", "Other"), str.upper)
    ranks = rank_probability_figure(
        stability("One", "Two", probabilities=np.array([[0.9, 0.1], [0.1, 0.9]]))
    )
    for figure in (significance, confusion, ranks):
        trace, key = figure.data
        assert (key["xaxis"], key["yaxis"]) == ("x2", "y2")
        assert (key["zmin"], key["zmax"]) == (trace["zmin"], trace["zmax"])
        assert key["meta"] == trace["meta"]
        assert figure.layout["yaxis"]["domain"][1] < figure.layout["yaxis2"]["domain"][0]
        assert figure.layout["annotations"][0]["text"]
    assert confusion.data[0]["text"] == [["3", "1"], ["", "2"]]
    assert confusion.data[0]["z"] == [[0.75, 0.25], [0, 1]]
    assert ranks.layout["xaxis"]["title"]["text"] == "Rank"
    assert not ranks.layout["yaxis"]["title"]["text"], "names say what they are"


LONG = ("Baseline transformer large", "Baseline transformer small")
INSIDE = (
    "Conformer, beam 4, with BART",
    "Conformer, beam 8, with BART",
    "Conformer, all with BART",
)


@pytest.mark.parametrize(
    "names",
    [
        LONG,
        INSIDE,
        ("The same name for two of us", "The same name for two of us"),
        ("Same", "Same", "Same (2)"),
        (*(f"Ensemble of networks {at} with rescoring" for at in range(40)), "Echo"),
    ],
)
def test_names_that_are_cut_stay_apart(names: tuple[str, ...]) -> None:
    cut = shortened_apart(names, MOST_LETTERS)
    assert len(set(cut)) == len(names)
    assert max(map(len, cut)) <= MOST_LETTERS
    assert all(short == name for short, name in zip(cut, names, strict=True) if name == "Echo")


def _names(figure: Figure) -> list[str]:
    return [note["text"] for note in figure.layout["annotations"]]


@pytest.mark.django_db
@pytest.mark.parametrize("hidden", [False, True])
def test_ranks_begin_with_the_metric_that_decides_and_leave_counts_out(
    cast: Cast, *, hidden: bool
) -> None:
    cast.rules(ranking_metric="fense", references_public=not hidden)
    for place, name in enumerate(INSIDE):
        system = scored(cast.phase, TeamFactory.create(), name, 0.9 - place / 10)
        system.results.filter(metric="vocab").update(value=100 * place)
    args = [cast.phase.challenge.slug, cast.phase.slug]
    found, _ = figures_of(cast.client(None), reverse("leaderboard:analysis", args=args))
    (figure,) = [one for one in found if one.name == "ranks-by-metric"]
    metrics = figure.numbers.headings[1:]
    assert metrics[0] == "FENSE"
    assert "Vocabulary" not in metrics
    notes = figure.layout["annotations"]
    assert {note["x"] for note in notes} == {"FENSE"}
    assert [note["y"] for note in notes] == [1, 2, 3]
    assert [note["xanchor"] for note in notes] == ["right"] * 3
    assert len(set(_names(figure))) == 3
    answer = cast.client(None).get("/api/v1/phases/{}/{}/analysis".format(*args))
    if not hidden:
        ranks = answer.json()["ranks_by_metric"]
        assert (ranks[0]["metric"], ranks[0]["ranks"]) == ("fense", [1, 2, 3])
        assert "vocab" not in [row["metric"] for row in ranks]


@pytest.mark.django_db
def test_the_lab_tells_systems_apart(cast: Cast) -> None:
    for place, name in enumerate(INSIDE):
        scored(cast.phase, TeamFactory.create(), name, 0.9 - place / 10)
    args = [cast.phase.challenge.slug, cast.phase.slug]
    address = reverse("leaderboard:lab", args=args) + "?metric=rouge_l"
    (figure,), _ = figures_of(cast.client(cast.organiser), address)
    for side in (0, 1):
        assert len({trace["text"][side] for trace in figure.data}) == 3
