"""Dockerfile, docker-compose.yml, Procfile and settings fit together; images hold no secret."""

import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from annotation.tasks import TRAINING_QUEUE
from earmark.registry import FAMILIES
from tests.real_data import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if service["image"] == "earmark"}
DOCKERFILE = (ROOT / "Dockerfile").read_text()
GUNICORN = (ROOT / "gunicorn.conf.py").read_text()
ALL_QUEUES = {
    settings.CELERY_TASK_DEFAULT_QUEUE,
    settings.MAINTENANCE_QUEUE,
    "outside",
    TRAINING_QUEUE,
    *(family.queue for family in FAMILIES.values()),
}


def queues_of(commands: list[str]) -> set[str]:
    found = [re.search(r"worker .*-Q (\S+)", command) for command in commands]
    return {queue for match in found if match for queue in match[1].split(",")}


def copied() -> set[str]:
    """What the Dockerfile copies out of the checkout."""
    lines = re.findall(r"^COPY (.+)$", DOCKERFILE, re.MULTILINE)
    return {name for line in lines for name in line.split()[:-1]}


def test_every_queue_is_served_and_maintenance_by_a_process_of_its_own() -> None:
    procfile = (ROOT / "Procfile").read_text().splitlines()
    for commands in (procfile, [service.get("command", "") for service in OWN.values()]):
        # Whoever serves the default queue takes short work as well (leaderboard/celery.py).
        assert queues_of(commands) == ALL_QUEUES
        (maintenance,) = (line for line in commands if settings.MAINTENANCE_QUEUE in line)
        assert queues_of([maintenance]) == {settings.MAINTENANCE_QUEUE}
        assert [line for line in commands if " -B " in line] == [maintenance]


def test_an_image_takes_what_is_named_and_nothing_else() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in ignored if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert {rule[1:] for rule in rules if rule.startswith("!")} == copied()
    assert "**/.env*" in rules
    assert not {name for name in copied() if name.startswith(".")}


def test_what_an_image_takes_is_enough(tmp_path: Path) -> None:
    for name in copied():
        place = tmp_path / "copy" / name
        place.parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place)
    environment = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "build",
        "EARMARK_VAR": str(tmp_path / "var"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    script = (
        "import django; django.setup()\n"
        "from pathlib import Path\n"
        "from django.core.management import call_command\n"
        "from leaderboard.wheel import wheel_path\n"
        "call_command('check')\n"
        "print(wheel_path(Path('../wheel')))"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path / "copy",
        env={**environment, "DJANGO_SETTINGS_MODULE": "leaderboard.settings"},
        check=True,
    )


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_container_has_every_setting_and_few_rights(name: str) -> None:
    service = OWN[name]
    assert service["env_file"] == ".env", "every documented setting reaches it"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "mem_limit" in service
    for volume in service.get("volumes", []):
        assert volume.split(":")[1].startswith("/var/lib/earmark/")


def test_a_worker_may_end_what_it_began() -> None:
    for name, service in OWN.items():
        if "worker" in service.get("command", ""):
            grace = timedelta(seconds=int(service["stop_grace_period"].removesuffix("s")))
            assert grace > settings.LEASE, name
            handed_on = service["environment"]["EARMARK_SHUTDOWN_SECONDS"]
            assert grace.total_seconds() > 1.5 * int(re.findall(r"\d+", handed_on)[0]), name


def test_a_web_process_may_end_what_it_began() -> None:
    (seconds,) = re.findall(r"^graceful_timeout = (\d+)$", GUNICORN, re.MULTILINE)
    assert int(SERVICES["web"]["stop_grace_period"].removesuffix("s")) > int(seconds)


def test_images_are_named_by_their_content_and_run_as_nobody_in_particular() -> None:
    others = [service["image"] for name, service in SERVICES.items() if name not in OWN]
    for image in [*others, *re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)]:
        assert re.search(r"@sha256:[0-9a-f]{64}$", image), image
    assert DOCKERFILE.index("USER earmark") < DOCKERFILE.index("\nCMD")
    assert SERVICES["broker"]["command"] != SERVICES["cache"]["command"]
