"""The pages of teams: the list, making one, a team's own page, and joining by a link."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Membership, Team, TeamInvitation, TeamRole
from leaderboard.services.people.invitations import invitation_create
from leaderboard.services.people.teams import MAX_OWNED, TeamNameTaken, team_create
from tests.factories import submit
from tests.leaderboard.conftest import Cast

TEAMS, NEW = "leaderboard:teams", "leaderboard:team-create"


def page_of(team: Team) -> str:
    return reverse("leaderboard:team", args=[team.slug])


def test_the_list_shows_ones_own_teams_with_role_and_counts(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    row = cast.client(cast.owner).get(reverse(TEAMS)).context["rows"][0]
    assert (row.team, row.role, row.members, row.submissions) == (cast.team, TeamRole.OWNER, 2, 1)


def test_whoever_makes_a_team_owns_it(cast: Cast) -> None:
    response = cast.client(cast.outsider).post(
        reverse(NEW), {"name": "  Sound   Lab ", "affiliation": "TU Wien"}
    )
    team = Team.objects.get(name="Sound Lab")
    assert response["Location"] == page_of(team)
    assert team.memberships.get().user == cast.outsider
    assert team.memberships.get().role == TeamRole.OWNER


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "required"),
        ("x" * 61, "at most 60"),
        ("Ad\u200bmin", "invisible character"),
        ("Taken", "already a team called"),
        ("tAKEN", "already a team called"),
        ("\uff34aken", "already a team called"),  # a wide T
        ("\u00dcBER", "already a team called"),
        ("Ta\u00adken", "invisible character"),  # a soft hyphen
        ("Ta\u200dken", "invisible character"),  # a joiner between Latin letters
        ("\u3164", "invisible character"),  # a letter that shows nothing
        ("Z" + "\u0316" * 9, "too many accents"),
    ],
)
def test_a_bad_name_is_refused_with_the_reason(cast: Cast, name: str, expected: str) -> None:
    Team.objects.create(name="Taken", slug="taken")
    Team.objects.create(name="\u00dcber", slug="uber")
    response = cast.client(cast.outsider).post(reverse(NEW), {"name": name, "next": "/c/a/b/"})
    assert response.status_code == 422
    assert expected in response.content.decode()
    assert 'value="/c/a/b/"' in response.content.decode(), "the way back is kept"


@pytest.mark.parametrize("name", ["New", "Join"])
def test_a_team_named_like_a_page_keeps_a_page_of_its_own(cast: Cast, name: str) -> None:
    client = cast.client(cast.outsider)
    response = client.post(reverse(NEW), {"name": name}, follow=True)
    assert response.context["team"].name == name


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"]
)
def test_the_way_back_leads_to_no_other_site(cast: Cast, elsewhere: str) -> None:
    response = cast.client(cast.outsider).post(
        reverse(NEW), {"name": "Sound Lab", "next": elsewhere}
    )
    assert response["Location"] == "/teams/sound-lab/"


# -- invitation links -------------------------------------------------------------


def test_an_owner_makes_a_link_and_sees_it_whole(cast: Cast) -> None:
    address = reverse("leaderboard:team-invite", args=[cast.team.slug])
    page = cast.client(cast.owner).post(address, follow=True).content.decode()
    token = TeamInvitation.objects.get().token
    assert f"http://testserver/teams/join/{token}/" in page
    others = cast.client(cast.member).get(page_of(cast.team)).content.decode()
    assert token not in others
    assert "Make a link" not in others, "only owners invite"


def test_a_link_past_its_time_is_not_offered(cast: Cast) -> None:
    old = invitation_create(
        team=cast.team, actor=cast.owner, now=timezone.now() - timedelta(days=15)
    )
    assert old.token not in cast.client(cast.owner).get(page_of(cast.team)).content.decode()


@pytest.mark.parametrize(
    "name",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, which needs the joiner
        "Nguy\u1ec5n Lab",
        "\u97f3\u306e\u7814\u7a76",
        "Ears \U0001f469\u200d\U0001f52c",
        # They only hold what the site calls a row of its own.
        *("Human captions lab", "Humane", "Humans of Sound"),
    ],
)
def test_names_of_all_scripts_are_taken(cast: Cast, name: str) -> None:
    cast.client(cast.outsider).post(reverse(NEW), {"name": name})
    assert Team.objects.filter(name=name).exists()


def test_nobody_makes_teams_without_end_since_each_has_a_quota_of_its_own(cast: Cast) -> None:
    for number in range(MAX_OWNED):
        team_create(name=f"T {number}", affiliation="", owner=cast.outsider, now=timezone.now())
    response = cast.client(cast.outsider).post(reverse(NEW), {"name": "One more"})
    assert response.status_code == 422
    assert "nobody may own more" in response.content.decode()
    assert not Team.objects.filter(name="One more").exists()


# As the site itself calls the row of what people wrote, and what readers take for that.
SITES_OWN = ["Human captions", "HUMAN  Captions", "\uff28uman captions", "human", "\u210duman"]


@pytest.mark.parametrize("name", SITES_OWN)
def test_no_team_is_called_as_the_site_calls_its_own_row(cast: Cast, name: str) -> None:
    response = cast.client(cast.outsider).post(reverse(NEW), {"name": name})
    assert response.status_code == 422
    assert "is what this site calls the row of what people wrote" in response.content.decode()
    with pytest.raises(TeamNameTaken):
        team_create(name=name, affiliation="", owner=None, now=timezone.now())
    assert not Team.objects.filter(name=name).exists()


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
