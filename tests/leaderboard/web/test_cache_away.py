"""The shared cache goes away in the middle of everything, and comes back."""

import logging
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.web import resilient_cache
from tests.conftest import absent
from tests.factories import PASSWORD
from tests.leaderboard.conftest import Cast
from tests.leaderboard.submissions.test_submit_page import address, entry
from tests.waiting import answered


class Redis:
    """A real server that can be ended and started again."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = f"redis-server --port {self.port} --bind 127.0.0.1 --appendonly no --dir"
        self._process = subprocess.Popen(
            [*command.split(), str(self._folder), "--save", ""], stdout=subprocess.DEVNULL
        )
        answered(lambda: socket.create_connection(("127.0.0.1", self.port)).close())

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@pytest.fixture
def redis(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Redis]:
    if shutil.which("redis-server") is None:
        absent("Redis")
    monkeypatch.setattr(resilient_cache, "SECONDS_WITHOUT", 0.2)
    server = Redis(tmp_path)
    server.start()
    backend = "leaderboard.web.resilient_cache.ResilientRedisCache"
    location = f"redis://127.0.0.1:{server.port}/0"
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": backend, "LOCATION": location}}
    yield server
    server.stop()


def walk(cast: Cast, system: str) -> None:
    """Log in, look, ask the API and submit, as people do."""
    browser = Client()
    names = {"login": cast.owner.username, "password": PASSWORD}
    assert browser.post(reverse("account_login"), names).status_code == 302
    assert browser.get(address(cast.phase, "board")).status_code == 200
    answer = browser.get("/api/v1/challenges")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json; charset=utf-8")
    form = entry(cast.team, system_name=system)
    assert browser.post(address(cast.phase), form).status_code == 302
    assert cast.phase.submissions.filter(system_name=system).exists()


def test_pages_log_in_and_uploads_go_on_without_it(
    cast: Cast, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    cast.owner.set_password(PASSWORD)
    cast.owner.save()
    walk(cast, "With")
    redis.stop()
    with caplog.at_level(logging.WARNING, logger=resilient_cache.__name__):
        walk(cast, "Without")
        assert resilient_cache.cache_is_away()
        redis.start()
        time.sleep(0.3)
        walk(cast, "With again")
    assert not resilient_cache.cache_is_away()
    said = [
        record.getMessage().partition(";")[0]
        for record in caplog.records
        if record.name == resilient_cache.__name__
    ]
    assert said == ["The cache is away", "The cache is back"], "once each, however much is asked"


def test_limits_hold_for_each_process_meanwhile(cast: Cast, redis: Redis) -> None:
    redis.stop()
    browser = Client()
    names = {"login": cast.owner.username, "password": "wrong"}
    pages = [browser.post(reverse("account_login"), names).text for _ in range(7)]
    assert "Too many attempts failed" not in pages[0]
    assert "Too many attempts failed" in pages[-1]


def test_it_counts_and_forgets_like_any_other(redis: Redis) -> None:
    cache = caches["default"]
    for away in (False, True):
        if away:
            redis.stop()
        cache.clear()
        assert cache.add("n", 1)
        assert not cache.add("n", 1)
        assert cache.incr("n") == 2
        assert cache.get_many(["n", "m"]) == {"n": 2}
        assert "n" in cache
        assert cache.touch("n", 10)
        assert cache.delete("n")
        with pytest.raises(ValueError, match="n"):
            cache.incr("n")
