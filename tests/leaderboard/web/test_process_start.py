"""What a web process has loaded when it is given its first request."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import gc, sys
import leaderboard.wsgi
from earmark.text.ptb import shared_lexer
print("leaderboard.views.analysis" in sys.modules, shared_lexer.cache_info().currsize)
print(len(gc.get_objects()) / gc.get_freeze_count())
"""


@pytest.fixture(scope="module")
def told() -> list[str]:
    """What a web process says of itself before its first request."""
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    return process.stdout.split()[-3:]


def test_the_first_visitor_waits_for_nothing_that_every_visitor_needs(told: list[str]) -> None:
    """The first page after a start took 16 seconds on a busy machine, a system's profile first."""
    assert told[:2] == ["True", "1"]


def test_no_visitor_waits_for_a_collection_of_what_is_loaded(told: list[str]) -> None:
    """One of all objects takes over a tenth of a second."""
    assert float(told[2]) < 0.01
