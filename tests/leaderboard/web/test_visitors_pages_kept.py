"""What is kept of visitors' pages, and what is not: made-up views, many at once."""

import threading
from typing import Any

import pytest
from django.contrib import messages
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, RequestFactory
from django.urls import path
from pytest_django import Settings

from leaderboard.web import visitors_cache
from leaderboard.web.visitors_cache import cached_for_visitors


@pytest.fixture(autouse=True)
def nothing_is_new_by_time_alone(settings: Settings) -> None:
    settings.VISITORS_CACHE_SECONDS = 10**9


made: list[str] = []


@cached_for_visitors("n")
def example(request: HttpRequest, kind: str) -> HttpResponse:
    made.append(request.META["QUERY_STRING"])
    response = HttpResponse(f"{kind} {request.GET.get('n')} {request.GET.get('other')}")
    if kind == "cookie":
        response.set_cookie("a", "b")
    elif kind == "token":
        response.write(get_token(request))
    elif kind == "session":
        request.session["seen"] = 1
    elif kind == "message":
        messages.info(request, "Hello")
    elif kind == "missing":
        response.status_code = 404
    elif kind == "own":
        response["Cache-Control"] = "no-store"
    return response


urlpatterns = [path("example/<str:kind>/", example)]
here = pytest.mark.urls(__name__)


@pytest.fixture
def fresh(db: None) -> Client:
    made.clear()
    return Client()


@here
@pytest.mark.parametrize("kind", ["cookie", "token", "session", "message", "missing", "own"])
def test_what_is_somebodys_own_or_no_page_is_not_kept(fresh: Client, kind: str) -> None:
    for _ in range(2):
        assert "ETag" not in Client().get(f"/example/{kind}/")
    assert len(made) == 2


@here
@pytest.mark.parametrize(
    "asked",
    [
        {"headers": {"Authorization": "Bearer x"}},
        {"headers": {"HX-Request": "true"}},
        {"headers": {"Cookie": "sessionid=x"}},
        {"headers": {"Cookie": "messages=x"}},
        {"method": "POST"},
    ],
    ids=str,
)
def test_who_may_be_somebody_gets_an_answer_of_their_own(
    fresh: Client, asked: dict[str, Any]
) -> None:
    fresh.get("/example/plain/")
    answer = fresh.generic(asked.pop("method", "GET"), "/example/plain/", **asked)
    assert (len(made), "ETag" in answer) == (2, False)
    Client().get("/example/plain/")
    assert len(made) == 2


@here
def test_a_view_is_not_shown_what_is_not_in_the_key(fresh: Client) -> None:
    answers = [fresh.get(f"/example/plain/?{query}") for query in ("n=1", "other=2&n=1", "n=2")]
    assert [answer.content for answer in answers] == [
        b"plain 1 None",
        b"plain 1 None",
        b"plain 2 None",
    ]
    assert made == ["n=1", "n=2"]


@here
def test_a_page_that_is_too_large_is_not_kept(
    fresh: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors_cache, "LARGEST", 10)
    for _ in range(2):
        assert fresh.get("/example/plain/").content == b"plain None None"
    assert len(made) == 2


@here
def test_endless_addresses_fill_no_memory(fresh: Client, settings: Settings) -> None:
    most = settings.CACHES["pages"]["OPTIONS"]["MAX_ENTRIES"]
    for number in range(most + 50):
        fresh.get(f"/example/plain/?n={number}")
        # What is asked for again and again stays.
        fresh.get("/example/plain/")
    assert len(caches["pages"]._cache) <= most  # type: ignore[attr-defined]
    assert made.count("") == 1


@pytest.mark.django_db(transaction=True)
def test_many_at_once_have_a_page_made_once() -> None:
    begun, end = threading.Event(), threading.Event()
    calls, answers = [], []

    @cached_for_visitors()
    def slow(request: HttpRequest) -> HttpResponse:
        calls.append(1)
        begun.set()
        end.wait()
        return HttpResponse("made")

    def ask() -> None:
        try:
            request = RequestFactory().get("/slow/")
            request.session = SessionStore()
            answers.append(slow(request).content)
        finally:
            connection.close()

    first, *others = threads = [threading.Thread(target=ask) for _ in range(6)]
    first.start()
    begun.wait()
    for thread in others:
        thread.start()
    end.set()
    for thread in threads:
        thread.join()
    assert answers == [b"made"] * 6
    assert len(calls) == 1
