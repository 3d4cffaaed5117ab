"""The log: a line for each request, no traceback for a refusal, and who, what and which job."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from leaderboard import log_context
from leaderboard.celery import app
from leaderboard.log_context import ContextFilter, JsonFormatter
from tests.factories import submit
from tests.leaderboard.api_client import caller
from tests.leaderboard.conftest import Cast


class Lines(logging.Handler):
    """What the site's own handler would have written."""

    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.addFilter(ContextFilter())
        self.setFormatter(formatter)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def listening(formatter: logging.Formatter) -> Iterator[list[str]]:
    handler = Lines(formatter)
    log_context.job.set("")  # another test may have worked on one in this process
    logging.getLogger().addHandler(handler)
    yield handler.lines
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def text() -> Iterator[list[str]]:
    given: dict[str, Any] = settings.LOGGING["formatters"]["text"]  # type: ignore[index]
    yield from listening(logging.Formatter(given["format"], style=given["style"]))


@pytest.fixture
def as_json() -> Iterator[list[str]]:
    yield from listening(JsonFormatter())


def test_a_refusal_is_one_line(cast: Cast, text: list[str]) -> None:
    cast.rules(references_public=False)
    words = cast.at("words")
    for path, status in ((words, 403), ("/nowhere/", 404)):
        text.clear()
        response = cast.client(cast.member).get(path, headers={"X-Request-ID": "proxy-7"})
        assert response.status_code == status
        assert response["X-Request-ID"] == "proxy-7"
        (line,) = text
        assert f" INFO earmark.access request=proxy-7 person={cast.member.pk}: " in line
        assert f"GET {path} {status} in " in line
    text.clear()
    cast.client(None).get("/healthz")
    assert text == [], "who watches the site asks every few seconds"
    assert caller(cast.member).get("/nowhere").status_code == 404
    assert len(text) == 1


def test_what_django_refuses_is_told_without_a_traceback(cast: Cast, text: list[str]) -> None:
    visitor = cast.client(None)
    assert visitor.get("/", headers={"host": "forged.example"}).status_code == 400
    many = {f"field-{number}": "x" for number in range(2000)}
    assert visitor.post(reverse("account_login"), many).status_code == 400
    host, first, fields, second = text
    assert " WARNING django.security.DisallowedHost request=" in host
    assert "ALLOWED_HOSTS" in host
    assert " WARNING django.security.TooManyFieldsSent request=" in fields
    for line in (first, second):
        assert " INFO earmark.access request=" in line
    assert "Traceback" not in "".join(text)


def test_pages_and_api_name_the_person_and_nothing_is_forged(
    cast: Cast, as_json: list[str]
) -> None:
    submission = submit(cast.phase, cast.team)
    hostile = "7 forged\\r\\nline"
    caller(cast.member).get(f"/submissions/{submission.public_id}")
    response = cast.client(cast.member).get("/", headers={"X-Request-ID": hostile})
    api, page = map(json.loads, as_json)
    assert (api["status"], api["person"]) == (200, str(cast.member.pk))
    assert (page["path"], page["person"]) == ("/", str(cast.member.pk))
    assert page["request"] == response["X-Request-ID"] != hostile
    assert {"time", "level", "logger", "message", "ms", "method"} <= set(page)


def test_a_fault_of_ours_has_its_traceback_and_a_line(
    cast: Cast, as_json: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object, **_named: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("leaderboard.views.challenges.overviews_of", broken)
    client = cast.client(cast.member)
    client.raise_request_exception = False
    assert client.get("/").status_code == 500
    error, access = map(json.loads, as_json)
    assert "RuntimeError: broken" in error["error"]
    assert error["request"] == access["request"]
    assert (access["level"], access["status"]) == ("ERROR", 500)


def test_lines_of_a_worker_name_the_job(cast: Cast, as_json: list[str]) -> None:
    seen = logging.getLogger("leaderboard.job")

    @app.task(name="leaderboard.tasks.example_run")  # type: ignore[untyped-decorator]
    def example(number: int) -> None:
        seen.warning("at work on %s", number)

    example.apply(args=[12])
    del app.tasks["leaderboard.tasks.example_run"]
    (line,) = (json.loads(line) for line in as_json if "at work" in line)
    assert line["job"] == "example_run(12)"
    assert log_context.job.get() == ""


def test_the_log_opens_nothing_and_no_address_forges_a_line(cast: Cast, text: list[str]) -> None:
    secret = "tok3n-of-an-invitation"
    visitor = cast.client(None)
    for path in (
        reverse("leaderboard:team-join", args=[secret]),
        reverse("leaderboard:manage-join", args=[secret]),
        reverse("account_confirm_email", args=[secret]),
        reverse("account_reset_password_from_key", args=["uid36", secret]),
        "/nowhere%0A2026-01-01 00:00:00 ERROR forged",
    ):
        visitor.get(path)
    assert len(text) == 5
    assert secret not in "".join(text)
    assert "uid36" not in "".join(text)
    assert "\n" not in "".join(text)
