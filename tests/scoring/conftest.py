"""Fixtures of the scorer's tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def prepared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that the tests of a run share, in all its processes.

    METEOR's paraphrase table takes seconds for each set of references.
    """
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return base / "prepared"
