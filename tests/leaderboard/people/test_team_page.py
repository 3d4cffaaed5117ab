"""What a team's page shows to its members and to others, and how its name changes."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Counting, Phase, Submission, Team, User
from leaderboard.selectors.people.teams import team_history
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.services.organising.judging import submission_disqualify
from leaderboard.services.people.teams import team_create, team_edit
from leaderboard.services.submissions.changes import submission_choose, submission_withdraw
from leaderboard.web.refusals import Refused
from tests.factories import NOW, PhaseFactory, TeamFactory, submit
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def page_of(team: Team) -> str:
    return reverse("leaderboard:team", args=[team.slug])


def seen(cast: Cast, who: str | None, query: str = "") -> str:
    client = cast.client(getattr(cast, who) if who else None)
    return text(client.get(page_of(cast.team) + query).content)


# -- to its members -------------------------------------------------------------------


def test_members_see_rank_value_what_counts_and_what_is_left(cast: Cast) -> None:
    cast.rules(quota_per_day=5, systems_per_team=4)
    scored(cast.phase, TeamFactory.create(), "Rival", 0.7)
    scored(cast.phase, cast.team, "First", 0.4)
    scored(cast.phase, cast.team, "Better", 0.6)
    response = cast.client(cast.member).get(page_of(cast.team))
    [row] = response.context["phases"]
    assert [
        (system.submission.system_name, system.value, system.rank, system.counts)
        for system in row.systems
    ] == [("Better", 0.6, 2, True), ("First", 0.4, None, False)]
    page = text(response.content)
    assert "2 of 2 teams" in page
    assert "3 of 5 submissions left today; the count resets at" in page
    assert "2 of 4 taken" in page
    assert "0.400 to 0.600" in page


def test_a_phase_can_be_looked_at_alone(cast: Cast) -> None:
    submit(cast.phase, cast.team, name="Here")
    other = PhaseFactory.create(name="Elsewhere")
    submit(other, cast.team, name="There")
    page = cast.client(cast.member).get(f"{page_of(cast.team)}?phase={cast.phase.pk}")
    [row] = page.context["shown"]
    assert [system.submission.system_name for system in row.systems] == ["Here"]
    for nonsense in ("x", "0", str(10**30), "1' OR 1"):
        response = cast.client(cast.member).get(page_of(cast.team), {"phase": nonsense})
        assert len(response.context["shown"]) == 2


def test_where_scores_are_kept_back_or_frozen_there_is_no_rank(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Mine", 0.4)
    cast.rules(frozen_at=timezone.now())
    assert "the ranking is frozen" in seen(cast, "member")
    cast.rules(frozen_at=None, scores_public=False)
    page = seen(cast, "member")
    assert "the organisers keep the ranking to themselves" in page
    assert "0.400" in page, "one's own value is seen"


def test_the_history_tells_who_did_what_in_sentences(cast: Cast) -> None:
    cast.rules(counting=Counting.CHOSEN)
    now = timezone.now()
    team = team_create(name="Sound Lab", affiliation="", owner=cast.owner, now=now)
    first = submit(cast.phase, team, user=cast.owner, name="First")
    first.evaluations.filter(family="vocab").update(state="failed")
    submission_retry(submission=first, actor=cast.owner, now=now)
    submission_choose(submission=first, actor=cast.owner, now=now)
    submission_withdraw(submission=first, actor=cast.owner, now=now)
    team_edit(team=team, name="Sound Labs", affiliation="", actor=cast.owner, organised=(), now=now)
    submit(cast.phase, cast.team, user=cast.member, name="Of others")
    name = cast.owner.username
    assert {done.sentence for done in team_history(team)} == {
        f"{name} made the team.",
        f"{name} submitted First.",
        f"{name} had what failed of First computed again.",
        f"{name} chose First to count.",
        f"{name} withdrew First.",
        f"{name} changed the name from 'Sound Lab' to 'Sound Labs'.",
    }


def test_the_history_has_reasons_of_organisers_and_nothing_of_an_earlier_team(cast: Cast) -> None:
    team_create(name="Sound Lab", affiliation="", owner=cast.outsider, now=NOW).delete()
    team = team_create(name="Sound Lab", affiliation="", owner=cast.owner, now=timezone.now())
    submission = submit(cast.phase, team, user=cast.member, name="First")
    submission_disqualify(
        submission=submission, reason="Used the test set.", actor=cast.organiser, now=NOW
    )
    User.objects.filter(pk=cast.member.pk).delete()
    assert {done.sentence for done in team_history(team)} == {
        f"{cast.owner.username} made the team.",
        "A deleted account submitted First.",
        "An organiser disqualified First. Reason: Used the test set.",
    }


# -- to others ------------------------------------------------------------------------


def test_others_see_public_systems_and_no_member(cast: Cast) -> None:
    Team.objects.filter(pk=cast.team.pk).update(affiliation="TU Wien")
    submission = scored(cast.phase, cast.team, "Careful", 0.5)
    for who in (None, "outsider"):
        page = seen(cast, who)
        assert "TU Wien" in page
        assert "Careful" in page
        assert cast.member.username not in page
        assert cast.owner.username not in page
    Submission.objects.filter(pk=submission.pk).update(withdrawn_at=NOW)
    assert cast.member.username in seen(cast, "organiser")
    assert cast.client(cast.outsider).get(page_of(cast.team)).status_code == 404


@pytest.mark.parametrize("how", ["blind", "kept back", "unpublished", "after the freeze"])
def test_a_team_with_nothing_to_see_does_not_exist_for_others(cast: Cast, how: str) -> None:
    now = timezone.now()
    kept_back: dict[str, dict[str, object]] = {
        "blind": {"names_hidden_until": now + timedelta(days=1)},
        "kept back": {"scores_public": False},
        "unpublished": {},
        "after the freeze": {"frozen_at": now - timedelta(days=1)},
    }
    cast.rules(**kept_back[how])
    if how == "unpublished":
        cast.phase.challenge.published = False
        cast.phase.challenge.save()
    scored(cast.phase, cast.team, "Careful", 0.5)
    assert cast.client(cast.outsider).get(page_of(cast.team)).status_code == 404
    assert cast.client(None).get(page_of(cast.team)).status_code == 302
    assert cast.client(None).get("/teams/no-such-team/").status_code == 302
    assert "Careful" in seen(cast, "organiser")
    assert "Careful" in seen(cast, "member")
    other = PhaseFactory.create(challenge__title="Elsewhere")
    scored(other, cast.team, "Known", 0.5)
    page = seen(cast, "outsider")
    assert "Known" in page
    assert "Careful" not in page


# -- its name -------------------------------------------------------------------------


def edit(cast: Cast, who: str, **data: str) -> int:
    page = f"{page_of(cast.team)}?act=edit"
    return cast.client(getattr(cast, who)).post(page, data).status_code


def test_an_owner_changes_name_and_affiliation_and_the_address_stays(cast: Cast) -> None:
    Team.objects.create(name="Taken", slug="taken")
    assert edit(cast, "owner", name="tAKEN") == 422
    assert edit(cast, "owner", name=cast.team.name.upper()) == 302, "ones own in other letters"
    assert edit(cast, "owner", name="New name", affiliation="KTH") == 302
    cast.team.refresh_from_db()
    assert (cast.team.name, cast.team.affiliation) == ("New name", "KTH")
    assert "changed the name" in seen(cast, "member")
    assert page_of(cast.team) == page_of(Team.objects.get(pk=cast.team.pk))


@pytest.mark.parametrize("how", ["closed", "frozen"])
def test_in_a_settled_ranking_only_its_organisers_change_a_name(cast: Cast, how: str) -> None:
    submission = scored(cast.phase, cast.team, "Careful", 0.5)
    now = timezone.now()
    past = now - timedelta(minutes=1)
    cast.rules(**({"closes_at": past} if how == "closed" else {"frozen_at": past}))
    assert edit(cast, "owner", name="New name") == 422
    with pytest.raises(Refused, match=how):
        team_edit(team=cast.team, name="X", affiliation="", actor=cast.owner, organised=(), now=now)
    assert edit(cast, "organiser", name="New name", affiliation="") == 302
    other = PhaseFactory.create(closes_at=None)
    elsewhere = scored(other, cast.team, "Elsewhere", 0.5)
    Phase.objects.filter(pk=other.pk).update(closes_at=past)
    assert edit(cast, "organiser", name="Another") == 422, "that one belongs to others"
    ids = [submission.pk, elsewhere.pk]
    Submission.objects.filter(pk__in=ids).update(withdrawn_at=NOW)
    assert edit(cast, "owner", name="Third") == 302, "what was withdrawn settles no name"


def path(cast: Cast) -> str:
    return f"/teams/{cast.team.slug}"


def test_a_member_reads_all_of_the_team(cast: Cast) -> None:
    Phase.objects.filter(pk=cast.phase.pk).update(quota_total=5, systems_per_team=3)
    gone = scored(cast.phase, cast.team, "Gone", 0.4)
    Submission.objects.filter(pk=gone.pk).update(withdrawn_at=NOW)
    counts = scored(cast.phase, cast.team, "Counts", 0.6)
    found = body(caller(cast.member).get(path(cast)))
    assert [row["system_name"] for row in found["systems"]] == ["Counts", "Gone"]
    assert found["systems"][1]["withdrawn_at"] is not None
    assert {row["username"]: row["role"] for row in found["members"]} == {
        cast.owner.username: "owner",
        cast.member.username: "member",
    }
    assert found["phases"] == [
        {
            "challenge": cast.phase.challenge.slug,
            "phase": cast.phase.slug,
            "rank": 1,
            "teams": 1,
            "counting": counts.public_id,
            "quota_left": 3,
            "quota_limit": 5,
            "quota_resets_at": None,
            "places_left": 2,
        }
    ]


def test_others_read_what_is_public_and_organisers_alone_the_members(cast: Cast) -> None:
    for user in (None, cast.outsider):
        problem(caller(user).get(path(cast)), 404)
    scored(cast.phase, cast.team, "Careful", 0.5)
    for user in (None, cast.outsider):
        found = body(caller(user).get(path(cast)))
        assert [row["system_name"] for row in found["systems"]] == ["Careful"]
        assert (found["members"], found["phases"]) == (None, None)
    Phase.objects.update(scores_public=False)
    for user in (None, cast.outsider):
        problem(caller(user).get(path(cast)), 404)
    found = body(caller(cast.organiser).get(path(cast)))
    assert (len(found["members"]), found["phases"]) == (2, None)
