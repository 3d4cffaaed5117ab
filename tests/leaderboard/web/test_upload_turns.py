"""However many files are read at once, threads are left for everyone else."""

from threading import Event, Thread

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from leaderboard.web import body_limits
from leaderboard.web.body_limits import INSIDE_AT_ONCE, READ_AT_ONCE, reads_upload
from leaderboard.web.page_cache import Busy
from tests.leaderboard.api_client import caller, file, problem, submissions_path
from tests.leaderboard.conftest import Cast
from tests.leaderboard.submissions.test_submit_page import address, entry
from tests.waiting import wait_until


class Readers:
    """Threads that read a file each until they are let go."""

    def __init__(self) -> None:
        self.reading: list[int] = []
        self.busy: list[Busy] = []
        self.go = Event()
        self._threads: list[Thread] = []

    def start(self, many: int) -> None:
        @reads_upload
        def view(_request: HttpRequest) -> HttpResponse:
            self.reading.append(1)
            self.go.wait()
            return HttpResponse()

        def send() -> None:
            try:
                view(RequestFactory().post("/"))
            except Busy as busy:
                self.busy.append(busy)

        new = [Thread(target=send) for _ in range(many)]
        for thread in new:
            thread.start()
        self._threads += new

    def end(self) -> None:
        self.go.set()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def readers() -> Readers:
    return Readers()


def wait_for(count: int, things: list[int] | list[Busy]) -> None:
    wait_until(lambda: len(things) >= count)


def test_few_are_read_at_a_time_few_wait_and_the_others_are_told_at_once(readers: Readers) -> None:
    readers.start(20)
    try:
        wait_for(20 - INSIDE_AT_ONCE, readers.busy)
        wait_for(READ_AT_ONCE, readers.reading)
        assert len(readers.reading) == READ_AT_ONCE
        assert {(busy.status, busy.wait) for busy in readers.busy} == {(503, 5)}
    finally:
        readers.end()
    assert len(readers.reading) == INSIDE_AT_ONCE
    readers.start(1)
    readers.end()
    assert len(readers.reading) == INSIDE_AT_ONCE + 1, "turns are given back"


def test_pages_and_api_say_when_to_come_again(
    cast: Cast, readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body_limits, "PATIENCE_SECONDS", 0.01)
    readers.start(READ_AT_ONCE)
    try:
        wait_for(READ_AT_ONCE, readers.reading)
        browser = cast.client(cast.owner)
        page = browser.post(address(cast.phase), entry(cast.team))
        assert (page.status_code, page["Retry-After"]) == (503, "5")
        assert "send it again" in page.text
        form = {"team": cast.team.slug, "system_name": "Careful", "file": file()}
        problem(caller(cast.owner).post(submissions_path(cast), **form), 503)
        answer = browser.get(address(cast.phase))
        assert answer.status_code == 200, "looking at the form reads nothing"
        assert Client().get("/healthz").status_code == 200
    finally:
        readers.end()
    assert browser.post(address(cast.phase), entry(cast.team)).status_code == 302
