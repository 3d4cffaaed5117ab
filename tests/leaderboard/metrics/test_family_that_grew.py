"""A metric that a family has gained: systems scored before have no value, and all else stands."""

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import MetricResult
from leaderboard.services.ranking.snapshots import phase_freeze
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.one_database


def test_systems_scored_before_have_no_value_of_it(cast: Cast) -> None:
    before, since = (submit(cast.phase, TeamFactory.create(), name=name) for name in ("Oak", "Elm"))
    finish(before, value=0.9)
    finish(since, value=0.4)
    before.results.get(metric="aces_balanced").delete()
    address = cast.at("board")
    columns = "?systems=all&columns=aces&columns=aces_balanced"
    seen = text(cast.client(None).get(address + columns).content)
    assert "Not comparable" not in seen
    assert "n/a" in seen
    cast.rules(ranking_metric="aces_balanced")
    assert "Elm" in text(cast.client(None).get(address).content)
    page = reverse("leaderboard:system", args=[before.public_id])
    assert cast.client(None).get(page).status_code == 200


def test_two_signatures_of_a_family_are_no_two_computations_of_a_frozen_metric(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.selectors.board.table.PER_PAGE", 1)
    for name in ("Oak", "Elm"):
        finish(submit(cast.phase, TeamFactory.create(), name=name))
    MetricResult.objects.filter(metric="aces_balanced").update(signature="aces_balanced|beta:1")
    phase_freeze(phase=cast.phase, actor=cast.organiser, now=timezone.now())
    address = cast.at("board")
    shown = f"{address}?systems=all&columns=all"
    assert "Not comparable" not in text(cast.client(None).get(shown).content)
