"""``manage.py doctor``: what it looks at, and what it says where something is amiss."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.utils import timezone
from pytest_django import Settings

from earmark.registry import standard_families
from leaderboard.management.commands import doctor
from leaderboard.models import WorkerProcess
from leaderboard.services.workers import worker_seen
from tests.clap import small_clap
from tests.factories import UserFactory
from tests.language_server import KEY, Answer, language_server
from tests.leaderboard.evaluations.worker_process import EVERYTHING
from tests.leaderboard.outside.conftest import entry
from tests.real_data import ROOT

pytestmark = [pytest.mark.django_db]


def examined(*, models: bool = False) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit status, and what was found by name."""
    out, status = StringIO(), 0
    try:
        call_command("doctor", "--json", *([] if models else ["--quick"]), stdout=out)
    except SystemExit as end:
        status = int(str(end.code))
    found = [json.loads(line) for line in out.getvalue().splitlines()]
    return status, {check["name"]: check for check in found}


def faults() -> dict[str, dict[str, Any]]:
    return {name: check for name, check in examined()[1].items() if not check["ok"]}


@pytest.fixture
def served() -> None:
    worker_seen(name="here:1", queues=list(EVERYTHING), jobs=1, now=timezone.now())


@pytest.mark.usefixtures("served")
def test_a_site_that_works_is_found_so_with_every_model_and_its_hash() -> None:
    status, found = examined(models=True)
    assert status == 0, [check for check in found.values() if not check["ok"]]
    metrics = [check for name, check in found.items() if name.startswith("metric ")]
    assert len(metrics) == len(standard_families())
    assert any("all-MiniLM-L6-v2@53aa5117" in check["detail"] for check in metrics)


def test_each_queue_that_nobody_serves_is_told_with_the_command_that_serves_it() -> None:
    status, found = examined()
    assert status == 1
    for queue in EVERYTHING:
        assert f"worker -Q {queue}" in found[f"queue {queue}"]["mending"]


@pytest.mark.usefixtures("served")
def test_whatever_is_a_fault_says_what_mends_it(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    WorkerProcess.objects.update(clock_offset=-3600)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    settings.AUDIO_DIR = tmp_path / "not" / "yet"
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 8, 1))
    monkeypatch.setattr(doctor, "migrations_lacking", lambda: [("leaderboard", "0999_more")])
    found = faults()
    assert {"clock of here:1", "mail", "folder EARMARK_AUDIO", "tables"} <= set(found)
    assert "-3600.0 s" in found["clock of here:1"]["detail"]
    assert all(check["mending"] for check in found.values()), found


@pytest.mark.usefixtures("served")
def test_a_public_site_is_held_to_more(settings: Settings) -> None:
    settings.SITE_URL, settings.DEBUG = "https://earmark.example.org", True
    found = faults()
    assert "settings security.W018" in found, "DEBUG"
    assert found["settings leaderboard.W003"]["mending"].startswith("Set EMAIL_URL")


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("address", ["https://example.org/earmark", "http://127.0.0.1:8000/x?y"])
def test_a_path_in_the_sites_address_is_refused_while_it_is_not_served(
    settings: Settings, address: str
) -> None:
    settings.SITE_URL = address
    found = faults()["settings leaderboard.E001"]
    assert address in found["detail"]
    assert address.partition("/earmark")[0].partition("/x")[0] in found["mending"]
    with pytest.raises(SystemCheckError, match="SITE_URL"):
        call_command("check")


@pytest.mark.usefixtures("served")
def test_second_factors_that_another_secret_key_encrypted_are_a_fault(settings: Settings) -> None:
    TOTP.activate(UserFactory.create(), generate_totp_secret())
    assert "second factors" not in faults()
    settings.SECRET_KEY = "another key that is long enough for anyone to be content with"
    assert "SECRET_KEY_FALLBACKS" in faults()["second factors"]["mending"]


@pytest.mark.parametrize("site", ["https://earmark.example.org", "http://127.0.0.1:8000"])
def test_only_a_site_of_this_machine_writes_mail_with_its_links_into_the_log(
    site: str, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "EARMARK_VAR": str(tmp_path),
        "EMAIL_URL": "consolemail://",
        "SITE_URL": site,
    }
    start = "import leaderboard.wsgi; from django.core.mail import send_mail; "
    command = [sys.executable, "-c", start + "send_mail('', 'a link', None, ['nora@example.org'])"]
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    printed, public = "a link" in ended.stdout + ended.stderr, site.startswith("https")
    assert printed != public
    assert (tmp_path / "mail").exists() == public
    assert ("Set EMAIL_URL to your mail server" in ended.stderr) == public


@pytest.mark.usefixtures("served")
def test_a_model_that_is_not_there_is_a_fault_of_each_metric_that_needs_it(
    settings: Settings,
) -> None:
    settings.SCORING_PARAMETERS = {"sbert": {"encoder": "/nowhere/at-all"}}
    status, found = examined(models=True)
    assert status == 1
    assert "/nowhere/at-all" in found["metric SBERT similarity"]["detail"]
    assert found["metric FENSE"]["ok"]


def checks_of_outside_models(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[bool, str, str]]:
    """What is found of them alone, in order: whether it is well, what is told, what mends it."""
    monkeypatch.setattr(doctor, "standard_families", list)
    found = examined(models=True)[1]
    return {
        name: (check["ok"], check["detail"], check["mending"])
        for name, check in found.items()
        if "model" in name
    }


def always(answer: Answer) -> Callable[[object], Answer]:
    return lambda _asked: answer


@pytest.mark.usefixtures("served")
def test_each_language_model_is_asked_whether_it_takes_the_key(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    for status, well, told, mends in (
        (200, True, "answers (200)", ""),
        (404, True, "answers (404)", ""),
        (401, False, "refuses the key (401)", "Replace the key"),
        (503, False, "answers with an error (503)", "whoever runs that server"),
    ):
        with language_server(always(Answer(KEY, status))) as server:
            settings.LANGUAGE_MODELS = {"judge": entry(server)}
            found = checks_of_outside_models(monkeypatch)["language model judge"]
        assert found[0] == well
        assert told in found[1]
        assert mends in found[2]
        assert KEY not in str(found)
        assert [(one.path, one.authorization) for one in server.asked] == [
            ("/v1/models", f"Bearer {KEY}")
        ]


@pytest.mark.usefixtures("served")
def test_models_from_elsewhere_that_are_not_there_are_told_with_what_mends_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with language_server() as server:
        gone = entry(server, key_variable="")
    settings.LANGUAGE_MODELS = {"gone": gone, "locked": entry(server, name="locked")}
    settings.CLAP_MODELS = {"small": small_clap(tmp_path / "clap"), "away": "/nowhere/at-all"}
    found = checks_of_outside_models(monkeypatch)
    assert [ok for ok, _, _ in found.values()] == [False, False, True, False]
    assert "does not answer" in found["language model gone"][1]
    assert "The key of the language model 'locked' is missing" in found["language model locked"][1]
    assert found["CLAP model small"][1].startswith("clap@")
    assert "/nowhere/at-all" in found["CLAP model away"][1]
    assert all(mends for ok, _, mends in found.values() if not ok)


def test_without_a_database_the_rest_is_still_looked_at(tmp_path: Path) -> None:
    away = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing", "EARMARK_VAR": str(tmp_path)}
    command = [sys.executable, "manage.py", "doctor", "--quick", "--json"]
    ran = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **away}, capture_output=True, text=True, check=False
    )
    found = {check["name"]: check for check in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 1, ran.stderr
    assert found["database"]["mending"] == "See that the server of DATABASE_URL runs."
    assert not found["tables"]["ok"]
    assert found["folder EARMARK_VAR"]["ok"]
