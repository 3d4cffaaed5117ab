"""The README of the kit, command after command, from an empty folder to the leaderboard."""

import os
import subprocess
import sys
from pathlib import Path

from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from earmark.captions import read_references
from leaderboard.models import EvaluationState, Phase, Submission, TeamRole
from leaderboard.services.people.accounts import token_create
from tests.factories import PhaseFactory, TeamFactory, UserFactory, join, reference_set
from tests.leaderboard.evaluations.worker_process import running_worker
from tests.real_data import ROOT

# Fewer clips, one epoch and no question: this is about the way, not about the numbers.
OTHERWISE = {
    "--clips 400": "--clips 12",
    "--preset small": "--preset small --epochs 1",
    "AUDIO": "data/evaluation",
    "login": "login --token-stdin",
}
INSTALLED = ("python -m venv", "pip install")
PROGRAMS = ["earmark", *["python"] * 5, "earmark", "python", *["earmark"] * 3]


def test_from_the_readme_to_the_leaderboard(
    transactional_db: None, live_server: LiveServer, settings: Settings, tmp_path: Path
) -> None:
    settings.SITE_URL = live_server.url
    user, team = UserFactory.create(), TeamFactory.create()
    join(team, user, TeamRole.OWNER)
    participant = Participant(tmp_path, token_create(user=user, name="kit")[1])
    participant.run("earmark sounds made --clips 1 --seed 1")
    phase = phase_of(tmp_path / "made" / "captions_evaluation.csv")
    slugs = [phase.challenge.slug, phase.slug]
    kit = f"earmark starter --server {live_server.url} --phase {'/'.join(slugs)} --out kit"
    participant.run(kit)
    readme = (tmp_path / "kit" / "README.md").read_text(encoding="utf-8")

    names = tmp_path / "kit" / f"{'-'.join(slugs)}.csv"
    template = reverse("leaderboard:submission-template", args=slugs)
    assert f"<{live_server.url}{template}>" in readme
    site = Client()
    site.force_login(user)
    names.write_bytes(site.get(template).content)
    commands = commands_of(readme)
    assert [line.split()[0] for line in commands] == PROGRAMS
    for line in commands[:-1]:
        participant.run(line, "kit")
    with running_worker(tmp_path):
        participant.run(commands[-1], "kit")  # waits until all is scored
    submission = Submission.objects.get()
    assert submission.label == "Kim_SNU_task6_1"
    states = submission.evaluations.values_list("state", flat=True)
    assert set(states) == {EvaluationState.DONE}
    board = site.get(reverse("leaderboard:board", args=slugs)).content.decode()
    assert team.name in board
    assert submission.system_name in board


class Participant:
    """Somebody with a shell in an empty folder, and the two programs of the README."""

    def __init__(self, folder: Path, token: str) -> None:
        self._folder, self._token = folder, token
        programs = folder / "bin"
        programs.mkdir()
        for name, module in (("python", ""), ("earmark", " -m earmark")):
            program = programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
            program.chmod(0o755)
        self._environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(folder),
            "OMP_NUM_THREADS": "1",
        }

    def run(self, line: str, folder: str = ".") -> None:
        """Run a command, which must end well."""
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=self._folder / folder,
            env=self._environment,
            input=f"{self._token}\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def phase_of(references: Path) -> Phase:
    """An open phase about made sounds, with two metrics."""
    read = read_references(references.read_bytes()).value
    assert read is not None
    return PhaseFactory.create(
        reference_set=reference_set(read), ranking_metric="fense", metrics=["fense", "cider_d"]
    )


def commands_of(readme: str) -> list[str]:
    """The commands of the README, but for those that install, as ``OTHERWISE`` has them."""
    lines = [line.strip() for line in readme.splitlines() if line.startswith("    ")]
    commands = [line for line in lines if not line.startswith(INSTALLED)]
    for there, here in OTHERWISE.items():
        assert any(there in line for line in commands), there
        commands = [line.replace(there, here) for line in commands]
    return commands
