"""Clips for tests, made once."""

import pytest

from earmark.datasets.made_sounds import MadeClip, made_clips


@pytest.fixture(scope="session")
def clips() -> list[MadeClip]:
    """Clips among which all kinds and arrangements are."""
    return list(made_clips("development", 160, seed=3))
