"""Who may ask for what: every address and every operation, by everyone, as a table says."""

import re

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.models import TeamRole
from tests.factories import ChallengeFactory, TeamFactory, join
from tests.leaderboard.access.authorisation_table import TABLE
from tests.leaderboard.access.one_of_everything import (
    FIELDS,
    FORM,
    PEOPLE,
    Everything,
    asked,
    everything,
)
from tests.leaderboard.conftest import Cast
from tests.leaderboard.visibility.test_hidden_phase import acts


@pytest.fixture
def world(cast: Cast, settings: Settings) -> Everything:
    settings.RATELIMIT_ENABLE = False
    return everything(cast)


def test_every_address_and_operation_has_a_row() -> None:
    """A new one needs a thought about who may use it, and a row."""
    assert set(asked()) == {row for row in TABLE if not row[0].startswith("GET ")}


def test_by_a_link_nothing_is_done(world: Everything) -> None:
    """It leads to the page of an act, if that has one."""
    for route, act in acts():
        if (f"GET {act}", route) not in TABLE:
            answer = world.clients["superuser"].get(world.path(route), {"act": act})
            assert answer.status_code == 405, (route, act)


def test_answers_are_as_the_table_says(world: Everything) -> None:
    faults, login = [], reverse("account_login")
    for (method, route), codes in TABLE.items():
        answers = [world.answer(who, method, route) for who in PEOPLE]
        faults += [
            f"{method} {route}: {who} gets {answer.status_code} and not {wanted}"
            for who, answer, wanted in zip(PEOPLE, answers, codes, strict=True)
            if answer.status_code != wanted
        ]
        # The anonymous are led to the log-in, but by the API's root, which leads to its documents.
        if codes[0] == 302 and route != "api/v1/":
            assert answers[0]["Location"].startswith(login), (method, route)
    assert faults == []


def test_nothing_is_done_without_a_token_against_forgery(world: Everything) -> None:
    """Another site that makes a browser post cannot act, whoever is logged in there."""
    user = world.cast.organiser
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(user)
    at = PEOPLE.index("organiser")
    acting = [
        (method, route)
        for (method, route), codes in TABLE.items()
        if method.startswith("POST") and codes[at] not in (401, 404, 405) and codes[0] in (302, 401)
    ]
    assert len(acting) > 20
    for method, route in acting:
        answer = client.post(world.path(route), world.body(method, route), content_type=FORM)
        assert answer.status_code == 403, (method, route)


def test_the_admin_is_for_staff_with_rights(world: Everything) -> None:
    for model in admin.site._registry:
        options = model._meta
        path = reverse(f"admin:{options.app_label}_{options.model_name}_changelist")
        for who in ("anonymous", "outsider", "organiser", "other organiser"):
            response = world.clients[who].get(path)
            assert (response.status_code, "login" in response.headers["Location"]) == (302, True)
        assert world.clients["staff"].get(path).status_code == 403, path


def test_what_belongs_to_others_is_not_found_under_ones_own_address(world: Everything) -> None:
    """Whoever runs another challenge or owns another team reaches nothing by its number."""
    cast, mine, team = world.cast, ChallengeFactory.create(), TeamFactory.create()
    mine.organisers.add(cast.outsider)
    join(team, cast.outsider, TeamRole.OWNER)
    client, found = cast.client(cast.outsider), dict[tuple[str, str], int]()
    for method, route in TABLE:
        named = route + FIELDS.get((method, route), "")
        if re.match(r"(manage/<slug:challenge>|teams/<slug:team>)/.*<", named):
            path = world.address(method, route)
            path = path.replace(f"/{cast.phase.challenge.slug}/", f"/{mine.slug}/")
            path = path.replace(f"/{cast.team.slug}/", f"/{team.slug}/")
            with transaction.atomic():
                body = world.body(method, route)
                answer = client.generic(method.split(" ", 1)[0], path, body, content_type=FORM)
                transaction.set_rollback(True)
            found[method, route] = answer.status_code
    assert {key: code for key, code in found.items() if code not in {404, 405}} == {}
    assert len(found) > 50
