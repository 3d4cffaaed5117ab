"""Names of systems where a figure has little room, and where they stand."""

import pytest
from django.urls import reverse

from leaderboard.selectors.figures.figure import Figure, shortened_apart
from leaderboard.selectors.figures.lab import MOST_LETTERS
from tests.factories import TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.figures.test_figures import figures_of
from tests.leaderboard.scored_pages import scored

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
