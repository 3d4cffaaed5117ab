"""Who is in a team: invitations by name, roles, leaving, handing over, dissolving."""

from datetime import timedelta
from functools import partial
from html import unescape
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from leaderboard.models import AuditEvent, Membership, Notice, Team, TeamInvitation, TeamRole, User
from leaderboard.selectors.people.teams import owned_team_count
from leaderboard.services.people.invitations import (
    MOST_OPEN,
    InvitationInvalid,
    InvitationRefused,
    invitation_accept,
    invitation_create,
    invitation_send,
)
from leaderboard.services.people.memberships import MembershipRefused, role_set, team_leave
from leaderboard.services.people.teams import MAX_OWNED, team_create
from tests.factories import TeamFactory, UserFactory, join, submit
from tests.leaderboard.at_once import at_once, outcomes
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

TEAMS = reverse("leaderboard:teams")


def address(name: str, cast: Cast, *more: object) -> str:
    return reverse(f"leaderboard:{name}", args=[cast.team.slug, *more])


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
    response = owner.post(address("team-invite", cast), {"username": name}, follow=True)
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


def test_an_invitation_by_name_works_for_nobody_else(cast: Cast) -> None:
    sent = invitation_send(
        team=cast.team, username=cast.outsider.username, actor=cast.owner, now=timezone.now()
    )
    link = reverse("leaderboard:team-join", args=[sent.token])
    stranger = cast.client(cast.organiser)
    for response in (stranger.get(link), stranger.post(link)):
        assert response.status_code == 404
        assert cast.team.name not in response.content.decode()
    decline = reverse("leaderboard:team-decline", args=[sent.token])
    assert stranger.post(decline).status_code == 404
    assert cast.organiser.username not in roles(cast)
    assert TeamInvitation.objects.exists()


def test_declining_ends_the_invitation_and_tells_who_invited(cast: Cast) -> None:
    sent = invitation_send(
        team=cast.team, username=cast.outsider.username, actor=cast.owner, now=timezone.now()
    )
    decline = reverse("leaderboard:team-decline", args=[sent.token])
    assert cast.client(cast.outsider).post(decline)["Location"] == TEAMS
    assert not TeamInvitation.objects.exists()
    assert cast.outsider.username not in roles(cast)
    assert Notice.objects.filter(user=cast.owner, text__contains="does not join").exists()
    link = invitation_create(team=cast.team, actor=cast.owner, now=timezone.now())
    decline = reverse("leaderboard:team-decline", args=[link.token])
    assert cast.client(cast.outsider).post(decline).status_code == 404
    assert TeamInvitation.objects.exists(), "nobody turns a link down for all others"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nobody-at-all", "There is no user with the name"),
        ("{member}", "is already a member"),
        ("", "This field is required"),
        ("<b>x", "There is no user with the name '<b>x'"),
    ],
)
def test_who_cannot_be_invited_is_told_with_what_was_typed(
    cast: Cast, name: str, said: str
) -> None:
    name = name.format(member=cast.member.username)
    response = cast.client(cast.owner).post(address("team-invite", cast), {"username": name})
    assert response.status_code == 422
    text = response.content.decode()
    assert said in unescape(text)
    assert "<b>x" not in text
    assert not TeamInvitation.objects.exists()


def test_invited_again_it_lasts_anew_and_is_told_once(cast: Cast) -> None:
    now = timezone.now()
    for at in (now, now + timedelta(days=10)):
        invitation_send(team=cast.team, username=cast.outsider.username, actor=cast.owner, now=at)
    assert TeamInvitation.objects.get().expires_at == now + timedelta(days=24)
    assert Notice.objects.filter(user=cast.outsider).count() == 1


def test_a_team_is_no_mailing(cast: Cast) -> None:
    now = timezone.now()
    for _ in range(MOST_OPEN):
        invitation_create(team=cast.team, actor=cast.owner, now=now)
    with pytest.raises(InvitationRefused, match=f"{MOST_OPEN} invitations are open"):
        invitation_send(team=cast.team, username=cast.outsider.username, actor=cast.owner, now=now)
    later = now + timedelta(days=15)
    invitation_send(team=cast.team, username=cast.outsider.username, actor=cast.owner, now=later)


def test_nobody_mails_a_person_all_day_by_inviting_and_revoking(
    cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each invitation anew is a mail in which the inviter chose the name of the team."""
    settings.RATELIMIT_ENABLE = True
    cache.clear()
    client, page = cast.client(cast.owner), address("team-invite", cast)
    minutes = iter(range(1000))
    moment = timezone.now().replace(hour=1, minute=0, second=0).timestamp()
    # That of the limits alone: the log asks for the time, too.
    clock = SimpleNamespace(time=lambda: moment + 60 * next(minutes))
    monkeypatch.setattr("django_ratelimit.core.time", clock)
    codes = []
    for _ in range(101):
        codes.append(client.post(page, {"username": cast.outsider.username}).status_code)
        TeamInvitation.objects.all().delete()
    assert set(codes[:100]) == {302}
    assert codes[100] == 429
    assert "Wait a day" in client.post(page).content.decode()
    cache.clear()


def test_an_invitation_past_its_time_is_not_shown_and_does_not_work(cast: Cast) -> None:
    old = timezone.now() - timedelta(days=15)
    sent = invitation_send(
        team=cast.team, username=cast.outsider.username, actor=cast.owner, now=old
    )
    assert sent.token not in cast.client(cast.outsider).get(TEAMS).content.decode()
    with pytest.raises(InvitationInvalid):
        invitation_accept(token=sent.token, user=cast.outsider, now=timezone.now())


# -- roles --------------------------------------------------------------------------


def test_an_owner_makes_owners_and_members_of_them_again(cast: Cast) -> None:
    client = cast.client(cast.owner)
    role = address("team-role", cast, membership(cast, cast.member).pk)
    client.post(role, {"role": "owner"})
    assert roles(cast)[cast.member.username] == TeamRole.OWNER
    assert "made you an owner" in Notice.objects.get(user=cast.member).text
    client.post(role, {"role": "member"})
    assert roles(cast)[cast.member.username] == TeamRole.MEMBER
    assert acts(cast) == ["team.role", "team.role"]


def test_the_last_owner_stays_one(cast: Cast) -> None:
    own = membership(cast, cast.owner)
    response = cast.client(cast.owner).post(
        address("team-role", cast, own.pk), {"role": "member"}, follow=True
    )
    assert "has no other owner" in response.content.decode()
    with pytest.raises(MembershipRefused, match="has no other owner"):
        team_leave(membership=own, now=timezone.now())
    response = cast.client(cast.owner).post(address("team-remove", cast, own.pk))
    assert response.status_code == 409
    assert roles(cast)[cast.owner.username] == TeamRole.OWNER


def test_removing_takes_the_person_out_and_leaves_the_submissions(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, user=cast.member)
    page = address("team-remove", cast, membership(cast, cast.member).pk)
    client = cast.client(cast.owner)
    assert "stay with the team" in text(client.get(page).content)
    assert cast.member.username in roles(cast), "to ask changes nothing"
    client.post(page)
    assert cast.member.username not in roles(cast)
    submission.refresh_from_db()
    assert submission.team == cast.team
    assert (
        cast.client(cast.member)
        .get(reverse("leaderboard:submission-file", args=[submission.public_id]))
        .status_code
        == 404
    )


def test_who_was_removed_is_not_back_by_a_link_they_know(cast: Cast) -> None:
    """A link lets in whoever holds it, again and again; so it ends with the first removal."""
    owner = cast.client(cast.owner)
    owner.post(address("team-invite", cast))
    link = reverse("leaderboard:team-join", args=[TeamInvitation.objects.get().token])
    owner.post(address("team-invite", cast), {"username": cast.outsider.username})
    page = address("team-remove", cast, membership(cast, cast.member).pk)
    assert "open invitation links stop working" in text(owner.get(page).content)
    owner.post(page)
    assert cast.client(cast.member).post(link).status_code == 404
    assert cast.member.username not in roles(cast)
    left = TeamInvitation.objects.get()
    assert left.invited == cast.outsider, "invitations by name work for nobody else and stay"


def test_leaving_and_handing_over(cast: Cast) -> None:
    owner = cast.client(cast.owner)
    owner.post(address("team-hand-over", cast, membership(cast, cast.member).pk))
    assert roles(cast) == {cast.owner.username: "member", cast.member.username: "owner"}
    assert owner.post(address("team-leave", cast))["Location"] == TEAMS
    assert roles(cast) == {cast.member.username: "owner"}
    assert acts(cast) == ["team.hand_over", "team.leave"]


def test_nobody_is_handed_more_teams_than_anyone_may_own(cast: Cast) -> None:
    for number in range(MAX_OWNED):
        team_create(name=f"T {number}", affiliation="", owner=cast.member, now=timezone.now())
    page = address("team-hand-over", cast, membership(cast, cast.member).pk)
    assert cast.client(cast.owner).post(page).status_code == 409
    assert roles(cast)[cast.owner.username] == TeamRole.OWNER


def test_a_team_of_one_is_dissolved_and_its_name_free(cast: Cast) -> None:
    membership(cast, cast.member).delete()
    client = cast.client(cast.owner)
    page = address("team-leave", cast)
    assert "Dissolve" in text(client.get(page).content)
    client.post(page, {"dissolve": "yes"})
    assert not Team.objects.filter(pk=cast.team.pk).exists()
    team_create(name=cast.team.name, affiliation="", owner=cast.outsider, now=timezone.now())


def test_a_team_of_one_that_has_submitted_stays(cast: Cast) -> None:
    membership(cast, cast.member).delete()
    submit(cast.phase, cast.team)
    page, client = address("team-leave", cast), cast.client(cast.owner)
    assert "part of a challenge" in text(client.get(page).content)
    for data in ({}, {"dissolve": "yes"}):
        assert client.post(page, data).status_code == 409
    assert roles(cast) == {cast.owner.username: "owner"}


def test_a_team_with_others_is_not_dissolved(cast: Cast) -> None:
    assert (
        cast.client(cast.owner).post(address("team-leave", cast), {"dissolve": "yes"}).status_code
        == 409
    )
    assert Team.objects.filter(pk=cast.team.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_who_leave_at_once_one_stays(transactional_db: None) -> None:
    team = TeamFactory.create()
    own = [join(team, user, TeamRole.OWNER) for user in UserFactory.create_batch(2)]
    join(team, UserFactory.create())

    def step_down(one: Membership) -> None:
        role_set(membership=one, role=TeamRole.MEMBER, actor=one.user, now=timezone.now())

    said = at_once(*(partial(step_down, one) for one in own))
    (refused,) = filter(None, said)
    assert isinstance(refused, MembershipRefused)
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
    assert sorted(said) == ["", *["TooManyTeams"] * 3]
    assert owned_team_count(owner) == MAX_OWNED
