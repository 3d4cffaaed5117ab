"""What tricks gain, where people choose a metric: its page, the comparison, boards, API."""

import pytest
from django.test import Client
from django.urls import reverse

from earmark.registry import METRICS
from earmark.tricks.captions import TRICKS
from earmark.tricks.false_sounds import measured_false_sounds
from earmark.tricks.measuring import measured_tricks
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.django_db

RAISED = next(name for name, row in measured_tricks().metrics.items() if row.raised_by)
FIRM = next(name for name, row in measured_tricks().metrics.items() if not row.raised_by)
LABELS = {trick.name: trick.label for trick in TRICKS}


def test_the_page_of_a_metric_names_the_tricks_that_raise_it() -> None:
    client = Client()
    seen = text(client.get(reverse("leaderboard:metric", args=[RAISED])).content)
    for name in measured_tricks().metrics[RAISED].raised_by:
        assert LABELS[name] in seen
    firm = text(client.get(reverse("leaderboard:metric", args=[FIRM])).content)
    assert f"None of the {len(TRICKS)} tricks that were tried raises it" in firm


def test_the_comparison_of_metrics_and_the_api_have_all_values() -> None:
    seen = text(Client().get(reverse("leaderboard:metrics-agreement")).content)
    told = Client().get("/api/v1/metrics/agreement").json()["tricks"]
    assert [row["metric"] for row in told["metrics"]] == [*measured_tricks().metrics]
    for row in told["metrics"]:
        kept = measured_tricks().metrics[row["metric"]]
        assert row["values"] == kept.values
        assert row["raised_by"] == [*kept.raised_by]
    worst = measured_tricks().metrics[RAISED]
    value = worst.values[worst.raised_by[0]]
    assert f"better than honest: {value:.{METRICS[RAISED].decimals}f}" in seen


def test_a_board_says_so_where_its_ranking_metric_is_raised(cast: Cast) -> None:
    finish(submit(cast.phase, TeamFactory.create()))
    address = cast.at("board")
    mark = "this metric."
    for name, told in ((RAISED, True), (FIRM, False)):
        cast.rules(ranking_metric=name)
        assert (mark in text(cast.client(None).get(address).content)) is told


def test_each_metric_says_in_how_many_cases_a_false_sound_is_better() -> None:
    kept = measured_false_sounds().metrics
    seen = text(Client().get(reverse("leaderboard:metric", args=["aces"])).content)
    assert f"gives a better value in {kept['aces'].percent:.0f} % of the cases" in seen
    assert f"computed together with it, is better in {firm():.0f} %" in seen
    told = Client().get("/api/v1/metrics/agreement").json()["false_sounds"]
    assert [row["metric"] for row in told] == [*kept]
    assert told[0]["system"]["better"] == kept[told[0]["metric"]].system.better


def firm() -> float:
    return measured_false_sounds().metrics["aces_balanced"].percent


def test_a_board_says_so_where_a_false_sound_often_is_better(cast: Cast) -> None:
    finish(submit(cast.phase, TeamFactory.create()))
    address = cast.at("board")
    for name, told in (("aces", True), ("aces_balanced", False)):
        cast.rules(ranking_metric=name)
        seen = text(cast.client(None).get(address).content)
        assert ("A sound that is not there, added to a caption" in seen) is told
        assert (f"ACES balanced in {firm():.0f} %" in seen) is told
