"""Protect who may read what through the API, and the one shape of its errors."""

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.models import Submission, User
from tests.factories import PASSWORD, ChallengeFactory, PhaseFactory, finish, submit
from tests.leaderboard.api_client import ROOT, Caller, body, caller, file, problem, submissions_path
from tests.leaderboard.conftest import Cast


@pytest.fixture
def submission(cast: Cast) -> Submission:
    found = submit(cast.phase, cast.team, user=cast.member)
    finish(found)
    return found


def board_path(cast: Cast) -> str:
    return f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/leaderboard"


def people(cast: Cast) -> dict[str, User | None]:
    return {
        "anonymous": None,
        "outsider": cast.outsider,
        "member": cast.member,
        "owner": cast.owner,
        "organiser": cast.organiser,
    }


@pytest.mark.parametrize("secret", ["ear_wrong", "", "x" * 5000], ids=["unknown", "empty", "long"])
def test_a_bad_token_is_told_even_where_none_is_needed(db: None, secret: str) -> None:
    for path in ("/challenges", "/metrics", "/me"):
        response = Caller(secret).get(path)
        problem(response, 401)
        assert response["WWW-Authenticate"] == "Bearer"


def test_a_token_of_someone_who_was_shut_out_no_longer_works(cast: Cast) -> None:
    holder = caller(cast.member)
    User.objects.filter(pk=cast.member.pk).update(is_active=False)
    problem(holder.get("/me"), 401)


def test_other_schemes_than_bearer_are_refused(db: None) -> None:
    client = Client(headers={"Authorization": "Basic dXNlcjpwYXNz"})
    problem(client.get(f"{ROOT}/metrics"), 401)


def test_me_lists_teams_and_challenges(cast: Cast) -> None:
    assert body(caller(cast.owner).get("/me")) == {
        "username": cast.owner.username,
        "email": cast.owner.email,
        "teams": [{"slug": cast.team.slug, "name": cast.team.name, "role": "owner"}],
        "organises": [],
    }
    assert body(caller(cast.organiser).get("/me"))["organises"] == [cast.phase.challenge.slug]


def test_a_session_reads_without_a_csrf_token_and_writes_only_with_one(cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.login(username=cast.member.username, password=PASSWORD)
    assert client.get(f"{ROOT}/me").status_code == 200

    form = {"file": file(), "system_name": "System"}
    found = problem(client.post(ROOT + submissions_path(cast), form), 403)
    assert "CSRF" in found["detail"]
    assert not Submission.objects.exists()

    client.get(f"{ROOT}/docs")  # where the API is tried out, with the session
    token = client.cookies["csrftoken"].value
    form = {"file": file(), "system_name": "System"}
    response = client.post(ROOT + submissions_path(cast), form, headers={"X-CSRFToken": token})
    assert response.status_code == 201, response.content


def test_the_root_leads_to_the_description(db: None) -> None:
    response = caller(None).get("/")
    assert (response.status_code, response["Location"]) == (302, f"{ROOT}/docs")


def test_unknown_addresses_and_wrong_methods_answer_in_json(cast: Cast) -> None:
    for path in ("/nowhere", "/submissions", "/phases/a b/c/leaderboard", "/a%0Ab"):
        problem(caller(None).get(path), 404)
    response = caller(cast.member).post("/challenges")
    assert problem(response, 405)["detail"] == "This address takes GET."
    assert response["Allow"] == "GET"


def test_an_unpublished_challenge_cannot_be_told_from_none(cast: Cast) -> None:
    hidden = PhaseFactory.create(challenge=ChallengeFactory.create(published=False))
    slug = hidden.challenge.slug
    for who in ("anonymous", "outsider", "member", "owner"):
        user = caller(people(cast)[who])
        unknown = problem(user.get("/challenges/no-such-thing"), 404)
        for path in (
            f"/challenges/{slug}",
            *(f"/phases/{slug}/{hidden.slug}{end}" for end in ("", "/leaderboard")),
        ):
            assert problem(user.get(path), 404) == unknown
        assert slug not in [row["slug"] for row in body(user.get("/challenges"))]
    hidden.challenge.organisers.add(cast.organiser)
    assert slug in [row["slug"] for row in body(caller(cast.organiser).get("/challenges"))]


# Of a phase whose scores are not public: its board, a system, the system's scores; and whether
# the file and the warnings are told.
SEES = {
    "anonymous": ([403, 404, 404], False),
    "outsider": ([403, 404, 404], False),
    "member": ([403, 200, 200], True),
    "owner": ([403, 200, 200], True),
    "organiser": ([200, 200, 200], True),
}


def test_hidden_scores_files_and_warnings_are_for_the_team_and_the_organisers(
    cast: Cast, submission: Submission
) -> None:
    path = f"/submissions/{submission.public_id}"
    for who, (codes, sees) in SEES.items():
        user = caller(people(cast)[who])
        cast.rules(scores_public=True)
        found = body(user.get(path))
        assert (found["file"] is not None, found["warnings"] is not None) == (sees, sees), who
        cast.rules(scores_public=False)
        places = (board_path(cast), path, f"{path}/metrics")
        assert [user.get(where).status_code for where in places] == codes, who


def test_the_rate_is_limited_per_person(
    cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leaderboard.api.submissions import upload_rate

    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    settings.RATELIMIT_ENABLE = True
    monkeypatch.setattr(upload_rate, "_rate", "2/d")
    one, other = caller(cast.member), caller(cast.owner)
    path = submissions_path(cast)
    assert [one.post(path).status_code for _ in range(2)] == [422, 422]
    response = one.post(path)
    problem(response, 429)
    assert int(response["Retry-After"]) >= 1
    assert other.post(path).status_code == 422
    settings.RATELIMIT_ENABLE = False
    assert one.post(path).status_code == 422


def test_an_unexpected_error_says_nothing_of_itself(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_args: object, **_options: object) -> None:
        raise RuntimeError("Rain falls on a tin roof.")

    monkeypatch.setattr("leaderboard.api.boards.select", fail)
    response = caller(None).get(board_path(cast))
    problem(response, 500)
    assert b"Rain" not in response.content
    assert "Rain falls" in caplog.text
