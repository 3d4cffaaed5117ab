"""Fixtures of the scorer's tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def users_cache() -> Iterator[None]:
    """Keep METEOR's paraphrases for the runs to come, and the user's own cache out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", os.environ["EARMARK_CACHE"])
        yield


@pytest.fixture(scope="session")
def prepared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that the tests of a run share, in all its processes."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    return base / "prepared"
