"""Labellers through the API: the same people, the same rules, the same words."""

import zipfile
from io import BytesIO

import pytest
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.core.management import call_command
from pytest_django import Settings

from leaderboard.models import Labeller, LabellerUse
from leaderboard.selectors.labellers.files import folder_of, shipped_identity
from leaderboard.selectors.labellers.use import identity_in_use
from tests.labellers import registered
from tests.leaderboard.api_client import Caller, body, caller, file, problem
from tests.leaderboard.conftest import Cast

pytestmark = [
    pytest.mark.one_database,
    pytest.mark.django_db,
    pytest.mark.usefixtures("own_labellers"),
]


@pytest.fixture
def publisher(cast: Cast) -> Caller:
    call_command("allow_labellers", cast.organiser.username)
    return caller(cast.organiser)


def test_of_who_may_not_send_one_no_large_file_is_kept(
    publisher: Caller, cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anyone with an account has a token, and could fill the disk with it."""
    settings.MAX_UPLOAD_BYTES = 1_000
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    kept: list[int] = []
    close = TemporaryUploadedFile.close

    def closed(file: TemporaryUploadedFile) -> None:
        kept.append(file.size or 0)
        close(file)

    monkeypatch.setattr(TemporaryUploadedFile, "close", closed)
    large = b"x" * 900_000
    for who in (caller(cast.member), caller(cast.outsider), Caller()):
        answer = who.post("/labellers", file=file(large, "x.zip"))
        assert answer.status_code in {401, 404}
    assert max(kept, default=0) < 200_000, "a chunk more than the limit"
    problem(publisher.post("/labellers", file=file(large, "x.zip")), 422)
    assert max(kept) == len(large)


def test_the_whole_way(publisher: Caller, cast: Cast) -> None:
    """Fetched, deleted, sent in again, put to use, rolled back."""
    row, shipped = registered(), shipped_identity()
    listed = body(publisher.get("/labellers"))
    assert [one["identity"] for one in listed] == [shipped, row.identity]
    assert [one["in_use"] for one in listed] == [True, False]
    told = body(publisher.get(f"/labellers/{row.identity}"))
    assert told["scores"]["micro"] == 0.61
    assert told["recipe"]["method"] == "lora"
    assert told["fault"] == ""
    assert "quillwort" not in str(told)
    answer = publisher.get(f"/labellers/{row.identity}/file")
    data = answer.getvalue()
    assert set(zipfile.ZipFile(BytesIO(data)).namelist()) > {"config.json", "model.safetensors"}
    assert publisher.send("delete", f"/labellers/{row.identity}", {}).status_code == 204
    problem(publisher.get(f"/labellers/{row.identity}"), 404)

    sent = publisher.post("/labellers", file=file(data, "tiny.zip"), name="Mine", note="x")
    assert sent.status_code == 201, sent.content
    assert body(sent)["sha256"] == row.sha256
    assert publisher.post("/labellers", file=file(data, "tiny.zip")).status_code == 200
    assert Labeller.objects.count() == 1

    use = f"/labellers/{row.identity}/use"
    late = problem(publisher.send("post", use, {"reason": "a", "seen": "b@00000000"}), 409)
    assert shipped in late["detail"]
    assert body(publisher.send("post", use, {"reason": "a", "seen": shipped}))["in_use"]
    assert identity_in_use() == row.identity
    problem(publisher.send("post", use, {"reason": "a"}), 409)
    problem(publisher.send("delete", f"/labellers/{row.identity}", {}), 409)
    back = publisher.send("post", "/labellers/roll-back", {"seen": row.identity})
    assert body(back)["identity"] == shipped
    assert LabellerUse.objects.count() == 2


def test_who_only_looks_is_refused_and_who_does_not_learns_nothing(cast: Cast) -> None:
    row = registered()
    looks, other = caller(cast.organiser), caller(cast.member)
    assert looks.get(f"/labellers/{row.identity}").status_code == 200
    use = f"/labellers/{row.identity}/use"
    for who, status in ((looks, 403), (other, 404), (caller(None), 401)):
        problem(who.send("post", use, {"reason": "a"}), status)
        problem(who.send("post", "/labellers/roll-back", {}), status)
        problem(who.send("delete", f"/labellers/{row.identity}", {}), status)
        problem(who.post("/labellers", file=file(b"PK", "x.zip")), status)
    problem(other.get("/labellers"), 404)
    problem(other.get(f"/labellers/{row.identity}/file"), 404)
    assert not LabellerUse.objects.exists()


def test_what_is_no_labeller_is_refused_in_words(publisher: Caller, settings: Settings) -> None:
    refused = problem(publisher.post("/labellers", file=file(b"no zip", "x.zip")), 422)
    assert "is not a zip" in refused["detail"]
    settings.MAX_LABELLER_BYTES = -1_999_000
    assert "limit" in problem(publisher.post("/labellers", file=file(b"x" * 5000)), 413)["detail"]


def test_tampered_files_are_told_and_not_sent(publisher: Caller) -> None:
    row = registered()
    (folder_of(row.sha256) / "config.json").unlink()
    assert "missing" in body(publisher.get(f"/labellers/{row.identity}"))["fault"]
    problem(publisher.get(f"/labellers/{row.identity}/file"), 409)
    told = problem(publisher.send("post", f"/labellers/{row.identity}/use", {"reason": "a"}), 409)
    assert "not as they were stored" in told["detail"]
    assert identity_in_use() == shipped_identity()
