"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no failure.
settings.register_profile("earmark", deadline=None)
settings.load_profile("earmark")

ROOT = Path(__file__).resolve().parent.parent


def absent(what: str) -> None:
    """Skip for something that a laptop may lack; in CI its absence is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"{what} is absent")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data and oracles beside the checkout."""
    path = ROOT.parent / "shared" / "data"
    if not path.is_dir():
        absent("../shared/data")
    return path
