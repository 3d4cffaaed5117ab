"""Who is in a team: invitations by name, roles, leaving, handing over, dissolving."""

from datetime import timedelta
from functools import partial
from html import unescape
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from leaderboard.models import AuditEvent, Membership, Notice, Team, TeamInvitation, TeamRole, User
from leaderboard.selectors.people.teams import owned_team_count
from leaderboard.services.people.teams import (
    MAX_OWNED,
    MOST_OPEN,
    invitation_accept,
    invitation_create,
    invitation_send,
    role_set,
    team_create,
    team_leave,
)
from leaderboard.web.refusals import Refused
from tests.factories import TeamFactory, UserFactory, join, submit
from tests.leaderboard.at_once import at_once, outcomes
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

TEAMS = reverse("leaderboard:teams")


def page_of(team: Team) -> str:
    return reverse("leaderboard:team", args=[team.slug])


def membership(cast: Cast, user: User) -> Membership:
    return Membership.objects.get(team=cast.team, user=user)


def roles(cast: Cast) -> dict[str, str]:
    return dict(cast.team.memberships.values_list("user__username", "role"))


def acts(cast: Cast) -> list[str]:
    rows = AuditEvent.objects.filter(target=cast.team.slug).order_by("pk")
    return list(rows.values_list("action", flat=True))


# -- invitations by name ------------------------------------------------------------


def test_who_is_invited_by_name_finds_it_joins_and_the_team_is_told(cast: Cast) -> None:
    owner, invited = cast.client(cast.owner), cast.client(cast.outsider)
    name = cast.outsider.username.upper()
    response = owner.post(page_of(cast.team), {"act": "invite", "username": name}, follow=True)
    assert f"{cast.outsider.username} was invited" in response.content.decode()
    assert Notice.objects.get(user=cast.outsider).text == (
        f"{cast.owner.username} invites you to join the team {cast.team.name}."
    )
    page = invited.get(TEAMS)
    assert cast.team.name in text(page.content)
    link = reverse("leaderboard:team-join", args=[TeamInvitation.objects.get().token])
    assert link in page.content.decode()
    invited.post(link)
    assert roles(cast)[cast.outsider.username] == TeamRole.MEMBER
    assert not TeamInvitation.objects.exists()
    assert acts(cast) == ["team.invite", "team.join"]
    told = Notice.objects.filter(text__contains="joined").values_list("user", flat=True)
    assert set(told) == {cast.owner.pk, cast.member.pk}


def test_an_invitation_by_name_works_for_nobody_else_and_is_declined(cast: Cast) -> None:
    now = timezone.now()
    sent = invitation_send(
        team=cast.team, username=cast.outsider.username, actor=cast.owner, now=now
    )
    open_link = invitation_create(team=cast.team, actor=cast.owner, now=now)
    link, link_of_all = (
        reverse("leaderboard:team-join", args=[one.token]) for one in (sent, open_link)
    )
    decline = {"act": "decline"}
    stranger, invited = cast.client(cast.organiser), cast.client(cast.outsider)
    for response in (stranger.get(link), stranger.post(link), stranger.post(link, decline)):
        assert response.status_code == 404
        assert cast.team.name not in response.content.decode()
    turned_down = invited.post(link_of_all, decline)
    assert turned_down.status_code == 404, "nobody turns a link down for all others"
    assert invited.post(link, decline)["Location"] == TEAMS
    assert TeamInvitation.objects.get() == open_link
    assert set(roles(cast)) == {cast.owner.username, cast.member.username}
    assert Notice.objects.filter(user=cast.owner, text__contains="does not join").exists()


def test_who_cannot_be_invited_is_told_with_what_was_typed(cast: Cast) -> None:
    client, page = cast.client(cast.owner), page_of(cast.team)
    for name, said in (
        ("<b>x", "There is no user with the name '<b>x'"),
        (cast.member.username, "is already a member"),
        ("", "This field is required"),
    ):
        response = client.post(page, {"act": "invite", "username": name})
        assert response.status_code == 422
        assert said in unescape(response.content.decode())
        assert "<b>x" not in response.content.decode()
    assert not TeamInvitation.objects.exists()


def test_invited_again_it_lasts_anew_and_is_told_once(cast: Cast) -> None:
    now = timezone.now()
    for at in (now - timedelta(days=15), now, now + timedelta(days=10)):
        sent = invitation_send(
            team=cast.team, username=cast.outsider.username, actor=cast.owner, now=at
        )
        if at < now:  # past its time
            assert sent.token not in cast.client(cast.outsider).get(TEAMS).content.decode()
            with pytest.raises(Refused, match="expired or was revoked"):
                invitation_accept(token=sent.token, user=cast.outsider, now=now)
            Notice.objects.all().delete()
            sent.delete()
    assert TeamInvitation.objects.get().expires_at == now + timedelta(days=24)
    assert Notice.objects.filter(user=cast.outsider).count() == 1


def test_a_team_is_no_mailing(cast: Cast) -> None:
    now = timezone.now()
    for _ in range(MOST_OPEN):
        invitation_create(team=cast.team, actor=cast.owner, now=now)
    with pytest.raises(Refused, match=f"{MOST_OPEN} invitations are open"):
        invitation_send(team=cast.team, username=cast.outsider.username, actor=cast.owner, now=now)
    later = now + timedelta(days=15)
    invitation_send(team=cast.team, username=cast.outsider.username, actor=cast.owner, now=later)


def test_nobody_mails_a_person_all_day_by_inviting_and_revoking(
    cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each invitation anew is a mail in which the inviter chose the name of the team."""
    settings.RATELIMIT_ENABLE = True
    client, page = cast.client(cast.owner), page_of(cast.team)
    invite = {"act": "invite", "username": cast.outsider.username}
    minutes = iter(range(1000))
    moment = timezone.now().replace(hour=1, minute=0, second=0).timestamp()
    # That of the limits alone: the log asks for the time, too.
    clock = SimpleNamespace(time=lambda: moment + 60 * next(minutes))
    monkeypatch.setattr("django_ratelimit.core.time", clock)
    elsewhere = page_of(TeamFactory.create())
    for _ in range(99):  # what finds no team counts as well
        assert client.post(elsewhere, {"act": "invite"}).status_code == 404
    assert client.post(page, invite).status_code == 302
    refused = client.post(page, invite)
    assert refused.status_code == 429
    assert "Wait a day" in refused.content.decode()


# -- roles --------------------------------------------------------------------------


def test_owners_make_owners_hand_over_and_leave(cast: Cast) -> None:
    owner, page = cast.client(cast.owner), page_of(cast.team)
    mine = {"member": membership(cast, cast.member).pk}
    owner.post(page, {"act": "role", "role": "owner", **mine})
    assert roles(cast)[cast.member.username] == TeamRole.OWNER
    assert "made you an owner" in Notice.objects.get(user=cast.member).text
    owner.post(page, {"act": "role", "role": "member", **mine})
    assert roles(cast)[cast.member.username] == TeamRole.MEMBER
    owner.post(page, {"act": "hand_over", **mine})
    assert roles(cast) == {cast.owner.username: "member", cast.member.username: "owner"}
    assert owner.post(page, {"act": "leave"})["Location"] == TEAMS
    assert roles(cast) == {cast.member.username: "owner"}
    assert acts(cast) == ["team.role", "team.role", "team.hand_over", "team.leave"]


def test_the_last_owner_stays_one_and_nobody_is_handed_too_many_teams(cast: Cast) -> None:
    own, client = membership(cast, cast.owner), cast.client(cast.owner)
    page = page_of(cast.team)
    steps_down = {"act": "role", "member": own.pk, "role": "member"}
    response = client.post(page, steps_down, follow=True)
    assert "has no other owner" in response.content.decode()
    with pytest.raises(Refused, match="has no other owner"):
        team_leave(membership=own, now=timezone.now())
    assert client.post(f"{page}?act=remove&member={own.pk}").status_code == 409
    for number in range(MAX_OWNED):
        team_create(name=f"T {number}", affiliation="", owner=cast.member, now=timezone.now())
    hand_over = f"{page}?act=hand_over&member={membership(cast, cast.member).pk}"
    assert client.post(hand_over).status_code == 409
    assert roles(cast)[cast.owner.username] == TeamRole.OWNER


def test_who_was_removed_is_not_back_by_a_link_they_know(cast: Cast) -> None:
    """A link lets in whoever holds it, again and again; so it ends with the first removal."""
    submission = submit(cast.phase, cast.team, user=cast.member)
    owner, page = cast.client(cast.owner), page_of(cast.team)
    owner.post(page, {"act": "invite"})
    link = reverse("leaderboard:team-join", args=[TeamInvitation.objects.get().token])
    owner.post(page, {"act": "invite", "username": cast.outsider.username})
    remove = f"{page}?act=remove&member={membership(cast, cast.member).pk}"
    asked = text(owner.get(remove).content)
    assert "stay with the team" in asked
    assert "open invitation links stop working" in asked
    assert cast.member.username in roles(cast), "to ask changes nothing"
    owner.post(remove)
    assert cast.client(cast.member).post(link).status_code == 404
    assert cast.member.username not in roles(cast)
    submission.refresh_from_db()
    assert submission.team == cast.team
    left = TeamInvitation.objects.get()
    assert left.invited == cast.outsider, "invitations by name work for nobody else and stay"


def test_only_a_team_of_one_that_never_submitted_is_dissolved(cast: Cast) -> None:
    client, page = cast.client(cast.owner), f"{page_of(cast.team)}?act=leave"
    assert client.post(page, {"dissolve": "yes"}).status_code == 409, "it has others"
    membership(cast, cast.member).delete()
    submission = submit(cast.phase, cast.team)
    assert "part of a challenge" in text(client.get(page).content)
    for data in ({}, {"dissolve": "yes"}):
        assert client.post(page, data).status_code == 409
    assert roles(cast) == {cast.owner.username: "owner"}
    submission.delete()
    assert "Dissolve" in text(client.get(page).content)
    client.post(page, {"dissolve": "yes"})
    assert not Team.objects.filter(pk=cast.team.pk).exists()
    team_create(name=cast.team.name, affiliation="", owner=cast.outsider, now=timezone.now())


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_who_leave_at_once_one_stays(transactional_db: None) -> None:
    team = TeamFactory.create()
    own = [join(team, user, TeamRole.OWNER) for user in UserFactory.create_batch(2)]
    join(team, UserFactory.create())

    def step_down(one: Membership) -> None:
        role_set(membership=one, role=TeamRole.MEMBER, actor=one.user, now=timezone.now())

    said = at_once(*(partial(step_down, one) for one in own))
    (refused,) = filter(None, said)
    assert isinstance(refused, Refused)
    assert "has no other owner" in str(refused)
    assert team.memberships.filter(role=TeamRole.OWNER).count() == 1


def test_who_makes_many_teams_at_once_gets_no_more_than_anyone(transactional_db: None) -> None:
    """Quotas are per team: teams beyond the limit would be quota beyond the limit."""
    owner = UserFactory.create()

    def one_more(name: str) -> None:
        team_create(name=name, affiliation="", owner=owner, now=timezone.now())

    for number in range(MAX_OWNED - 1):
        one_more(f"Team {number}")
    said = outcomes(*(partial(one_more, f"More {number}") for number in range(4)))
    assert sorted(said) == ["", *["Refused"] * 3]
    assert owned_team_count(owner) == MAX_OWNED
