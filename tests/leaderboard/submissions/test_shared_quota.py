"""One person's quota counts across the teams they made; who merely joined has no part in it."""

from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from leaderboard.models import Phase, Submission, Team, TeamRole, User
from leaderboard.selectors.submissions.quotas import quota_of
from leaderboard.services.people.accounts import account_delete
from leaderboard.services.people.teams import team_create
from leaderboard.services.submissions.accepting import QuotaSpent
from tests.factories import NOW, PhaseFactory, TeamFactory, UserFactory, join, submit
from tests.leaderboard.at_once import outcomes


def team_of(user: User, name: str) -> Team:
    return team_create(name=name, affiliation="", owner=user, now=NOW)


@pytest.mark.django_db
@pytest.mark.parametrize("limit", ["quota_per_day", "quota_total"])
def test_teams_that_one_person_made_share_a_quota(limit: str) -> None:
    phase = PhaseFactory.create(**{limit: 2})
    maker, mate = UserFactory.create(), UserFactory.create()
    first, second = team_of(maker, "First"), team_of(maker, "Second")
    join(first, mate)
    submit(phase, first, user=mate, now=NOW)
    left = quota_of(phase=phase, team=second, now=NOW)
    assert (left.left, left.elsewhere) == (1, 1)
    submit(phase, second, user=maker, now=NOW)
    with pytest.raises(QuotaSpent, match="1 is another team's"):
        submit(phase, second, user=maker, now=NOW)
    # The maker's leaving makes no room.
    join(second, mate, TeamRole.OWNER)
    second.memberships.filter(user=maker).delete()
    with pytest.raises(QuotaSpent):
        submit(phase, second, user=mate, now=NOW)


@pytest.mark.django_db
def test_who_merely_joined_has_their_own_teams_quota() -> None:
    phase = PhaseFactory.create(quota_per_day=1)
    maker, mate = UserFactory.create(), UserFactory.create()
    joint, own = team_of(maker, "Joint"), team_of(mate, "Own")
    join(joint, mate)
    submit(phase, joint, user=mate, now=NOW)
    submit(phase, own, user=mate, now=NOW)
    # Nor do teams that the site's own people made without a person share anything.
    for team in TeamFactory.create_batch(2):
        submit(phase, team, user=mate, now=NOW)


@pytest.mark.django_db
def test_a_phase_may_give_each_team_a_quota() -> None:
    phase, maker = PhaseFactory.create(quota_per_day=1, quota_shared=False), UserFactory.create()
    for name in ("First", "Second"):
        submit(phase, team_of(maker, name), user=maker, now=NOW)
    assert Phase().quota_shared, "new phases share"


@pytest.mark.django_db(transaction=True)
def test_uploads_of_two_teams_at_once_take_one_place() -> None:
    phase, maker = PhaseFactory.create(quota_per_day=1), UserFactory.create()
    teams = [team_of(maker, "First"), team_of(maker, "Second")]
    said = outcomes(*(partial(submit, phase, team, user=maker, now=NOW) for team in teams))
    assert sorted(said) == ["", "QuotaSpent"]
    assert Submission.objects.count() == 1


def migrated() -> Any:
    return import_module("leaderboard.migrations.0018_shared_quotas").fill_in_makers(apps, None)


@pytest.mark.django_db
def test_who_made_the_teams_that_exist_is_read_from_the_audit_log() -> None:
    maker, other = UserFactory.create(), UserFactory.create()
    made, silent, nobodys = team_of(maker, "Made"), TeamFactory.create(), TeamFactory.create()
    join(made, other, TeamRole.OWNER)
    join(silent, maker)
    join(silent, other, TeamRole.OWNER)
    Team.objects.update(created_by=None)
    migrated()
    found = dict(Team.objects.values_list("slug", "created_by"))
    assert found == {made.slug: maker.pk, silent.slug: other.pk, nobodys.slug: None}


@pytest.mark.django_db
def test_a_team_outlives_the_account_of_who_made_it() -> None:
    maker, mate = UserFactory.create(), UserFactory.create()
    team = team_of(maker, "Left")
    join(team, mate, TeamRole.OWNER)
    account_delete(user=maker, now=timezone.now() + timedelta(days=1))
    team.refresh_from_db()
    assert team.created_by is None
