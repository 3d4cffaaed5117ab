"""Protect the client: what it says, how it ends, that it sends once, that it needs no Django."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from earmark.cli.parser import main
from earmark.client.command_line import RequestRefused, Unreachable
from earmark.client.server import ATTEMPTS, Account, Server, account_read
from leaderboard.models import Challenge, Submission, TeamRole
from leaderboard.services.people.accounts import token_create
from tests.earmark.packages.files import LABEL, METADATA, archive, package
from tests.factories import CANDIDATES, PhaseFactory, TeamFactory, UserFactory, join
from tests.http_server import Handler, serving

Run = Callable[..., int]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's empty configuration."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("EARMARK_URL", "EARMARK_TOKEN", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def place(transactional_db: None, live_server: LiveServer, home: Path) -> "Place":
    phase = PhaseFactory.create()
    user, team = UserFactory.create(), TeamFactory.create()
    join(team, user, TeamRole.OWNER)
    return Place(
        live_server.url,
        f"{phase.challenge.slug}/{phase.slug}",
        token_create(user=user, name="client")[1],
        user.username,
        home,
    )


class Place:
    """A server with an open phase, and a person of one team."""

    def __init__(self, url: str, phase: str, token: str, user: str, home: Path) -> None:
        self.url, self.phase, self.token, self.user, self.home = url, phase, token, user, home

    def file(self, name: str, data: bytes) -> str:
        """Write a file."""
        (self.home / name).write_bytes(data)
        return str(self.home / name)

    def run(self, *arguments: str) -> int:
        """Run a command as the person."""
        os.environ["EARMARK_TOKEN"] = self.token
        try:
            return main([*arguments, "--server", self.url])
        finally:
            del os.environ["EARMARK_TOKEN"]


# -- against a real server ---------------------------------------------------------


def test_login_keeps_the_token_to_its_owner_and_its_server(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("getpass.getpass", lambda _prompt: "ear_wrong")
    assert main(["login", "--server", place.url]) == 1
    assert "The token is not valid." in capsys.readouterr().err
    assert not (place.home / "config" / "earmark").exists()
    monkeypatch.setattr("getpass.getpass", lambda _prompt: place.token)
    assert main(["login", "--server", f"{place.url}/"]) == 0
    assert f"Logged in as {place.user}" in capsys.readouterr().out
    path = place.home / "config" / "earmark" / "client.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text()) == {"server": place.url, "token": place.token}
    assert main(["phases"]) == 0
    assert place.phase in capsys.readouterr().out


def test_the_token_of_the_environment_goes_to_its_own_server(home: Path) -> None:
    """A script's token must not go along when one command asks another server."""
    environment = {"EARMARK_URL": "https://one.example.org/", "EARMARK_TOKEN": "ear_one"}
    environment["XDG_CONFIG_HOME"] = str(home / "config")
    assert account_read(environment).token == "ear_one"
    assert account_read(environment, "https://one.example.org").token == "ear_one"
    assert account_read(environment, "https://two.example.org").token == ""
    del environment["EARMARK_URL"]
    assert account_read(environment, "https://two.example.org").token == "ear_one"


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://lab.example.org", True),
        ("https://lab.example.org", False),
        ("http://localhost:8000", False),
    ],
)
def test_a_token_is_not_sent_in_the_clear_without_a_word(address: str, told: bool) -> None:
    said: list[str] = []
    Server.of(Account(address, "ear_one"), said.append)
    assert any("not encrypted" in line for line in said) is told
    said.clear()
    Server.of(Account(address), said.append)
    assert not said, "without a token there is nothing to read"


def test_a_check_words_faults_as_the_server_does_and_stores_nothing(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    faulty = place.file(
        "c.csv", CANDIDATES.replace(b"a dog is barking", b"").replace(b"door.wav", b"dor.wav")
    )
    assert place.run("check", faulty, "--phase", place.phase) == 1
    here = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
    assert len(here) == 3
    assert place.run("check", faulty, "--phase", place.phase, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    answer = _post(place, Path(faulty).read_bytes())
    assert found["faults"] == answer["faults"]
    assert not found["good"]
    assert not Submission.objects.exists()


def _post(place: Place, data: bytes) -> Any:
    """Hand a file in past the check, to hear the server itself."""
    server = Server.of(Account(place.url, place.token), lambda _text: None)
    with pytest.raises(RequestRefused) as refused:
        server.upload(
            f"/phases/{place.phase}/submissions",
            fields={"system_name": "S"},
            files={"file": ("c.csv", data)},
            key="k",
        )
    return refused.value.answer


def test_a_package_is_submitted_with_all_that_is_in_it(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    file = place.file("p.zip", package(csv=CANDIDATES))
    assert place.run("submit", file, "--phase", place.phase, "--no-wait", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    stored = Submission.objects.get()
    assert (found["id"], found["label"]) == (stored.public_id, LABEL)
    assert stored.system_name == "Careful listener"
    assert stored.report is not None
    assert place.run("status", stored.public_id, "--no-wait") == 0
    out = capsys.readouterr().out
    assert f"{stored.public_id}: waiting" in out
    assert "No worker serves the queues cpu and gpu now, so there is no estimate." in out
    assert place.run("scores", stored.public_id) == 0
    assert "No scores yet." in capsys.readouterr().out
    assert place.run("leaderboard", place.phase) == 0
    assert "Careful listener" in capsys.readouterr().out


def test_terms_that_nobody_accepted_are_told_with_where_and_nothing_is_submitted(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    Challenge.objects.update(terms="Play fair.")
    file = place.file("c.csv", CANDIDATES)
    assert place.run("submit", file, "--phase", place.phase, "--name", "S", "--no-wait") == 1
    said = capsys.readouterr().err
    assert "has not accepted the terms" in said
    assert f"/take-part/{place.phase.partition('/')[0]}/" in said
    assert not Submission.objects.exists()


def test_an_upload_that_is_tried_again_is_taken_once(place: Place) -> None:
    file = place.file("c.csv", CANDIDATES)
    metadata = place.file("m.yaml", METADATA.encode())
    command = ("submit", file, "--phase", place.phase, "--no-wait", "--metadata", metadata)
    assert place.run(*command, "--key", "once") == 0
    assert place.run(*command, "--key", "once") == 0
    assert Submission.objects.count() == 1
    assert place.run(*command) == 0
    assert Submission.objects.count() == 2, "another run is another submission"
    other = place.file("d.csv", CANDIDATES.replace(b"a door slams", b"a door is shut"))
    assert place.run("submit", other, "--phase", place.phase, "--name", "X", "--key", "once") == 1


def test_ctrl_c_leaves_the_scoring_as_it_is_and_says_how_to_go_on(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    file = place.file("p.zip", package(csv=CANDIDATES))
    sleep = "earmark.client.server.time.sleep"
    with monkeypatch.context() as patched:
        patched.setattr(sleep, interrupt)
        assert place.run("submit", file, "--phase", place.phase) == 130
    stored = Submission.objects.get()
    err = capsys.readouterr().err
    assert f"python -m earmark status {stored.public_id}" in err
    assert err.count("No worker serves the queues cpu and gpu now") == 1
    assert stored.evaluations.filter(state="pending").exists()


def test_of_several_systems_the_client_says_how_to_choose(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = ("Kim_SNU_task6_1", "Kim_SNU_task6_2")
    file = place.file("p.zip", archive({f"{one}/{one}_output.csv": CANDIDATES for one in labels}))
    assert place.run("check", file, "--phase", place.phase) == 1
    assert "--system Kim_SNU_task6_1" in capsys.readouterr().err
    assert place.run("check", file, "--phase", place.phase, "--system", "2") == 0


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (("check", "none.csv", "--phase", "a/b"), 2, "none.csv cannot be read"),
        (("check", "{file}", "--phase", "nowhere"), 2, "Write CHALLENGE/PHASE"),
        (("check", "{file}", "--phase", "no/where"), 1, "nothing here"),
        (("status", "../me"), 1, ""),
        (("submit", "{file}", "--phase", "{phase}"), 1, "The system has no name."),
        (("submit", "{file}", "--phase", "{phase}", "--team", "others", "--name", "x"), 1, "in no"),
    ],
)
def test_what_goes_wrong_is_told_and_gives_its_code(
    place: Place, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], code: int, said: str
) -> None:
    file = place.file("c.csv", CANDIDATES)
    arguments = [part.format(file=file, phase=place.phase) for part in command]
    assert place.run(*arguments) == code
    assert said in capsys.readouterr().err
    assert not Submission.objects.exists()


def test_without_server_or_token_the_client_says_what_is_missing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["phases"]) == 2
    assert "login --server" in capsys.readouterr().err
    assert main(["nothing"]) == 2


# -- against a server that has no time ---------------------------------------------


@dataclass
class Scripted:
    """What a real HTTP server answers, and the keys that it was sent."""

    url: str = ""
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@pytest.fixture
def scripted(home: Path) -> Iterator[Scripted]:
    script = Scripted()

    class Busy(Handler):
        def do_POST(self) -> None:  # noqa: N802
            self.received()
            script.keys.append(self.headers["Idempotency-Key"])
            status, headers = script.answers.pop(0)
            if status == 0:
                # The answer is lost on the way.
                self.close_connection = True
            else:
                text = b'{"detail": "Busy."}' if status != 201 else b'{"id": "x"}'
                self.answer(text, status, headers)

    with serving(Busy) as script.url:
        yield script


def upload(server: Scripted) -> tuple[Any, list[float]]:
    pauses: list[float] = []
    found = Server.of(Account(server.url, "ear_x"), lambda _text: None)
    found.sleep = pauses.append
    answer = found.upload(
        "/phases/a/b/submissions", fields={}, files={"file": ("c", b"x")}, key="k1"
    )
    return answer, pauses


def test_a_busy_server_is_asked_again_as_late_as_it_says_and_with_the_same_key(
    scripted: Scripted,
) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30))
    scripted.answers = [
        (429, {"Retry-After": "7"}),
        (503, {"Retry-After": later}),
        (0, {}),
        (502, {}),
        (201, {}),
    ]
    answer, pauses = upload(scripted)
    assert answer == {"id": "x"}
    assert scripted.keys == ["k1"] * 5
    assert pauses[0] == 7
    assert 25 < pauses[1] <= 30
    assert pauses[2:] == [4, 8], "without a word of the server longer and longer"


def test_at_last_the_client_gives_up(scripted: Scripted) -> None:
    scripted.answers = [(503, {})] * ATTEMPTS
    with pytest.raises(Unreachable, match="Busy"):
        upload(scripted)
    assert len(scripted.keys) == ATTEMPTS


@pytest.mark.parametrize("status", [400, 409, 500, 302])
def test_what_will_not_change_is_not_asked_again(scripted: Scripted, status: int) -> None:
    scripted.answers = [(status, {"Location": "http://127.0.0.1:9/"})]
    with pytest.raises((RequestRefused, Unreachable)):
        upload(scripted)
    assert len(scripted.keys) == 1


def test_nobody_there_is_an_ending_of_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("earmark.client.server.time.sleep", lambda _seconds: None)
    assert main(["phases", "--server", "http://127.0.0.1:9"]) == 3
    assert "cannot be reached" in capsys.readouterr().err


def test_the_client_loads_neither_django_nor_celery_nor_models() -> None:
    code = (
        "import sys, earmark.client.commands\n"
        "print(sorted({'django', 'celery', 'kombu', 'torch', 'numpy', 'spacy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
