"""What a web process has loaded when it is given its first request."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.one_database

PROGRAM = """
import sys
import leaderboard.wsgi
from scoring.text.ptb import shared_lexer
print("leaderboard.views.analysis" in sys.modules, shared_lexer.cache_info().currsize)
"""


def test_the_first_visitor_waits_for_nothing_that_every_visitor_needs() -> None:
    """The first page after a start took 16 seconds on a busy machine, a system's profile first."""
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split()[-2:] == ["True", "1"]
