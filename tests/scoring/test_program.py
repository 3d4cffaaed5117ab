"""What a program leaves behind when it ends at once: its output, its exit code, its error."""

import subprocess
import sys

import pytest

_PROGRAM = """
import atexit, sys
from scoring.cli.program import run_program

def main():
    atexit.register(lambda: print("a library's own ending"))
    print("x" * 100_000)
    sys.stderr.write("warned")
    {ending}

run_program(main)
"""


@pytest.mark.parametrize(
    ("ending", "code", "told"),
    [
        ("return 0", 0, "warned"),
        ("return 3", 3, "warned"),
        ("raise ValueError('unforeseen')", 1, "ValueError: unforeseen"),
        ("sys.stdout.close(); return 0", 0, "warned"),
    ],
)
def test_output_and_exit_code_are_whole(ending: str, code: int, told: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(ending=ending)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == code
    assert told in ended.stderr
    assert ended.stdout.startswith("x" * 100_000)


def test_what_libraries_do_at_the_end_is_done() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(ending="return 0")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.endswith("a library's own ending\n")
