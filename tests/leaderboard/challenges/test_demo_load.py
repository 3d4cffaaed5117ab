"""Protect what loading the demo challenge leaves behind."""

from datetime import timedelta

import pytest

from leaderboard.demo import TEAM_NAME
from leaderboard.demo.load import demo_load
from leaderboard.models import Kind, Submission, Team
from tests.factories import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_the_systems_came_one_after_another_and_once() -> None:
    """Else the history of ranks would be a single moment."""
    phase = demo_load(now=NOW)[0].phase
    systems = Submission.objects.filter(kind=Kind.SYSTEM).order_by("pk")
    times = list(systems.values_list("created_at", flat=True))
    assert len(times) == 6
    assert times == sorted(set(times))
    assert phase.opens_at is not None
    assert phase.opens_at < times[0] < times[-1] < NOW
    assert demo_load(now=NOW + timedelta(days=1)) == []


def test_the_made_up_teams_are_nobodys_who_can_log_in() -> None:
    """Else the first thing an organiser sees is a board on which every row is their own."""
    demo_load(now=NOW)
    teams = Team.objects.exclude(name=TEAM_NAME).filter(memberships__isnull=False)
    owners = {member.user for team in teams for member in team.memberships.all()}
    assert len(teams) == 6
    assert not any(owner.is_active or owner.has_usable_password() for owner in owners)
