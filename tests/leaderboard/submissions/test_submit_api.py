"""Protect handing in through the API: what is taken, what is refused, what is told."""

import hashlib
import json
from pathlib import Path

from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from leaderboard.models import AuditEvent, Submission
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
        "sentence": "No worker serves the queues cpu and gpu now, so there is no estimate.",
    }
    assert found["submitted_at"].endswith("Z")
    assert len(sent) == 1, "the evaluations are sent once the transaction is committed"
    assert AuditEvent.objects.filter(action="submission.accept", actor=cast.member).exists()


def test_a_person_submits_for_a_team_of_theirs_and_says_for_which_of_several(cast: Cast) -> None:
    path, form = submissions_path(cast), {"system_name": "S"}
    for who in (cast.outsider, cast.organiser):
        problem(caller(who).post(path, file=file(), **form, team=cast.team.slug), 404)
        assert "no team" in problem(caller(who).post(path, file=file(), **form), 422)["detail"]
    other = TeamFactory.create()
    join(other, cast.member)
    found = problem(caller(cast.member).post(path, file=file(), **form), 422)
    assert cast.team.slug in found["detail"]
    assert other.slug in found["detail"]
    assert found["faults"][0]["column"] == "team"
    assert not Submission.objects.exists()


def test_an_upload_with_the_same_key_is_taken_once(cast: Cast) -> None:
    user, path = caller(cast.member), submissions_path(cast)
    cast.rules(quota_total=1)
    keyed = {"Idempotency-Key": "once"}
    first = user.post(path, keyed, file=file(), system_name="S")
    again = user.post(path, keyed, file=file(), system_name="S")
    assert (first.status_code, again.status_code) == (201, 200)
    assert body(first)["id"] == body(again)["id"]
    join(TeamFactory.create(), cast.outsider)
    theirs = caller(cast.outsider).post(path, keyed, file=file(), system_name="S")
    assert theirs.status_code == 201, "a key is its team's own"
    other = file(CANDIDATES.replace(b"a door slams", b"a door is shut"))
    found = problem(user.post(path, keyed, file=other, system_name="S"), 409)
    assert "used for another file" in found["detail"]
    wrong = {"Idempotency-Key": "a b"}
    refused = problem(user.post(path, wrong, file=file(), system_name="S"), 422)
    assert [fault["column"] for fault in refused["faults"]] == ["Idempotency-Key"]


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


def test_fields_that_cannot_be_stored_are_named(cast: Cast) -> None:
    client = caller(cast.member)
    for field, values in {
        "system_name": ("", " ", "x" * 81, "a\u202eb", "a\x00b"),
        "description": ("a\x00b", "x" * 2001),
        "team": ("a\x00b",),
        "metadata": (
            "no JSON",
            "[1]",
            '{"a": NaN}',
            '{"a": 1e999}',
            '{"a": "\\u0000"}',
            '{"\\ud800": 1}',
            "[" * 15000,
            '{"a":' * 9 + "1" + "}" * 9,
            json.dumps({"a": "x" * 20_000}),
            '{"a": ' + "9" * 5000 + "}",
        ),
        "file": ("no file",),
    }.items():
        for value in values:
            form = {"file": file(), "system_name": "S", field: value}
            found = problem(client.post(submissions_path(cast), **form), 422)
            assert [fault["column"] for fault in found["faults"]] == [field]
    assert not Submission.objects.exists()


def test_a_file_that_is_too_large_is_refused_unread(cast: Cast, settings: Settings) -> None:
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
    problem(client.generic("POST", path, b"x", headers={"Content-Length": "-1"}), 400)


def test_a_spent_quota_says_when_there_is_a_new_one(cast: Cast) -> None:
    cast.rules(quota_per_day=1)
    submit(cast.phase, cast.team)
    response = caller(cast.member).post(submissions_path(cast), file=file(), system_name="S")
    found = problem(response, 409)
    assert found["resets_at"].endswith("T00:00:00Z")
    assert Submission.objects.count() == 1


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
