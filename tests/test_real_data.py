"""Tests of the real data: listed as left out where the data are not, and never skipped else."""

import os
import subprocess
import sys
from pathlib import Path

from tests.real_data import ROOT

CONFTEST = """
from pathlib import Path

from tests import conftest
from tests.conftest import pytest_runtest_makereport, pytest_terminal_summary, shared_data

conftest.REAL_DATA = Path("real").absolute()
"""
TESTS = """
import pytest

@pytest.mark.parametrize("number", [1, 2])
def test_with_data(shared_data, number):
    if not (shared_data / "file.csv").is_file():
        pytest.skip("there is no such file")

def test_for_another_reason():
    pytest.skip("there is no GPU")
"""


def run(folder: Path, **environment: str) -> tuple[int, str]:
    """Run the two tests above as the project runs its own."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_two.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--ds=tests.settings", "-p", "no:cacheprovider", "."],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_without_data_the_tests_that_need_them_are_listed(tmp_path: Path) -> None:
    code, said = run(tmp_path, CI="true")
    assert code == 0
    assert "left out: tests that need the real data" in said
    assert "test_two.py::test_with_data  (2 cases)" in said
    assert "2 left out, as" in said
    assert "EARMARK_TEST_DATA=FOLDER" in said
    assert said.rstrip().splitlines()[-1].count("3 skipped") == 1, "the closing line stays last"


def test_with_data_none_may_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    code, said = run(tmp_path)
    assert code == 1
    assert "there is no such file" in said
    assert "2 failed, 1 skipped" in said
    (tmp_path / "real" / "file.csv").touch()
    code, said = run(tmp_path)
    assert code == 0
    assert "2 passed, 1 skipped" in said
    assert "left out" not in said


def test_a_folder_of_data_that_is_named_must_be_there() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "tests/test_real_data.py"],
        cwd=ROOT,
        env={**os.environ, "EARMARK_TEST_DATA": "/nowhere/at/all"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "EARMARK_TEST_DATA names /nowhere/at/all, which is no folder." in done.stderr
