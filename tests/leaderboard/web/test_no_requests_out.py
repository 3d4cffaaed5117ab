"""The server asks no address that anyone names: it hands them on to browsers, or keeps them."""

import ast
import socket
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection

from leaderboard.models import Submission
from tests.docs.source_tree import ROOT, SourceTree
from tests.factories import CANDIDATES, submit
from tests.leaderboard.conftest import Cast

# What could ask: the participants' client is a program of its own, on their machine.
CLIENTS = {"aiohttp", "ftplib", "http.client", "httpx", "requests", "urllib.request", "urllib3"}
MAY_ASK = "earmark.client."
# Asks language models that the administrator named, where organisers agreed.
ASKS = "leaderboard.services.outside.asking"
# A name of an error, of a log-in provider that does not answer.
AN_ERROR = ("requests", "RequestException")
FROM_A_HUB = {"from_pretrained", "snapshot_download", "hf_hub_download", "SentenceTransformer"}
METADATA = "https://169.254.169.254/latest"


def test_no_module_of_the_server_can_ask() -> None:
    asking = [
        (name, source)
        for name, module in SourceTree().modules.items()
        for _, source, part in module.imports
        if not name.startswith(MAY_ASK) and name != ASKS and (source, part) != AN_ERROR
        if {source, f"{source}.{part}"} & CLIENTS
    ]
    assert asking == []


def test_models_are_read_from_this_machine_alone() -> None:
    calls = [
        call
        for package in ("earmark", "leaderboard", "annotation")
        for path in (ROOT / package).rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and _called(call) in FROM_A_HUB
    ]
    assert len(calls) > 4
    for call in calls:
        options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        assert options.get("local_files_only", options.get(None)) in {"True", "wanted"}, (
            ast.unparse(call)
        )


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, db: None) -> list[object]:
    """Where connections go and which names are looked up, but for this machine's own services."""
    connection.ensure_connection()
    found: list[object] = []

    def noted(place: object) -> None:
        host = place[0] if isinstance(place, tuple) else place
        if host not in {"127.0.0.1", "localhost"} and not str(host).startswith("/"):
            found.append(place)

    for name in ("connect", "connect_ex"):
        original = getattr(socket.socket, name)

        def connect(self: socket.socket, place: Any, original: Any = original) -> Any:
            noted(place)
            return original(self, place)

        monkeypatch.setattr(socket.socket, name, connect)
    looked_up = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        noted(host)
        return looked_up(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return found


def test_no_address_of_an_organiser_is_asked(
    cast: Cast, asked: list[object], settings: Any, tmp_path: Path
) -> None:
    """Even where private networks are allowed: of recordings, and in texts."""
    settings.PRIVATE_ADDRESSES = True
    settings.AUDIO_DIR = tmp_path
    organiser, member = cast.client(cast.organiser), cast.client(cast.member)
    root = f"/manage/{cast.phase.challenge.slug}"
    audio = f"{root}/{cast.phase.slug}/audio/"
    assert organiser.post(audio, {"act": "address", "address": METADATA}).status_code == 302
    call_command("add_audio", f"{cast.phase.challenge.slug}/{cast.phase.slug}", METADATA)
    text = f"![x]({METADATA}/a.png) <{METADATA}> <img src='{METADATA}'>"
    assert organiser.post(f"{root}/text/preview/", {"body": text}).status_code == 200
    news = {"title": "News", "text": text}
    assert organiser.post(f"{root}/announcements/", news).status_code == 302
    assert member.get(f"/c/{cast.phase.challenge.slug}/").status_code == 200
    submission = submit(cast.phase, cast.team)
    assert member.get(f"/s/{submission.public_id}/clips/1/").status_code == 200
    sent = member.get(f"/audio/{cast.phase.reference_set_id}/1/")
    assert (sent.status_code, sent["Location"]) == (302, f"{METADATA}/rain.wav")
    assert asked == []


def test_no_address_of_a_participant_is_asked(cast: Cast, asked: list[object]) -> None:
    """Of source code and of data, as the metadata of a system name them."""
    metadata = (
        f"submission:\n  label: Doe_X_task6_1\n  name: System\n"
        f"system:\n  source_code: {METADATA}\n"
        f"  external_datasets:\n    - name: Clips\n      url: {METADATA}\n"
    ).encode()
    form = {
        "team": cast.team.pk,
        "system_name": "System",
        "source_code": METADATA,
        "file": SimpleUploadedFile("captions.csv", CANDIDATES),
        "metadata_file": SimpleUploadedFile("Doe_X_task6_1.meta.yaml", metadata),
    }
    client = cast.client(cast.member)
    page = f"/c/{cast.phase.challenge.slug}/{cast.phase.slug}/submit/"
    assert client.post(page, form).status_code == 302
    submission = Submission.objects.get()
    assert METADATA in str(submission.metadata)
    assert METADATA in client.get(f"/s/{submission.public_id}/about/").content.decode()
    assert asked == []
