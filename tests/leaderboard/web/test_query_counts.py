"""The queries of a page do not grow with the number of submissions."""

import re

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.access.authorisation_table import ROUTES
from tests.leaderboard.access.one_of_everything import PEOPLE, QUERIES, Everything, everything
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database

# Addresses on which something of a phase, a system or a team stands.
SHOWING = re.compile(
    "^$|challenge>|public_id>|^teams/|^account/|^manage/|^api/v1/(phases|teams)"
    "|^annotate/new/$|/manage/captions/$"
)
WHO = ("anonymous", "member", "organiser")
# More than any page shows one by one, apart from lists that have pages.
SYSTEMS = 10


@pytest.fixture
def world(cast: Cast, settings: Settings) -> Everything:
    settings.RATELIMIT_ENABLE = False
    settings.VISITORS_CACHE_SECONDS = 0
    return everything(cast)


def more_systems(cast: Cast) -> None:
    """Systems of other teams, and of the team whose pages are asked for."""
    for number, team in enumerate((*TeamFactory.create_batch(SYSTEMS - 2), cast.team, cast.team)):
        system = submit(cast.phase, team, name=f"System {number}")
        finish(system, value=0.3 + 0.01 * number, seed=number)


def queries(client: Client, url: str) -> int:
    """How many queries a page takes that was not kept, once the process knows the captions."""
    for _ in range(2):
        for name in ("default", "parts", "pages"):
            caches[name].clear()
        with CaptureQueriesContext(
            connection,
        ) as found:
            client.get(url).getvalue()
    return len(found)


def counted(world: Everything) -> dict[tuple[str, str], int]:
    """The queries of each page for each who may open it."""
    return {
        (who, route): queries(world.clients[who], world.path(route) + QUERIES.get(route, ""))
        for route, answers in ROUTES.items()
        if SHOWING.search(route)
        for who in WHO
        if answers.get("GET", (0,) * len(PEOPLE))[PEOPLE.index(who)] == 200
    }


def test_they_do_not_grow_with_the_submissions(world: Everything) -> None:
    more_systems(world.cast)
    before = counted(world)
    more_systems(world.cast)
    after = counted(world)
    assert {key: (before[key], after[key]) for key in before if after[key] > before[key]} == {}
    assert len(before) > 100
