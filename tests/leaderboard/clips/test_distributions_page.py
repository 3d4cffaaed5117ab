"""Distributions and pairs of metrics: of what was chosen, and only for who may see it."""

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.models import MetricResult, Phase, Submission
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import PhaseFactory, TeamFactory, finish, submit
from tests.leaderboard.analysis.test_analysis_page import HOSTILE, set_clips
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def url(phase: Phase, query: str = "") -> str:
    address = reverse("leaderboard:distributions", args=[phase.challenge.slug, phase.slug])
    return address + query


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Two systems and the human row, with clips of known CB-scores and FENSE."""
    found = []
    for name, clips in (("First", [0, 0, 0.5, 1, 1]), ("Second", [0, 0.25, 0.25, 0.5, 0.5])):
        system = scored(cast.phase, TeamFactory.create(), f"{name} {HOSTILE}", 0.5)
        set_clips(system, "cb_score", clips)
        set_clips(system, "fense", [float("nan"), 0.1, 0.2, 0.3, 0.4])
        found.append(system)
    human = human_row_create(phase=cast.phase, actor=None, now=timezone.now())
    finish(human, value=0.9)
    set_clips(human, "cb_score", [0.5, 0.5, 1, 1, 1])
    return [*found, human]


def figures(content: bytes) -> dict[str, Any]:
    """The figures of a page by their names."""
    found = re.findall(
        r'<script id="([\w-]+)-data" type="application/json">(.*?)</script>', content.decode()
    )
    return {name: json.loads(data) for name, data in found}


def test_shares_at_0_and_1_beside_the_human_row(cast: Cast, systems: list[Submission]) -> None:
    seen = text(cast.client(None).get(url(cast.phase)).content)
    assert f"First {HOSTILE} 0.500 0.500 40.0 % 40.0 %" in seen
    assert f"Second {HOSTILE} 0.300 0.250 20.0 % 0 %" in seen
    assert "Human one against the others 0.800 1.000 0 % 60.0 %" in seen
    assert "1 without a score" in seen


def test_only_what_was_chosen_is_drawn(cast: Cast, systems: list[Submission]) -> None:
    first = systems[0].public_id
    response = cast.client(None).get(
        url(cast.phase, f"?s={first}&metric=spider&metric=meteor&drawing=violin")
    )
    drawn = figures(response.content)
    assert {"spread-spider", "spread-meteor"} <= drawn.keys()
    assert "spread-cb_score" not in drawn
    assert [trace["type"] for trace in drawn["spread-meteor"]["data"]] == ["violin"]


def pair_url(phase: Phase, query: str = "") -> str:
    address = reverse("leaderboard:metric-pair", args=[phase.challenge.slug, phase.slug])
    return address + query


def test_a_point_opens_its_own_clip(cast: Cast, systems: list[Submission]) -> None:
    """The first clip has no FENSE and so no point: the first point is the second clip's."""
    second = systems[1].public_id
    figure = figures(cast.client(None).get(pair_url(cast.phase)).content)[f"clips-of-{second}"]
    assert figure["data"][0]["x"] == [0.25, 0.25, 0.5, 0.5]
    assert figure["data"][0]["y"] == [0.1, 0.2, 0.3, 0.4]
    assert figure["links"] == [f"/s/{second}/clips/{number}/" for number in range(2, 6)]


def test_two_metrics_have_all_systems_and_the_clips_on_which_they_disagree(
    cast: Cast, systems: list[Submission]
) -> None:
    set_clips(systems[0], "fense", [0.9, 0.2, 0.3, 0.4, 0.5])
    page = cast.client(None).get(pair_url(cast.phase, f"?of={systems[0].public_id}"))
    drawn = figures(page.content)
    assert len(drawn["systems-by-both"]["data"][0]["x"]) == len(systems)
    rows = re.findall(r'<th role="rowheader".*?</tr>', page.content.decode(), re.S)
    # It is among the last by CB-score and the first by FENSE.
    assert f"/s/{systems[0].public_id}/clips/1/" in rows[0]
    assert text(f"<main>{rows[0]}</main>".encode()).endswith("0.000 0.900")


def test_where_clips_are_hidden_two_metrics_have_the_systems_alone(
    cast: Cast, systems: list[Submission]
) -> None:
    cast.rules(references_public=False)
    client = cast.client(None)
    page = client.get(pair_url(cast.phase))
    assert list(figures(page.content)) == ["systems-by-both"]
    assert "Clips of" not in text(page.content)
    assert client.get(pair_url(cast.phase, f"?of={systems[0].public_id}")).status_code == 404


def test_that_systems_are_scored_otherwise_is_said(cast: Cast, systems: list[Submission]) -> None:
    warning = "were not scored in the same way"
    client = cast.client(None)
    # The human row always has a signature of its own and says so in its line.
    assert warning not in text(client.get(url(cast.phase)).content)
    MetricResult.objects.filter(submission=systems[0], metric="fense").update(signature="other")
    query = "?metric=fense&drawing=violin"
    assert warning in text(client.get(url(cast.phase, query)).content)


def test_a_metric_without_any_score_draws_nothing(cast: Cast, systems: list[Submission]) -> None:
    for system in systems:
        set_clips(system, "aces", [float("nan")] * 5)
    page = cast.client(None).get(url(cast.phase, "?metric=aces"))
    assert "None of these systems has a score" in text(page.content)
    waits = submit(PhaseFactory.create(), cast.team)
    seen = text(cast.client(None).get(url(waits.phase)).content)
    assert "The first systems are still being scored" in seen


def test_systems_of_another_phase_do_not_exist(cast: Cast, systems: list[Submission]) -> None:
    elsewhere = scored(PhaseFactory.create(), cast.team, "Elsewhere", 0.5)
    for address in (url(cast.phase, "?s="), pair_url(cast.phase, "?of=")):
        page = cast.client(cast.owner).get(f"{address}{elsewhere.public_id}")
        assert page.status_code == 404


ASKED = st.sampled_from(["metric", "drawing", "x", "y", "page"])
GIVEN = st.sampled_from(["", "vocab", "cb_score", "spider_max", "\0", "violin", HOSTILE, "é"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.tuples(ASKED, GIVEN), max_size=12).map(urlencode))
def test_no_address_breaks_it(cast: Cast, systems: list[Submission], query: str) -> None:
    for address in (url, pair_url):
        page = cast.client(None).get(address(cast.phase, f"?{query}"))
        assert page.status_code == 200
        assert HOSTILE not in page.content.decode()


def test_the_api_gives_the_numbers_of_the_page(cast: Cast, systems: list[Submission]) -> None:
    address = f"/api/v1/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/distributions"
    client = cast.client(None)
    told = client.get(f"{address}?metric=cb_score").json()["metrics"][0]
    rows = {row["system"]["id"]: row for row in told["systems"]}
    assert list(rows) == [system.public_id for system in systems]
    first, human = rows[systems[0].public_id], rows[systems[2].public_id]
    assert (first["mean"], first["at_zero"], first["at_one"]) == (0.5, 0.4, 0.4)
    assert (first["competes"], human["competes"]) == (True, False)
    assert len(first["shares"]) == len(told["edges"]) - 1
    assert sum(first["shares"]) == pytest.approx(1)
    only = client.get(f"{address}?s={systems[1].public_id}&metric=fense").json()
    assert [row["system"]["id"] for row in only["metrics"][0]["systems"]] == [systems[1].public_id]
    assert client.get(f"{address}?s=nothing").status_code == 404
    assert "Choose from" in client.get(f"{address}?metric=nothing").json()["detail"]
