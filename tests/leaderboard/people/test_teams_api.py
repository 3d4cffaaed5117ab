"""Teams and notices through the API."""

import pytest

from leaderboard.models import Phase, Submission
from leaderboard.selectors.people.notices import unread_count
from tests.factories import NOW, finish, submit
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored


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


@pytest.mark.parametrize("who", [None, "outsider"])
def test_others_read_what_is_public_and_no_member(cast: Cast, who: str | None) -> None:
    api = caller(getattr(cast, who) if who else None)
    problem(api.get(path(cast)), 404)
    scored(cast.phase, cast.team, "Careful", 0.5)
    found = body(api.get(path(cast)))
    assert [row["system_name"] for row in found["systems"]] == ["Careful"]
    assert (found["members"], found["phases"]) == (None, None)
    Phase.objects.update(scores_public=False)
    problem(api.get(path(cast)), 404)


def test_organisers_read_the_members(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    found = body(caller(cast.organiser).get(path(cast)))
    assert len(found["members"]) == 2
    assert found["phases"] is None


def test_notices_are_read_and_marked(cast: Cast) -> None:
    submissions = [submit(cast.phase, cast.team, name=name) for name in ("One", "Two")]
    for submission in submissions:
        finish(submission)
    api = caller(cast.member)
    found = body(api.get("/notices"))
    assert (found["unread"], found["total"]) == (2, 2)
    assert [row["submission"] for row in found["notices"]] == [
        row.public_id for row in reversed(submissions)
    ]
    first = found["notices"][0]["id"]
    assert body(api.post(f"/notices/{first}/read"))["marked"] == 1
    assert body(api.post(f"/notices/{first}/read"))["marked"] == 0
    assert body(api.get("/notices?unread=true&limit=1"))["total"] == 1
    problem(caller(cast.outsider).post(f"/notices/{first}/read"), 404)
    assert unread_count(cast.owner) == 2
    assert body(api.post("/notices/read"))["marked"] == 1
    assert body(api.get("/notices"))["unread"] == 0
    problem(caller(None).get("/notices"), 401)
    problem(api.get("/notices?limit=0"), 422)
