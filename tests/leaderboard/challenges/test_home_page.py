"""The front page: which challenges there are, what is open, who leads."""

from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import ChallengeParticipation, Counting, ParticipationState
from tests.factories import ChallengeFactory, PhaseFactory, TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text

URL = reverse("leaderboard:home")


def test_shows_challenge_phase_count_and_leader(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Second", 0.3)
    scored(cast.phase, TeamFactory.create(name="Winners"), "First", 0.7123)
    seen = text(cast.client(None).get(URL).content)
    assert cast.phase.challenge.title in seen
    assert "2 systems" in seen
    assert "First 0.712 CIDEr-D Winners" in seen


def test_says_how_many_share_the_lead(cast: Cast) -> None:
    # 0.5001 and 0.5004 are equal at the three decimals that the phase declares.
    scored(cast.phase, cast.team, "One", 0.5001)
    scored(cast.phase, TeamFactory.create(), "Two", 0.5004)
    assert "and 1 more tied" in text(cast.client(None).get(URL).content)


def test_the_leader_follows_the_phases_rule(cast: Cast) -> None:
    cast.rules(counting=Counting.LAST)
    scored(cast.phase, cast.team, "Better but earlier", 0.9)
    scored(cast.phase, cast.team, "Latest", 0.4)
    seen = text(cast.client(None).get(URL).content)
    assert "Latest 0.400" in seen
    assert "Better but earlier" not in seen


def test_says_whether_a_phase_is_open(cast: Cast) -> None:
    now = timezone.now()
    for opens, closes, said in (
        (None, None, "Open no closing date"),
        (-1, 5, "Open closes in"),
        (1, 5, "Opens later"),
        (-5, -1, "Closed"),
    ):
        cast.rules(
            opens_at=None if opens is None else now + timedelta(days=opens),
            closes_at=None if closes is None else now + timedelta(days=closes),
        )
        assert said in text(cast.client(None).get(URL).content)


def test_what_closes_first_stands_first(db: None) -> None:
    now = timezone.now()
    for title, closes in (("Later", 9), ("Over", -2), ("Sooner", 2)):
        PhaseFactory.create(
            challenge=ChallengeFactory.create(title=title), closes_at=now + timedelta(days=closes)
        )
    seen = text(Client().get(URL).content)
    assert seen.index("Sooner") < seen.index("Later") < seen.index("Over")


def test_unpublished_challenges_are_for_organisers(cast: Cast) -> None:
    cast.phase.challenge.published = False
    cast.phase.challenge.save()
    title = cast.phase.challenge.title
    assert title not in text(cast.client(None).get(URL).content)
    assert title not in text(cast.client(cast.outsider).get(URL).content)
    assert f"{title} Not published" in text(cast.client(cast.organiser).get(URL).content)


def test_leaders_of_private_scores_are_for_organisers(cast: Cast) -> None:
    cast.rules(scores_public=False)
    scored(cast.phase, cast.team, "Secretive", 0.5)
    for user in (None, cast.outsider, cast.member):
        seen = text(cast.client(user).get(URL).content)
        assert "Scores are not public" in seen
        assert "Secretive" not in seen
    assert "Secretive" in text(cast.client(cast.organiser).get(URL).content)


def test_asks_the_database_as_often_for_many_as_for_one(
    cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(4):
        phase = PhaseFactory.create()
        PhaseFactory.create(challenge=phase.challenge)
        submit(phase, cast.team)
    client = cast.client(cast.organiser)
    # Three of them for the header: unread notices, ways to labelling and to managing.
    with django_assert_max_num_queries(14):
        client.get(URL)


def test_a_visitor_is_told_what_this_is_and_three_ways_in(client: Client, db: None) -> None:
    content = client.get(URL).content
    seen = text(content)
    assert "listens to a recording and describes it in a sentence" in seen
    for way in ("See the rankings", "Take part", "Label and write captions"):
        assert way in seen
    assert "Yours" not in seen


def test_somebody_sees_what_is_open_to_them_and_being_scored(cast: Cast) -> None:
    cast.rules(quota_per_day=3)
    submit(cast.phase, cast.team, name="Under way")
    seen = text(cast.client(cast.member).get(URL).content)
    assert f"{cast.team.name} : 2 of 3 left today" in seen.replace(":", " :").replace("  ", " ")
    assert "Under way 0 of" in seen
    # What is another team's is not theirs.
    assert "Under way" not in text(cast.client(cast.outsider).get(URL).content)
    # A spent quota offers no submission.
    address = cast.at("submission-create")
    assert address in cast.client(cast.member).get(URL).content.decode()
    cast.rules(quota_per_day=1)
    assert address not in cast.client(cast.member).get(URL).content.decode()


def test_a_visitor_sees_what_leads_in_the_challenge_that_closes_first(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Ahead", 0.25)
    seen = text(cast.client(None).get(URL).content)
    assert f"1 Ahead {cast.team.name} 0.250" in seen


def test_participants_see_their_rank_and_organisers_what_waits_for_them(cast: Cast) -> None:
    scored(cast.phase, TeamFactory.create(), "First", 0.7)
    scored(cast.phase, cast.team, "Second", 0.3)
    assert "rank 2 of 2" in text(cast.client(cast.member).get(URL).content)
    cast.rules(scores_public=False)
    assert "rank 2" not in text(cast.client(cast.member).get(URL).content)
    ChallengeParticipation.objects.create(
        challenge=cast.phase.challenge,
        team=TeamFactory.create(),
        state=ParticipationState.ASKED,
        asked_at=timezone.now(),
    )
    assert "2 submissions 1 team waits" in text(cast.client(cast.organiser).get(URL).content)
    assert "1 team waits" not in text(cast.client(cast.member).get(URL).content)


def test_who_has_no_team_is_led_to_one(cast: Cast) -> None:
    content = cast.client(cast.outsider).get(URL).content.decode()
    assert reverse("leaderboard:teams") + "?act=new" in content
