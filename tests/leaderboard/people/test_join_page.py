"""Joining a team by an invitation link."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Membership, TeamInvitation, TeamRole
from leaderboard.services.people.invitations import invitation_create
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database


@pytest.fixture
def invitation(cast: Cast) -> TeamInvitation:
    return invitation_create(team=cast.team, actor=cast.owner, now=timezone.now())


def address(invitation: TeamInvitation) -> str:
    return reverse("leaderboard:team-join", args=[invitation.token])


def test_opening_the_link_shows_the_team_and_confirming_joins_as_a_member(
    cast: Cast, invitation: TeamInvitation
) -> None:
    client = cast.client(cast.outsider)
    assert f"Join {cast.team.name}" in client.get(address(invitation)).content.decode()
    assert cast.team.memberships.count() == 2
    response = client.post(address(invitation))
    assert response["Location"] == reverse("leaderboard:team", args=[cast.team.slug])
    assert Membership.objects.get(team=cast.team, user=cast.outsider).role == TeamRole.MEMBER
    # Who is in already loses nothing by it.
    owner = cast.client(cast.owner)
    assert owner.post(address(invitation)).status_code == 302
    assert Membership.objects.get(team=cast.team, user=cast.owner).role == TeamRole.OWNER
    assert "already a member of this team" in owner.get(address(invitation)).content.decode()


def test_nobody_logs_in_or_signs_up_first_and_comes_back(
    cast: Cast, invitation: TeamInvitation
) -> None:
    client = cast.client(None)
    login = client.get(address(invitation))["Location"]
    assert login == f"{reverse('account_login')}?next={address(invitation)}"
    page = client.get(login).content.decode()
    assert f"{reverse('account_signup')}?next={address(invitation).replace('/', '%2F')}" in page


@pytest.mark.parametrize("how", ["expired", "revoked", "made up"])
def test_a_link_that_does_not_work_says_so_and_names_no_team(
    cast: Cast, invitation: TeamInvitation, how: str
) -> None:
    page = address(invitation)
    if how == "expired":
        invitation.expires_at = timezone.now() - timedelta(seconds=1)
        invitation.save()
    elif how == "revoked":
        invitation.delete()
    else:
        page = reverse("leaderboard:team-join", args=["x" * 32])
    client = cast.client(cast.outsider)
    for response in (client.get(page), client.post(page)):
        assert response.status_code == 404
        assert "Ask the team for a new link" in response.content.decode()
        assert cast.team.name not in response.content.decode()
    assert cast.team.memberships.count() == 2


def test_a_link_with_a_character_that_databases_refuse_does_not_exist(cast: Cast) -> None:
    assert cast.client(cast.outsider).get("/teams/join/%00/").status_code == 404
