"""What a run started ends by itself when the run is killed with no chance to stop it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.real_data import ROOT
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc"),
]
# Two of the web server, two workers with a process or a clock each.
AT_LEAST = 6


class KilledRun:
    """Processes that have a folder of their own in their environment."""

    def __init__(self, folder: Path) -> None:
        self._mark = f"EARMARK_VAR={folder}".encode()

    def commands(self) -> dict[int, str]:
        """Command line of each that lives, by process id."""
        found = {}
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self._mark in (place / "environ").read_bytes().split(b"\0"):
                    command = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                    found[int(place.name)] = command
        return found

    def named(self, program: str) -> list[int]:
        return [pid for pid, command in self.commands().items() if program in command]

    def kill(self) -> None:
        for pid in self.commands():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def killed_run(tmp_path: Path) -> Iterator[KilledRun]:
    run = KilledRun(tmp_path)
    yield run
    run.kill()


def environment(folder: Path) -> dict[str, str]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = str(found.getsockname()[1])
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DATABASE_URL", "CELERY_BROKER_URL", "CACHE_URL", "EARMARK_PARENTS"}
    }
    settings_of_site = {"DJANGO_SETTINGS_MODULE": "leaderboard.settings"}
    return {**inherited, **settings_of_site, "EARMARK_VAR": str(folder), "PORT": port}


@pytest.mark.parametrize("killed", ["honcho", "what started it"])
def test_web_server_and_workers_end_when_the_run_is_killed(
    killed: str, killed_run: KilledRun, tmp_path: Path
) -> None:
    """As ``make run`` starts it; the shell stands for ``make``."""
    script = f"EARMARK_PARENTS=$$ {sys.executable} manage.py run; true"
    with subprocess.Popen(
        ["bash", "-c", script],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as shell:

        def everything_runs() -> bool:
            servers, workers = killed_run.named("gunicorn"), killed_run.named("celery")
            return len(servers) + len(workers) >= AT_LEAST and len(workers) > AT_LEAST // 2

        wait_until(everything_runs)
        honcho = min(killed_run.named("honcho"))
        os.kill(shell.pid if killed == "what started it" else honcho, signal.SIGKILL)
        wait_until(lambda: not killed_run.named("gunicorn"))
        wait_until(lambda: not killed_run.commands())


def test_the_clock_of_a_worker_ends_with_it(killed_run: KilledRun, tmp_path: Path) -> None:
    command = "-m celery --quiet -A leaderboard worker -B -Q maintenance --pool threads"
    with subprocess.Popen(
        [sys.executable, *command.split(), "--loglevel", "CRITICAL"],
        cwd=ROOT,
        env=environment(tmp_path),
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as worker:
        wait_until(lambda: len(killed_run.commands()) > 1)
        worker.kill()
        wait_until(lambda: not killed_run.commands())


def test_make_run_says_who_started_it() -> None:
    recipe = next(
        line for line in (ROOT / "Makefile").read_text().splitlines() if "manage.py run" in line
    )
    assert " EARMARK_PARENTS=$$PPID " in recipe
