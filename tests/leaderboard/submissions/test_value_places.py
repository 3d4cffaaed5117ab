"""Where the values of a system stand among its phase's, live and frozen, and in words."""

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import MetricResult, Submission
from leaderboard.selectors.submissions.system_report import SystemReport, report_of
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.services.ranking.snapshots import phase_freeze
from tests.factories import TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def value(submission: Submission, metric: str, value: float) -> None:
    MetricResult.objects.filter(submission=submission, metric=metric).update(value=value)


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Four systems in the order of the ranking metric; the first is worst by errors."""
    rows = [
        scored(cast.phase, TeamFactory.create(), f"System {number}", 0.8 - number / 10)
        for number in range(4)
    ]
    for number, row in enumerate(rows):
        value(row, "fer", 0.4 - number / 10)
    return rows


def report(submission: Submission) -> SystemReport:
    return report_of(submission, with_others=True)


def place_of(found: SystemReport, metric: str) -> tuple[int, int]:
    place = next(place for item, place in found.leading if item.info.name == metric)
    assert place is not None
    return place.place, place.of


def test_places_count_better_values_by_the_metric_s_direction(systems: list[Submission]) -> None:
    for number, row in enumerate(systems):
        assert place_of(report(row), "cider_d") == (number + 1, 4)
    summary = report(systems[0]).summary
    assert summary is not None
    assert summary.worst is not None
    named = {place.info.name for place in summary.best.places}
    assert "cider_d" in named
    assert summary.best.place.place == 1
    assert "fer" in {place.info.name for place in summary.worst.places}
    assert summary.worst.place.place == 4


def test_equal_values_share_the_better_place(systems: list[Submission]) -> None:
    # What is equal as it is shown is equal: the digits behind it would tell of hidden clips.
    value(systems[2], "cider_d", 0.80004)
    assert place_of(report(systems[0]), "cider_d") == (1, 4)
    assert place_of(report(systems[2]), "cider_d") == (1, 4)
    assert place_of(report(systems[1]), "cider_d") == (3, 4)


def test_values_of_another_signature_are_not_counted(systems: list[Submission]) -> None:
    MetricResult.objects.filter(submission=systems[0], metric="cider_d").update(signature="other")
    assert place_of(report(systems[1]), "cider_d") == (1, 3)
    assert place_of(report(systems[0]), "cider_d") == (1, 1)


def test_a_frozen_ranking_has_the_places_of_its_moment(
    cast: Cast, systems: list[Submission]
) -> None:
    phase_freeze(phase=cast.phase, actor=cast.organiser, now=timezone.now())
    cast.phase.refresh_from_db()
    value(systems[3], "cider_d", 0.95)
    content = cast.client(None).get(reverse("leaderboard:system", args=[systems[0].public_id]))
    assert public_view(cast.phase, timezone.now()).until is not None
    assert "CIDEr-D 0.800 0.800 to 0.800 1st of 4" in text(content.content)
    organiser = cast.client(cast.organiser)
    seen = text(organiser.get(reverse("leaderboard:system", args=[systems[0].public_id])).content)
    assert "CIDEr-D 0.800 0.800 to 0.800 2nd of 4" in seen


def test_of_two_systems_nothing_is_said_in_words(cast: Cast) -> None:
    first = scored(cast.phase, cast.team, "First", 0.4)
    scored(cast.phase, TeamFactory.create(), "Second", 0.3)
    assert report(first).summary is None
