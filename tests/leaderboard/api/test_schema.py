"""Protect the contract: whatever is sent, operations answer as described, never with 5xx."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from ninja import Schema
from pytest_django import Settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotation.services.data_sets.making import DataSetAct, data_set_create
from annotation.services.projects import member_add
from leaderboard.api import api
from leaderboard.models import JudgmentSet
from leaderboard.selectors.labellers.files import shipped_identity
from leaderboard.services.people.accounts import token_create
from tests.annotation.conftest import make_project
from tests.annotation.trained import make_training
from tests.factories import finish, submit
from tests.leaderboard.api_client import ROOT, body
from tests.leaderboard.conftest import Cast

# What the description names; that each address has a rule of who may ask it is told elsewhere.
OPERATIONS = [
    (method, path.removeprefix(ROOT))
    for path, methods in api.get_openapi_schema()["paths"].items()
    for method in methods
]
# Of each operation, and of each of those who ask; the longer form (``make fuzz``) sets more.
EXAMPLES = int(os.environ.get("EARMARK_SCHEMA_EXAMPLES", "4"))
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture
def kept_connection(db: None) -> Iterator[None]:
    """Keep requests from closing the connection on which the test's transaction is open."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def api_schema(kept_connection: None) -> Any:
    return schemathesis.openapi.from_wsgi(f"{ROOT}/openapi.json", get_wsgi_application())


@pytest.fixture
def places(cast: Cast, settings: Settings) -> dict[str, str]:
    """Path parameters that lead somewhere, to things with scores."""
    settings.RATELIMIT_ENABLE = False
    submission = submit(cast.phase, cast.team)
    finish(submission)
    project = make_project(cast.organiser)
    member_add(project=project, user=cast.member)
    judgments = JudgmentSet.objects.create(
        owner=cast.member, name="x", pairs=[], judges=0, votes=0, handed_over_at=timezone.now()
    )
    data_set = data_set_create(name="Rain", act=DataSetAct(cast.organiser, timezone.now()))
    return {
        "data_set": data_set.slug,
        "challenge": cast.phase.challenge.slug,
        "phase": cast.phase.slug,
        "public_id": submission.public_id,
        "file_name": "dog.wav",
        "project": project.slug,
        "team": cast.team.slug,
        "notice_id": str(cast.member.notices.latest("pk").pk),
        "identity": shipped_identity(),
        "item_id": str(project.items.first().pk),  # type: ignore[union-attr]
        "number": str(make_training(project).number),
        "judgments_id": str(judgments.pk),
    }


@pytest.fixture
def bearers(cast: Cast) -> list[dict[str, str]]:
    """The headers of nobody, of an impostor, of a participant and of an organiser."""
    secrets = [token_create(user=user, name="x")[1] for user in (cast.member, cast.organiser)]
    return [{}, *({"Authorization": f"Bearer {secret}"} for secret in ("ear_no", *secrets))]


@pytest.mark.timeout(600 + 60 * EXAMPLES)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_operation_breaks(
    method: str, path: str, api_schema: Any, places: dict[str, str], bearers: list[dict[str, str]]
) -> None:
    @given(case=api_schema[ROOT + path][method].as_strategy())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def run(case: schemathesis.Case[Any]) -> None:
        wild = dict(case.path_parameters or {})
        for bearer in bearers:
            case.headers.pop("Authorization", None)
            case.path_parameters = wild
            case.call_and_validate(headers=bearer, checks=CHECKS)
            if wild:
                case.path_parameters = {name: places[name] for name in wild}
                case.call_and_validate(headers=bearer, checks=CHECKS)

    run()


KEPT = Path("docs/reference/openapi.json")
WRITE = f"manage.py export_openapi_schema --api leaderboard.api.api --indent 1 --output {KEPT}"


def test_an_added_or_lost_field_is_seen(db: None) -> None:
    assert json.loads(KEPT.read_text()) == body(Client().get(f"{ROOT}/openapi.json")), WRITE


def test_every_operation_is_described(db: None) -> None:
    found = body(Client().get(f"{ROOT}/openapi.json"))
    operations = {
        (method, path.removeprefix(ROOT)): operation
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
    }
    for (method, path), operation in operations.items():
        assert operation["summary"], path
        assert operation["description"], path
        assert "401" in operation["responses"], path
        # Reading, and trying, which stores nothing, is possible without an account wherever
        # it says so, and nowhere else.
        reads = method == "get" or path == "/metrics/try"
        kept_back = path.startswith("/labelling/") or path.endswith("/lab") or path == "/me"
        public = reads and not kept_back
        assert (operation["security"] == []) == public


def test_no_two_schemas_have_one_name() -> None:
    """The description knows them by name alone: of two, one would be described as the other."""
    names: dict[str, set[str]] = {}
    waiting: list[type[Schema]] = [Schema]
    while waiting:
        for found in waiting.pop().__subclasses__():
            waiting.append(found)
            if ".api." in found.__module__:
                names.setdefault(found.__name__, set()).add(found.__module__)
    assert len(names) > 50
    assert {name: places for name, places in names.items() if len(places) > 1} == {}


def test_the_description_page_needs_nothing_from_elsewhere_and_no_weaker_policy(db: None) -> None:
    response = Client().get(f"{ROOT}/docs")
    assert response.status_code == 200
    assert (
        response["Content-Security-Policy"]
        == Client().get(f"{ROOT}/metrics")["Content-Security-Policy"]
    )
    assert b"unsafe" not in response["Content-Security-Policy"].encode()
    assert re.search(rb'(src|href)="(https?:)?//', response.content) is None
