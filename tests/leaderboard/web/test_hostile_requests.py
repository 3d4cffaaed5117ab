"""What strangers may send to any page, and what must not come of it."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from leaderboard.services.people.accounts import token_create
from tests.leaderboard.conftest import Cast
from tests.real_data import ROOT


def test_a_large_file_sent_to_a_form_that_wants_none_does_not_fill_the_disk(
    settings: Settings,
) -> None:
    settings.MAX_UPLOAD_BYTES = 100_000
    file = SimpleUploadedFile("x.bin", b"x" * 5_000_000)
    request = RequestFactory().post(reverse("account_login"), {"login": "x", "extra": file})
    # One chunk (64 KiB) at most comes on top of the limit.
    kept = request.FILES["extra"]
    assert isinstance(kept, UploadedFile)
    assert len(kept.read()) <= 100_000 + 2**16
    assert request.POST["login"] == "x"


@pytest.mark.django_db
def test_a_form_with_many_files_is_refused(cast: Cast) -> None:
    files = {f"f{number}": SimpleUploadedFile("x", b"x") for number in range(6)}
    assert cast.client(None).post(reverse("account_login"), files).status_code == 400


def test_the_folder_with_database_and_mail_is_for_its_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "below" / "var"
    environment = {**os.environ, "EARMARK_VAR": str(folder)}
    environment.pop("DATABASE_URL", None)
    subprocess.run(
        [sys.executable, "-c", "import leaderboard.settings"], cwd=ROOT, env=environment, check=True
    )
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600


SEND = """
import django
django.setup()
from django.conf import settings
from leaderboard import celery, tasks
options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
celery.app.conf.broker_transport_options = {key: value / 20 for key, value in options.items()}
tasks.evaluation_run.apply_async(args=[1])
"""


def test_a_broker_that_takes_connections_and_says_nothing_holds_nobody(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{silent.getsockname()[1]}/0",
            "EARMARK_VAR": str(tmp_path),
        }
        # The times out of the settings are cut to a twentieth; without them this never ends.
        command = [sys.executable, "-c", SEND]
        sent = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
        )
    assert "kombu.exceptions.OperationalError: Timeout reading from socket" in sent.stderr


def test_what_one_person_is_shown_stays_out_of_caches_of_many(cast: Cast) -> None:
    for path in ("/", "/account/", "/teams/", "/account/tokens/"):
        assert "private" in cast.client(cast.member).get(path)["Cache-Control"]
    _, secret = token_create(user=cast.member, name="x")
    answer = Client().get("/api/v1/me", headers={"authorization": f"Bearer {secret}"})
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private")
    # What everyone is shown may be kept.
    assert Client().get("/")["Cache-Control"] == "public, no-cache"
    assert "Cache-Control" not in Client().get("/metrics/cider_d/")


@pytest.mark.parametrize("header", ["HTTP_ORIGIN", "HTTP_REFERER"])
def test_a_form_from_elsewhere_is_told_from_one_that_is_too_old(
    db: None, header: str, caplog: pytest.LogCaptureFixture, settings: Settings
) -> None:
    """Most often a site that is opened at another address than SITE_URL."""
    client = Client(enforce_csrf_checks=True)
    path = reverse("account_login")
    # Addresses of the sender are asked for only where the site is reached by HTTPS.
    foreign = {header: "https://<b>elsewhere</b>.example"}
    page = client.post(path, {}, secure=True, **foreign).content.decode()  # type: ignore[arg-type]
    assert "came from https://&lt;b&gt;elsewhere&lt;/b&gt;.example" in page
    assert settings.SITE_URL in page
    assert "too old" not in page
    assert "SITE_URL" in caplog.text
    assert "elsewhere" in caplog.text
    page = client.post(path, {}).content.decode()
    assert "open for too long" in page
    assert "came from" not in page
