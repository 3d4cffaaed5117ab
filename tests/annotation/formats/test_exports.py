"""Files out: for managers alone, in every format, piece by piece."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Annotation, Answer, Gold, Role
from annotation.selectors.formats import FORMATS, ExportSelection, download_of, export_rows
from annotation.selectors.projects import worker_names
from annotation.services.projects import ProjectAct, member_let_in, member_remove, member_take_out
from leaderboard.models import AuditEvent
from tests.annotation.conftest import NOW, Crew
from tests.annotation.formats.test_imports import bring as bring_records
from tests.annotation.formats.test_imports import exported, record
from tests.annotation.labelled import label
from tests.factories import UserFactory

API = "/api/v1/labelling"


@pytest.fixture
def worked(crew: Crew) -> Crew:
    """Two people on the first caption, one of them on the second, which she rejects."""
    label(crew.items[0], crew.ann, (1, 1, "WHO"), (2, 3, "HOW"))
    label(crew.items[0], crew.bob, (1, 2, "WHO"))
    label(crew.items[1], crew.ann, answer=Answer.REJECT)
    Gold.objects.create(
        item=crew.items[0],
        labels=["O", "WHO", "HOW", "O", "O", "O", "O"],
        spans=[{"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "WHO"}],
        provenance=[],
        settled_at=NOW,
    )
    return crew


def fetch(crew: Crew, **asked: str) -> bytes:
    response = crew.client(crew.manager).get(f"/annotate/{crew.project.slug}/export/", asked)
    assert response.status_code == 200, asked
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


def rows(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def test_files_have_the_work_of_whom_and_the_answers_that_were_asked_for(worked: Crew) -> None:
    found = rows(fetch(worked))
    sessions = [f"{worked.project.slug}-{user}" for user in (worked.ann, worked.bob, worked.ann)]
    assert [row["_session_id"] for row in found] == sessions
    assert [row["answer"] for row in found] == ["accept", "accept", "reject"]
    assert len(rows(fetch(worked, who=worked.ann.username))) == 2
    assert len(rows(fetch(worked, answer="accept"))) == 2
    assert len(rows(fetch(worked, who=worked.ann.username, answer="reject"))) == 1
    assert rows(fetch(worked, answer="ignore")) == []
    (gold,) = rows(fetch(worked, who="gold"))
    assert gold["_session_id"] == f"{worked.project.slug}-gold"
    assert [span["label"] for span in gold["spans"]] == ["WHO"]
    # Files for training have what was accepted unless asked otherwise.
    assert len(rows(fetch(worked, format="hf"))) == 2
    assert len(rows(fetch(worked, format="hf", answer="any"))) == 3
    member_remove(member=worked.project.members.get(user=worked.bob))
    found = rows(fetch(worked, who=worked.bob.username))
    assert [row["_annotator_id"] for row in found] == [f"{worked.project.slug}-{worked.bob}"]


def test_every_format_of_nothing_is_a_file(crew: Crew) -> None:
    for name, one in FORMATS.items():
        address = f"/annotate/{crew.project.slug}/export/"
        response = crew.client(crew.manager).get(address, {"format": name})
        assert response["Content-Type"] == one.content_type
        expected = f'attachment; filename="{crew.project.slug}-all.{name}.{one.ending}"'
        assert response["Content-Disposition"] == expected
        b"".join(response.streaming_content)  # type: ignore[attr-defined]


def test_what_there_is_not_is_refused(worked: Crew) -> None:
    client, slug = worked.client(worked.manager), worked.project.slug
    for wrong in ({"format": "xml"}, {"who": worked.outsider.username}, {"answer": "maybe"}):
        assert client.get(f"/annotate/{slug}/export/", wrong).status_code == 404
    assert client.get(f"{API}/{slug}/export", {"format": "xml"}).status_code == 422
    assert client.get(f"{API}/{slug}/export", {"who": "x"}).status_code == 404


def test_a_large_file_comes_in_pieces(worked: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.selectors.formats.PIECE", 100)
    pieces = list(download_of(worked.project, "prodigy", ExportSelection(answer="any")).pieces)
    assert len(pieces) == 3
    assert b"".join(pieces).count(b"\n") == 3


def bring(client: Client, crew: Crew, data: bytes, name: str = "x.jsonl", **form: str) -> Any:
    file = SimpleUploadedFile(name, data)
    return client.post(f"{API}/{crew.project.slug}/import", {"file": file, **form})


def test_the_api_takes_what_it_gave(worked: Crew) -> None:
    client = worked.client(worked.manager)
    response = client.get(f"{API}/{worked.project.slug}/export")
    data = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert data == fetch(worked)
    report = bring(client, worked, data).json()
    assert (report["annotations"], report["unchanged"], report["left_out"]) == (0, 3, 0)


def test_the_api_tells_what_it_left_out(crew: Crew) -> None:
    data = b'{"text": "one dog"}\n{"text": 5}'
    report = bring(crew.client(crew.manager), crew, data).json()
    assert (report["captions"], report["left_out"]) == (1, 1)
    assert report["skipped"] == [
        {"line": 2, "value": "5", "why": "There is no text.", "fix": 'Every record needs "text".'}
    ]
    table = bring(crew.client(crew.manager), crew, b"caption\ntwo cats\n", "x.csv").json()
    assert table["captions"] == 1
    assert AuditEvent.objects.filter(action="labelling.fill", actor=crew.manager).count() == 2


def test_the_api_refuses_labels_of_an_unknown_scheme_and_what_is_too_large(
    crew: Crew, settings: Any
) -> None:
    client = crew.client(crew.manager)
    response = bring(client, crew, b"{}", map_from="aces-99")
    assert response.status_code == 422
    assert 'There is no inventory "aces-99"' in response.json()["detail"]
    settings.MAX_UPLOAD_BYTES = 10
    assert bring(client, crew, b'{"text": "one dog"}').status_code == 413
    assert not Annotation.objects.exists()


def test_no_two_people_have_one_name_in_files(crew: Crew) -> None:
    """A session of a file is called as somebody's log-in, who joined, worked and was removed."""
    bring_records(crew.project, {**record("real"), "text": crew.items[0].text})
    real = UserFactory.create(username="real")
    act = ProjectAct(crew.manager, NOW)
    joined = member_let_in(project=crew.project, user=real, role=Role.ANNOTATOR, act=act)
    for item in crew.items[:2]:
        label(item, real, (0, 0, "HOW"))
    member_take_out(member=joined, act=act)
    assert {"real", "real (left)"} <= set(worker_names(crew.project).values())
    sessions = [json.loads(line)["_session_id"] for line in exported(crew.project).splitlines()]
    left = f"{crew.project.slug}-real (left)"
    assert sessions == ["real", left, left]
    rows = list(export_rows(crew.project, ExportSelection("real")))
    assert [row.line != "" for row in rows] == [True]
