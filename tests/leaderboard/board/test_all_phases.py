"""The table of all phases: who stands where in each, and nothing that a phase keeps back."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from leaderboard.models import Phase, Team, User
from leaderboard.services.ranking.snapshots import phase_freeze
from tests.factories import PhaseFactory, TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, scored, text


@dataclass(frozen=True)
class Two:
    """A challenge with two phases: in the second the rival is ahead, and a third team is new."""

    cast: Cast
    second: Phase
    rival: Team

    @property
    def address(self) -> str:
        return f"/c/{self.cast.phase.challenge.slug}/phases/"

    def page(self, user: User | None = None, query: str = "") -> str:
        response = self.cast.client(user).get(self.address + query)
        assert response.status_code == 200
        return response.content.decode()

    def api(self, user: User | None = None, query: str = "") -> Any:
        address = f"/api/v1/challenges/{self.cast.phase.challenge.slug}/leaderboards{query}"
        return self.cast.client(user).get(address).json()


@pytest.fixture
def two(cast: Cast) -> Two:
    cast.rules(name="Development", position=0)
    second = PhaseFactory.create(
        challenge=cast.phase.challenge, name="Evaluation", position=1, ranking_metric="fense"
    )
    rival = TeamFactory.create(name="Rivals")
    Team.objects.filter(pk=cast.team.pk).update(name="Ours")
    scored(cast.phase, cast.team, "Oak", 0.9)
    scored(cast.phase, cast.team, "Elm", 0.1)
    scored(cast.phase, rival, "Ash", 0.5)
    scored(second, cast.team, "Oak II", 0.25)
    scored(second, rival, "Ash II", 0.75)
    scored(second, TeamFactory.create(name="Newcomers"), "Fir", 0.5)
    return Two(cast, second, rival)


def teams(page: str) -> list[str]:
    return re.findall(r'class="board__name" title="([^"]*)"', page)


def row(page: str, team: str) -> str:
    (found,) = [part for part in page.split("<tr") if f'title="{team}"' in part]
    return plain(found.partition(">")[2].partition("</tr>")[0])


def test_each_team_is_one_row_over_the_phases(two: Two) -> None:
    page = two.page()
    assert teams(page) == ["Rivals", "Newcomers", "Ours"]
    assert row(page, "Ours") == "Ours 1 0.900 of Oak 3 0.250 of Oak II"
    assert row(page, "Rivals") == "Rivals 2 0.500 of Ash 1 0.750 of Ash II"
    assert row(page, "Newcomers") == "Newcomers not in this phase 2 0.500 of Fir"
    assert "Elm" not in page
    assert page.index(">Development<") < page.index(">Evaluation<")


SORTED = {
    "": ["Rivals", "Newcomers", "Ours"],
    "-{second}": ["Ours", "Newcomers", "Rivals"],
    "{first}": ["Ours", "Rivals", "Newcomers"],
    "-{first}": ["Rivals", "Ours", "Newcomers"],
    "@team": ["Newcomers", "Ours", "Rivals"],
    "-@team": ["Rivals", "Ours", "Newcomers"],
    "nonsense": ["Rivals", "Newcomers", "Ours"],
}


def test_it_is_sorted_by_a_phase_or_by_team(two: Two) -> None:
    for sort, order in SORTED.items():
        query = "?sort=" + sort.format(first=two.cast.phase.slug, second=two.second.slug)
        page = two.page(query=query)
        assert teams(page) == order
        assert page.count("aria-sort=") == 1
        assert [found["team_name"] for found in two.api(query=query)["rows"]] == order


def test_the_readers_team_is_marked(two: Two) -> None:
    assert "Yours" in row(two.page(two.cast.member), "Ours")
    assert "Yours" not in two.page(two.cast.outsider)


def test_phases_whose_scores_are_not_public_are_for_organisers(two: Two) -> None:
    Phase.objects.filter(pk=two.second.pk).update(scores_public=False)
    for user in (None, two.cast.outsider, two.cast.member):
        page = two.page(user)
        assert teams(page) == ["Ours", "Rivals"]
        assert "Oak II" not in page
        assert "Scores not public: Evaluation." in text(page.encode())
        assert [one["name"] for one in two.api(user)["phases"]] == ["Development"]
    assert teams(two.page(two.cast.organiser)) == ["Rivals", "Newcomers", "Ours"]


def test_hidden_names_are_not_joined_with_shown_ones(two: Two) -> None:
    """Who is known in one phase would else be known in the other."""
    hidden = timezone.now() + timedelta(days=1)
    Phase.objects.filter(pk=two.second.pk).update(names_hidden_until=hidden)
    page = two.page()
    names = teams(page)
    assert len(names) == 5
    assert {"Ours", "Rivals"} < set(names)
    assert "Newcomers" not in page
    assert "Ash II" not in page
    assert row(page, "Ours") == "Ours 1 0.900 of Oak not in this phase"
    told = two.api()["rows"]
    aliases = [one for one in told if one["team"] is None]
    assert len(aliases) == 3
    assert all(list(one["phases"]) == [two.second.slug] for one in aliases)
    # A team knows itself, and no other.
    own = two.page(two.cast.member)
    assert len(teams(own)) == 4
    assert row(own, "Ours") == "Ours Yours 1 0.900 of Oak 3 0.250 of Oak II"
    assert "Ash II" not in own
    assert teams(two.page(two.cast.organiser)) == ["Rivals", "Newcomers", "Ours"]
    # Two phases that hide names are not joined either.
    Phase.objects.update(names_hidden_until=hidden)
    names = teams(two.page())
    assert len(names) == len(set(names)) == 5


def test_a_frozen_phase_stays_as_it_was(two: Two) -> None:
    phase_freeze(phase=two.second, actor=two.cast.organiser, now=timezone.now())
    scored(two.second, two.cast.team, "Quickbeam", 0.99)
    page = two.page(two.cast.outsider)
    assert "Quickbeam" not in page
    assert teams(page) == ["Rivals", "Newcomers", "Ours"]
    assert "Evaluation has been frozen since" in text(page.encode())
    assert teams(two.page(two.cast.organiser))[0] == "Ours"


def test_values_of_hidden_references_are_told_as_pages_write_them(two: Two) -> None:
    Phase.objects.update(references_public=False)
    scored(two.second, two.rival, "Exact", 0.987654321)
    value = two.api()["rows"][0]["phases"][two.second.slug]["value"]
    assert value == 0.988
    whole = two.api(two.cast.organiser)["rows"][0]["phases"][two.second.slug]["value"]
    assert whole == pytest.approx(0.987654321)


def test_the_challenge_leads_there_where_there_is_more_than_one(two: Two) -> None:
    client = two.cast.client(None)
    challenge = f"/c/{two.cast.phase.challenge.slug}/"
    assert two.address in client.get(challenge).content.decode()
    Phase.objects.filter(pk=two.second.pk).update(scores_public=False)
    assert two.address not in client.get(challenge).content.decode()
