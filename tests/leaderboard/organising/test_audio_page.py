"""The page on which organisers give clips their sound, and the command beside it."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from leaderboard.forms.uploads import CappedUpload
from leaderboard.models import AudioFile
from leaderboard.services.clips.audio import audio_base_url_checked
from leaderboard.web.refusals import Refused
from tests.leaderboard.conftest import Cast
from tests.sounds import wav, zipped


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIO_DIR = tmp_path / "audio"
    return tmp_path / "audio"


def upload(tmp_path: Path, files: dict[str, bytes]) -> dict[str, SimpleUploadedFile]:
    path = zipped(files, tmp_path / "a.zip")
    return {"file": SimpleUploadedFile("a.zip", path.read_bytes())}


@pytest.mark.parametrize("large", [False, True])
def test_a_zip_is_taken_and_reported_on_and_everything_can_be_removed(
    cast: Cast, tmp_path: Path, settings: Any, large: bool
) -> None:
    if large:
        # What is larger than this goes through a file and not through memory.
        settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    files = {"rain.wav": wav(), "dog.wav": b"no sound", "<cat>.wav": wav()}
    client = cast.client(cast.organiser)
    response = client.post(cast.at("manage-audio"), upload(tmp_path, files))
    assert response.status_code == 200
    for told in (
        "1 recording stored",
        "1 refused, 1 not in the references, 4 clips still without sound",
        "It is not a sound",
        "&lt;cat&gt;.wav",
    ):
        assert told in response.content.decode()
    assert "1 of 5" in client.get(cast.at("manage-audio")).content.decode()
    client.post(cast.at("manage-audio"), {"act": "delete"})
    assert not AudioFile.objects.exists()
    # An address is noted and taken back.
    path, kept = cast.at("manage-audio"), cast.phase.reference_set
    assert kept is not None
    for address, noted in (
        (" https://Sounds.example.org/clips/ ", "https://Sounds.example.org/clips"),
        ("", ""),
    ):
        assert client.post(path, {"act": "address", "address": address}).status_code == 302
        kept.refresh_from_db()
        assert kept.audio_base_url == noted


def test_what_is_no_archive_or_too_large_is_refused_in_words(cast: Cast, settings: Any) -> None:
    client = cast.client(cast.organiser)
    assert "Choose the zip" in client.post(cast.at("manage-audio")).content.decode()
    for content, told in (
        (b"", "is not a zip"),
        (b"not a zip" * 50, "is not a zip"),
        (bytes(300_000), "larger than the limit"),
    ):
        if "limit" in told:
            settings.MAX_AUDIO_BYTES = 500
        data = {"file": SimpleUploadedFile("a.zip", content)}
        response = client.post(cast.at("manage-audio"), data)
        assert response.status_code == 422
        assert told in response.content.decode()


def test_nothing_is_read_of_who_may_not_send(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        pytest.fail("The upload was read.")

    monkeypatch.setattr(CappedUpload, "new_file", read)
    for user, status in ((cast.outsider, 404), (cast.member, 404), (None, 302)):
        data = {"file": SimpleUploadedFile("a.zip", bytes(3000))}
        assert cast.client(user).post(cast.at("manage-audio"), data).status_code == status


BAD = (
    "http://sounds.example.org",
    "ftp://sounds.example.org",
    "javascript:alert(1)",
    "https://",
    "https://user:pass@sounds.example.org",
    "https://a;script-src *",
    "https://sounds.example.org/?q=",
    "https://sounds.example.org/#x",
    "https://sounds.example.org/a b",
    "https://sounds.example.org/<b>",
    "https://sounds.example.org:99999",
    "https://[::1",
    "https://sounds.example.org/\r\nSet-Cookie: a=b",
    f"https://sounds.example.org/{'a' * 200}",
)
PRIVATE = (
    "localhost",
    "sounds.localhost",
    "nas",
    "nas.local",
    "metadata.google.internal",
    "router.home.arpa",
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "224.0.0.1",
    "[::1]",
    "[fd00::1]",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
)


def test_an_address_that_could_harm_is_refused_and_stays_typed(cast: Cast, settings: Any) -> None:
    for address in (*BAD, *(f"https://{host}/clips" for host in PRIVATE)):
        with pytest.raises(Refused, match="cannot be used"):
            audio_base_url_checked(address)
    response = cast.client(cast.organiser).post(
        cast.at("manage-audio"), {"act": "address", "address": "https://nas.local"}
    )
    assert response.status_code == 422
    assert "errorlist" in response.content.decode()
    for host in ("1.1.1.1", "sounds.example.org", "localhost.example.org"):
        assert audio_base_url_checked(f"https://{host}/clips") == f"https://{host}/clips"
    settings.PRIVATE_ADDRESSES = True
    for host in ("nas.local", "10.1.2.3"):
        assert audio_base_url_checked(f"https://{host}") == f"https://{host}"


def test_the_command_takes_a_folder_a_zip_and_an_address(
    cast: Cast, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = f"{cast.phase.challenge.slug}/{cast.phase.slug}"
    below = tmp_path / "clips" / "deep"
    below.mkdir(parents=True)
    (below / "rain.flac").write_bytes(wav())
    (below / "notes.txt").write_text("no sound")
    call_command("add_audio", where, str(tmp_path / "clips"))
    told = capsys.readouterr().out
    assert "1 recordings stored" in told
    assert "1 not in the references\n  deep/notes.txt" in told
    call_command("add_audio", where, str(zipped({"dog.wav": wav()}, tmp_path / "a.zip")))
    assert AudioFile.objects.count() == 2
    call_command("add_audio", where, "https://sounds.example.org")
    for phase, source, why in (
        ("none/none", "x", "no phase"),
        (where, str(tmp_path / "none.zip"), "There is no"),
        (where, "http://sounds.example.org", "must begin with https"),
    ):
        with pytest.raises(CommandError, match=why):
            call_command("add_audio", phase, source)
