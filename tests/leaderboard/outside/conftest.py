"""A language model for phases: a server of our own, named by the settings of the test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.outside_models import LanguageModelServer
from leaderboard.services.outside import asking
from tests.language_server import KEY, LanguageServer, language_server


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    """A server that gives every caption 70 of 100."""
    with language_server() as found:
        yield found


def entry(server: LanguageServer, **changes: Any) -> LanguageModelServer:
    """The server as the settings have it, as fast as it can be."""
    given: dict[str, Any] = {
        "name": "judge",
        "address": server.address,
        "model": "model-2025-01-01",
        "key_variable": "JUDGE_KEY",
        "price_in": 2.5,
        "price_out": 10.0,
        "requests_per_minute": 1e6,
    }
    return LanguageModelServer(**{**given, **changes})


@pytest.fixture
def judge(
    server: LanguageServer, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> LanguageModelServer:
    """The installation has one language model and its key, and waits hardly at all."""
    monkeypatch.setenv("JUDGE_KEY", KEY)
    monkeypatch.setattr(asking, "PAUSES", (0.01, 0.02))
    settings.SCORING_CACHE_DIR = tmp_path / "cache"
    settings.LANGUAGE_MODELS = {"judge": entry(server)}
    found: LanguageModelServer = settings.LANGUAGE_MODELS["judge"]
    return found
