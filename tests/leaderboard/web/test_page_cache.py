"""What costs a second is made once, for few at a time, and not for one visitor without end."""

import pytest
from pytest_django import Settings

from leaderboard.models import Submission
from leaderboard.web import page_cache
from tests.factories import TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    return [scored(cast.phase, TeamFactory.create(), name, 0.5) for name in ("One", "Other")]


def test_one_visitor_makes_so_many_and_no_more_and_what_is_kept_stays_free(
    cast: Cast, systems: list[Submission], settings: Settings
) -> None:
    settings.PARTS_RATE = "2/m"
    client = cast.client(None)
    for metric in ("meteor", "spice", "meteor", "spice"):
        assert client.get(cast.at("distributions") + f"?metric={metric}").status_code == 200
    refused = client.get(cast.at("distributions") + "?metric=fense")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 60
    assert client.get(cast.at("distributions") + "?metric=meteor").status_code == 200
    # Someone else is not held back.
    assert (
        cast.client(cast.outsider).get(cast.at("distributions") + "?metric=fense").status_code
        == 200
    )


def test_the_same_choice_is_one_page_in_whatever_order(
    cast: Cast, systems: list[Submission], settings: Settings
) -> None:
    settings.PARTS_RATE = "1/m"
    one, other = (system.public_id for system in systems)
    client = cast.client(None)
    first = client.get(cast.at("distributions") + f"?s={one}&s={other}&metric=spice&metric=meteor")
    turned = client.get(cast.at("distributions") + f"?s={other}&metric=meteor&metric=spice&s={one}")
    assert (first.status_code, turned.status_code) == (200, 200)


def test_who_would_wait_too_long_is_told_so(
    cast: Cast, systems: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_cache, "PATIENCE", 0.01)
    with page_cache._computing:
        busy = cast.client(None).get(cast.at("analysis"))
        answer = cast.client(None).get(
            f"/api/v1/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/analysis"
        )
    assert (busy.status_code, answer.status_code) == (503, 503)
    assert b"Wait a moment" in busy.content
    assert cast.client(None).get(cast.at("analysis")).status_code == 200
