"""The pages of teams: the list, making one, a team's own page, and joining by a link."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Membership, Team, TeamInvitation, TeamRole
from leaderboard.services.people.teams import MAX_OWNED, invitation_create, team_create
from leaderboard.web.refusals import Refused
from tests.leaderboard.conftest import Cast

NEW = reverse("leaderboard:teams") + "?act=new"


def page_of(team: Team) -> str:
    return reverse("leaderboard:team", args=[team.slug])


def test_a_bad_name_is_refused_with_the_reason(cast: Cast) -> None:
    Team.objects.create(name="Taken", slug="taken")
    Team.objects.create(name="\u00dcber", slug="uber")
    client, before = cast.client(cast.outsider), Team.objects.count()
    for name, expected in (
        ("", "required"),
        ("x" * 61, "at most 60"),
        ("Ad\u200bmin", "invisible character"),
        ("tAKEN", "already a team called"),
        ("\uff34aken", "already a team called"),  # a wide T
        ("\u00dcBER", "already a team called"),
        ("Ta\u00adken", "invisible character"),  # a soft hyphen
        ("Ta\u200dken", "invisible character"),  # a joiner between Latin letters
        ("\u3164", "invisible character"),  # a letter that shows nothing
        ("Z" + "\u0316" * 9, "too many accents"),
    ):
        response = client.post(NEW, {"name": name, "next": "/c/a/b/"})
        assert response.status_code == 422
        assert expected in response.content.decode()
        assert 'value="/c/a/b/"' in response.content.decode(), "the way back is kept"
    assert Team.objects.count() == before


@pytest.mark.parametrize(
    "name",
    [
        *("New", "Join"),  # as pages are called
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, which needs the joiner
        "Nguy\u1ec5n Lab",
        "\u97f3\u306e\u7814\u7a76",
        "Ears \U0001f469\u200d\U0001f52c",
        # They only hold what the site calls a row of its own.
        *("Human captions lab", "Humane", "Humans of Sound"),
    ],
)
def test_names_of_all_scripts_are_taken_and_have_a_page(cast: Cast, name: str) -> None:
    response = cast.client(cast.outsider).post(NEW, {"name": name}, follow=True)
    assert response.context["team"].name == name


def test_whoever_makes_a_team_owns_it_and_is_led_to_no_other_site(cast: Cast) -> None:
    for elsewhere in ("https://evil.example/", "//evil.example/", "javascript:alert(1)"):
        response = cast.client(cast.outsider).post(
            NEW, {"name": "  Sound   Lab ", "affiliation": "TU Wien", "next": elsewhere}
        )
        assert response["Location"] == "/teams/sound-lab/"
        team = Team.objects.get(name="Sound Lab")
        assert team.memberships.get().user == cast.outsider
        assert team.memberships.get().role == TeamRole.OWNER
        team.delete()


# -- invitation links -------------------------------------------------------------


def test_an_owner_makes_a_link_and_who_confirms_joins_as_a_member(cast: Cast) -> None:
    owner = cast.client(cast.owner)
    page = owner.post(page_of(cast.team), {"act": "invite"}, follow=True).content.decode()
    link = TeamInvitation.objects.get()
    assert f"http://testserver{address(link)}" in page
    others = cast.client(cast.member).get(page_of(cast.team)).content.decode()
    assert link.token not in others
    assert "Make a link" not in others, "only owners invite"
    client = cast.client(cast.outsider)
    assert f"Join {cast.team.name}" in client.get(address(link)).content.decode()
    assert cast.team.memberships.count() == 2
    assert client.post(address(link))["Location"] == page_of(cast.team)
    assert Membership.objects.get(team=cast.team, user=cast.outsider).role == TeamRole.MEMBER
    # Who is in already loses nothing by it.
    assert owner.post(address(link)).status_code == 302
    assert Membership.objects.get(team=cast.team, user=cast.owner).role == TeamRole.OWNER
    assert "already a member of this team" in owner.get(address(link)).content.decode()


def test_nobody_makes_teams_without_end_since_each_has_a_quota_of_its_own(cast: Cast) -> None:
    for number in range(MAX_OWNED):
        team_create(name=f"T {number}", affiliation="", owner=cast.outsider, now=timezone.now())
    response = cast.client(cast.outsider).post(NEW, {"name": "One more"})
    assert response.status_code == 422
    assert "nobody may own more" in response.content.decode()
    assert not Team.objects.filter(name="One more").exists()


# As the site itself calls the row of what people wrote, and what readers take for that.
SITES_OWN = ["Human captions", "HUMAN  Captions", "\uff28uman captions", "human", "\u210duman"]


def test_no_team_is_called_as_the_site_calls_its_own_row(cast: Cast) -> None:
    client = cast.client(cast.outsider)
    for name in SITES_OWN:
        response = client.post(NEW, {"name": name})
        assert response.status_code == 422
        said = "is what this site calls the row of what people wrote"
        assert said in response.content.decode()
        with pytest.raises(Refused, match="already a team called"):
            team_create(name=name, affiliation="", owner=None, now=timezone.now())
        assert not Team.objects.filter(name=name).exists()


@pytest.fixture
def invitation(cast: Cast) -> TeamInvitation:
    return invitation_create(team=cast.team, actor=cast.owner, now=timezone.now())


def address(invitation: TeamInvitation) -> str:
    return reverse("leaderboard:team-join", args=[invitation.token])


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
