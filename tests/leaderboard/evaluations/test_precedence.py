"""Pages have precedence over workers, whatever session each was started in."""

import os
import subprocess
import sys

from leaderboard.celery import AUTOGROUP
from tests.real_data import ROOT

BEGINS = """
import os
os.nice(5)
from celery.signals import celeryd_init
from leaderboard.celery import app, AUTOGROUP
celeryd_init.send(sender="worker", conf=app.conf, options={"concurrency": 1})
print(AUTOGROUP.read_text() if AUTOGROUP.exists() else "nice 5")
"""


def test_the_session_of_a_nice_worker_is_nice() -> None:
    """A session of its own, as each program of a Procfile has; not every kernel weighs sessions."""
    said = subprocess.run(
        [sys.executable, "-c", BEGINS],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )
    assert said.stdout.strip().endswith("nice 5")
    assert not AUTOGROUP.exists() or not AUTOGROUP.read_text().strip().endswith("nice 5")
