"""Protect handing in through the API: what is taken, what is refused, what is told."""

import hashlib
import json
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.models import AuditEvent, Submission, TeamRole
from tests.factories import CANDIDATES, TeamFactory, join, submit
from tests.leaderboard.api_client import ROOT, body, caller, file, problem, submissions_path
from tests.leaderboard.conftest import Cast
from tests.leaderboard.submissions.test_submit_page import address, entry


def test_a_member_submits(
    cast: Cast, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks() as sent:
        response = caller(cast.member).post(
            submissions_path(cast),
            file=file(),
            team=cast.team.slug,
            system_name="  Listener   2 ",
            description="Hears.",
            metadata='{"ensemble": false, "total_parameters": 1000}',
        )
    assert response.status_code == 201, response.content
    found = body(response)
    stored = Submission.objects.get()
    assert found["id"] == stored.public_id
    assert response["Location"] == f"http://testserver{ROOT}/submissions/{stored.public_id}"
    assert found["links"]["page"] == f"http://testserver/s/{stored.public_id}/"
    assert found["system_name"] == stored.system_name == "Listener 2"
    assert stored.metadata == {
        "system": {"description": {"ensemble": False}, "complexity": {"total_parameters": 1000}}
    }
    assert stored.submitted_by == cast.member
    assert found["file"] == {
        "name": "candidates.csv",
        "sha256": hashlib.sha256(CANDIDATES).hexdigest(),
    }
    assert (found["progress"], found["eta_seconds"], found["metrics"]) == (0.0, None, {})
    assert found["waiting"] == {
        "submissions_before": 0,
        "low_seconds": None,
        "high_seconds": None,
        "rough": False,
        "unserved_queues": ["cpu", "gpu"],
        "sentence": "No worker serves the queues cpu and gpu now, "
        "so nobody knows when it is scored.",
    }
    assert found["submitted_at"].endswith("Z")
    assert len(sent) == 1, "the evaluations are sent once the transaction is committed"
    assert AuditEvent.objects.filter(action="submission.accept", actor=cast.member).exists()


def test_a_label_is_taken_from_the_metadata_however_they_come(cast: Cast) -> None:
    user, path = caller(cast.member), submissions_path(cast)
    label = '{"submission": {"label": "Kim_SNU_task6_1"}}'
    assert body(user.post(path, file=file(), system_name="S", metadata=label))["label"] == (
        "Kim_SNU_task6_1"
    )
    named = file(name="Kim_SNU_task6_2_output.csv")
    assert body(user.post(path, file=named, system_name="S"))["label"] == "Kim_SNU_task6_2"


def test_an_upload_with_the_same_key_is_taken_once(cast: Cast) -> None:
    user, path = caller(cast.member), submissions_path(cast)
    cast.rules(quota_total=1)
    keyed = {"Idempotency-Key": "once"}
    first = user.post(path, keyed, file=file(), system_name="S")
    again = user.post(path, keyed, file=file(), system_name="S")
    assert (first.status_code, again.status_code) == (201, 200)
    assert body(first)["id"] == body(again)["id"]
    other = file(CANDIDATES.replace(b"a door slams", b"a door is shut"))
    found = problem(user.post(path, keyed, file=other, system_name="S"), 409)
    assert "used for another file" in found["detail"]
    wrong = {"Idempotency-Key": "a b"}
    refused = problem(user.post(path, wrong, file=file(), system_name="S"), 422)
    assert [fault["column"] for fault in refused["faults"]] == ["Idempotency-Key"]


def test_the_team_may_be_left_out_by_a_person_of_one_team(cast: Cast) -> None:
    response = caller(cast.member).post(submissions_path(cast), file=file(), system_name="S")
    assert body(response)["team"]["slug"] == cast.team.slug


def test_a_person_of_two_teams_must_say_which(cast: Cast) -> None:
    other = TeamFactory.create()
    join(other, cast.member)
    response = caller(cast.member).post(submissions_path(cast), file=file(), system_name="S")
    found = problem(response, 422)
    assert cast.team.slug in found["detail"]
    assert other.slug in found["detail"]
    assert found["faults"][0]["column"] == "team"


def test_a_person_of_no_team_hears_so(cast: Cast) -> None:
    response = caller(cast.outsider).post(submissions_path(cast), file=file(), system_name="S")
    assert "no team" in problem(response, 422)["detail"]


@pytest.mark.parametrize("who", ["outsider", "organiser"])
def test_nobody_submits_for_a_team_of_others(cast: Cast, who: str) -> None:
    response = caller(getattr(cast, who)).post(
        submissions_path(cast), file=file(), system_name="S", team=cast.team.slug
    )
    problem(response, 404)
    assert not Submission.objects.exists()


def test_every_fault_of_a_file_is_told_at_once_and_costs_nothing(cast: Cast) -> None:
    cast.rules(quota_total=1)
    faulty = (
        b"file_name,caption_predicted\n"
        b"rain.wav,rain falls\n"
        b"dog.wav,\n"
        b"cat.wav,a cat purrs\n"
        b"train.wav,a train\n"
        b"train.wav,another train\n"
        b"door.wav,a door\n"
    )
    user = caller(cast.member)
    found = problem(user.post(submissions_path(cast), file=file(faulty), system_name="S"), 422)
    lines = {fault["line"] for fault in found["faults"] if fault["severity"] == "error"}
    # An empty caption, an unknown clip and a second caption; and a clip that is missing.
    assert {3, 4, 6} <= lines
    assert any("bell, small.wav" in fault["value"] for fault in found["faults"])
    assert "no quota was used" in found["detail"]
    assert not Submission.objects.exists()
    again = user.post(submissions_path(cast), file=file(), system_name="S")
    assert again.status_code == 201


def test_faults_of_hidden_references_name_no_caption_of_theirs(cast: Cast) -> None:
    cast.rules(references_public=False)
    response = caller(cast.member).post(
        submissions_path(cast), file=file(b"file_name,caption_predicted\n"), system_name="S"
    )
    problem(response, 422)
    for word in (b"Rain falls", b"tin roof", b"barks twice"):
        assert word not in response.content


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"system_name": ""}, "system_name"),
        ({"system_name": " "}, "system_name"),
        ({"system_name": "x" * 81}, "system_name"),
        ({"system_name": "a\u202eb"}, "system_name"),
        ({"system_name": "a\x00b"}, "system_name"),
        ({"description": "a\x00b"}, "description"),
        ({"description": "x" * 2001}, "description"),
        ({"team": "a\x00b"}, "team"),
        ({"metadata": "no JSON"}, "metadata"),
        ({"metadata": "[1]"}, "metadata"),
        ({"metadata": '{"a": NaN}'}, "metadata"),
        ({"metadata": '{"a": 1e999}'}, "metadata"),
        ({"metadata": '{"a": "\\u0000"}'}, "metadata"),
        ({"metadata": '{"\\ud800": 1}'}, "metadata"),
        ({"metadata": "[" * 15000}, "metadata"),
        ({"metadata": '{"a":' * 9 + "1" + "}" * 9}, "metadata"),
        ({"metadata": json.dumps({"a": "x" * 20_000})}, "metadata"),
        ({"metadata": '{"a": ' + "9" * 5000 + "}"}, "metadata"),
        ({"file": "no file"}, "file"),
    ],
)
def test_fields_that_cannot_be_stored_are_named(
    cast: Cast, change: dict[str, str], field: str
) -> None:
    form = {"file": file(), "system_name": "S", **change}
    found = problem(caller(cast.member).post(submissions_path(cast), **form), 422)
    assert [fault["column"] for fault in found["faults"]] == [field]
    assert not Submission.objects.exists()


def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    cast: Cast, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    user = caller(cast.member)
    # 300 KB is told by Content-Length, 2 KB only by the size of the file itself.
    for size in (300_000, 2_000):
        upload = file(CANDIDATES + b"\n" * size)
        found = problem(user.post(submissions_path(cast), file=upload, system_name="S"), 413)
        assert "0.001 MB" in found["detail"]
    assert not Submission.objects.exists()


def test_a_body_that_is_no_form_is_refused(cast: Cast) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller(cast.member).secret}"})
    path = ROOT + submissions_path(cast)
    problem(client.post(path, b"{}", content_type="application/json"), 422)
    problem(client.post(path, b"x", content_type="multipart/form-data"), 400)
    problem(client.post(path, b"x", content_type="multipart/form-data; boundary=b"), 422)


def test_a_closed_phase_takes_nothing(cast: Cast) -> None:
    cast.rules(closes_at=timezone.now())
    response = caller(cast.member).post(submissions_path(cast), file=file(), system_name="S")
    assert "closed on" in problem(response, 409)["detail"]


def test_a_spent_quota_says_when_there_is_a_new_one(cast: Cast) -> None:
    cast.rules(quota_per_day=1)
    submit(cast.phase, cast.team)
    response = caller(cast.member).post(submissions_path(cast), file=file(), system_name="S")
    found = problem(response, 409)
    assert found["resets_at"].endswith("T00:00:00Z")
    assert Submission.objects.count() == 1


def test_a_hidden_phase_takes_nothing_and_is_not_there(cast: Cast) -> None:
    cast.phase.challenge.published = False
    cast.phase.challenge.save()
    problem(caller(cast.member).post(submissions_path(cast), file=file(), system_name="S"), 404)


def test_an_owner_submits_like_a_member(cast: Cast) -> None:
    assert cast.team.memberships.filter(user=cast.owner, role=TeamRole.OWNER).exists()
    response = caller(cast.owner).post(submissions_path(cast), file=file(), system_name="S")
    assert response.status_code == 201


def test_a_length_that_is_none_is_refused(cast: Cast) -> None:
    client = Client(headers={"Authorization": f"Bearer {caller(cast.member).secret}"})
    response = client.generic(
        "POST", ROOT + submissions_path(cast), b"x", headers={"Content-Length": "-1"}
    )
    problem(response, 400)


def test_a_disk_without_room_is_told_and_nothing_is_taken(
    cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    """A folder that is not there refuses as one does that is full."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "gone")
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    answer = caller(cast.member).post(submissions_path(cast), file=file(), system_name="S")
    assert "no room" in problem(answer, 503)["detail"]
    assert answer["Retry-After"] == "60"
    browser = cast.client(cast.member)
    assert browser.post(address(cast.phase), entry(cast.team)).status_code == 503
    assert not Submission.objects.exists()
