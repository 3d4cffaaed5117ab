"""Deleting one's account: what is proved, what is refused, what goes and what stays."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation
from annotation.services.projects import member_add
from leaderboard.models import (
    ApiToken,
    AuditEvent,
    Membership,
    Submission,
    Team,
    TeamInvitation,
    TeamRole,
    User,
)
from leaderboard.services.people.accounts import token_create
from leaderboard.services.people.invitations import invitation_create
from tests.annotation.conftest import make_project
from tests.factories import NOW, PASSWORD, TeamFactory, UserFactory, join, submit
from tests.leaderboard.conftest import Cast

PATH = "/account/delete/"


def farewell(client: Client, **fields: str) -> int:
    return client.post(PATH, fields or {"password": PASSWORD}).status_code


def gone(user: User) -> bool:
    return not User.objects.filter(pk=user.pk).exists()


def test_everything_personal_goes_and_the_trail_keeps_the_number_alone(cast: Cast) -> None:
    EmailAddress.objects.create(user=cast.member, email=cast.member.email, primary=True)
    token_create(user=cast.member, name="laptop")
    invitation_create(team=cast.team, actor=cast.member, now=NOW)
    client, other_browser = cast.client(cast.member), cast.client(cast.member)
    number, name = cast.member.pk, cast.member.username
    assert "Deleted:" in client.get(PATH).content.decode()
    assert farewell(client) == 302
    assert gone(cast.member)
    assert not EmailAddress.objects.filter(email=cast.member.email).exists()
    for table in (ApiToken, TeamInvitation):
        assert not table.objects.exists()
    assert not Membership.objects.filter(user_id=number).exists()
    sessions = [row.get_decoded().get("_auth_user_id") for row in Session.objects.all()]
    assert str(number) not in sessions
    for browser in (client, other_browser):
        assert browser.get(reverse("leaderboard:account")).status_code == 302
    assert mail.outbox[-1].to == [cast.member.email]
    assert "was deleted" in mail.outbox[-1].subject
    event = AuditEvent.objects.get(action="account.delete")
    assert (event.actor_id, event.target) == (number, f"User {number}")
    told = " ".join(f"{row.target} {row.details}" for row in AuditEvent.objects.all())
    assert name not in told.split()


def test_what_was_submitted_stays_under_the_teams_name(cast: Cast) -> None:
    team = TeamFactory.create(name="Alone")
    join(team, cast.outsider, TeamRole.OWNER)
    submission = submit(cast.phase, team, user=cast.outsider)
    empty = TeamFactory.create()
    join(empty, cast.outsider, TeamRole.OWNER)
    assert farewell(cast.client(cast.outsider)) == 302
    kept = Submission.objects.get(pk=submission.pk)
    assert kept.team == team
    assert kept.submitted_by is None
    assert not Team.objects.filter(pk=empty.pk).exists()
    page = Client().get(cast.at("board"))
    assert page.status_code == 200
    assert cast.outsider.username not in page.content.decode()


def test_a_team_of_others_is_left_as_it_was(cast: Cast) -> None:
    submit(cast.phase, cast.team, user=cast.member)
    farewell(cast.client(cast.member))
    assert list(cast.team.memberships.values_list("user", flat=True)) == [cast.owner.pk]


@pytest.mark.parametrize("fields", [{"password": "wrong"}, {"password": ""}, {"x": "y"}])
def test_without_the_password_nothing_happens(cast: Cast, fields: dict[str, str]) -> None:
    assert farewell(cast.client(cast.member), **fields) == 422
    assert not gone(cast.member)


def test_who_has_no_password_types_the_name(cast: Cast) -> None:
    cast.member.set_unusable_password()
    cast.member.save()
    client = cast.client(cast.member)
    assert farewell(client, username="another") == 422
    assert not gone(cast.member)
    assert farewell(client, username=cast.member.username) == 302
    assert gone(cast.member)


def test_guessing_the_password_here_is_slowed_down(cast: Cast) -> None:
    client = cast.client(cast.member)
    codes = [farewell(client, password=f"guess {number}") for number in range(7)]
    assert codes[-1] == 429
    assert not gone(cast.member)


def test_the_only_owner_of_a_team_with_others_reads_what_to_do(cast: Cast) -> None:
    client = cast.client(cast.owner)
    page = client.get(PATH).content.decode()
    assert "only owner of " + cast.team.name in page
    assert "Make one of them an owner first" in page
    assert farewell(client) == 422
    assert not gone(cast.owner)
    cast.team.memberships.filter(user=cast.member).update(role=TeamRole.OWNER)
    User.objects.filter(pk=cast.member.pk).update(is_active=False)
    assert farewell(client) == 422, "who is shut out is no other owner"
    assert not AuditEvent.objects.filter(action="account.delete").exists()
    User.objects.filter(pk=cast.member.pk).update(is_active=True)
    assert farewell(client) == 302


def test_the_only_organiser_hands_over_first(cast: Cast) -> None:
    client = cast.client(cast.organiser)
    assert "Hand it over" in client.get(PATH).content.decode()
    assert farewell(client) == 422
    cast.phase.challenge.organisers.add(cast.outsider)
    assert farewell(client) == 302
    assert list(cast.phase.challenge.organisers.all()) == [cast.outsider]


def test_the_only_manager_of_a_labelling_project_hands_over_first(cast: Cast) -> None:
    project = make_project(cast.outsider)
    client = cast.client(cast.outsider)
    member_add(project=project, user=cast.member)
    page = client.get(PATH).content.decode()
    assert f"only manager of {project.name}" in page
    assert farewell(client) == 422
    project.members.filter(user=cast.member).update(role="manager")
    assert farewell(client) == 302


def test_what_was_labelled_stays_without_the_name(cast: Cast) -> None:
    project = make_project()
    member_add(project=project, user=cast.member)
    item, now = project.items.all()[0], timezone.now()
    Annotation.objects.create(item=item, user=cast.member, edit="1", created_at=now, updated_at=now)
    assert farewell(cast.client(cast.member)) == 302
    left = Annotation.objects.get(item=item)
    assert left.user_id != cast.member.pk
    assert cast.member.username not in left.user.username
    assert not left.user.is_active


def test_the_last_with_all_rights_stays(cast: Cast) -> None:
    boss = UserFactory.create(is_superuser=True)
    assert farewell(cast.client(boss)) == 422
    UserFactory.create(is_superuser=True)
    assert farewell(cast.client(boss)) == 302
