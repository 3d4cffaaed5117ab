"""Characters that databases refuse, NUL above all, in every text of every operation."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.api import api
from tests.fuzz.parsers import CORPUS
from tests.leaderboard.access.one_of_everything import Everything, everything
from tests.leaderboard.conftest import Cast

REFUSED = ("a\0b", "\0")
GOOD = {path.name: path.read_bytes() for path in sorted((CORPUS / "bodies").glob("*In"))}


@pytest.fixture
def world(cast: Cast, settings: Settings) -> Everything:
    settings.RATELIMIT_ENABLE = False
    return everything(cast)


def requests_of(path: str, method: str, operation: Any) -> Iterator[tuple[str, str, str]]:
    """Query, body and media type of requests with such a text in each place that takes one."""
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            for text in ("a%00b", "%00"):
                yield f"?metric=cider_d&format=csv&{parameter['name']}={text}", "", ""
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"].get("$ref", "").rpartition("/")[2]
        if kind == "application/json":
            good = json.loads(GOOD[schema].partition(b"\n")[2])
            for changed in texts_replaced(good):
                yield "", json.dumps(changed), kind


def texts_replaced(value: Any) -> Iterator[Any]:
    """The value with each of its texts, and each of its keys, replaced in turn."""
    if isinstance(value, str):
        yield from REFUSED
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield {**{k: v for k, v in value.items() if k != key}, "a\0b": inner}
            for changed in texts_replaced(inner):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            for changed in texts_replaced(inner):
                yield [*value[:at], changed, *value[at + 1 :]]


def test_no_operation_fails_at_a_character_that_databases_refuse(world: Everything) -> None:
    clients: list[Client] = [world.clients["organiser"], world.clients["member"]]
    asked, failed = 0, []
    for path, methods in api.get_openapi_schema()["paths"].items():
        route = re.sub(r"{(\w+)}", r"<\1>", path.lstrip("/"))
        for method, operation in methods.items():
            for query, body, kind in requests_of(path, method, operation):
                for client in clients:
                    answer = client.generic(
                        method.upper(), world.path(route) + query, body, content_type=kind
                    )
                    asked += 1
                    if answer.status_code >= 500:
                        failed.append(f"{method} {path}{query} {body}")
    assert asked > 200
    assert failed == []
