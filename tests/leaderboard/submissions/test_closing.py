"""A phase opens and closes to the second, by when a request arrived and not when it was read."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from leaderboard.models import Phase, Submission
from leaderboard.services.submissions.accepting import PhaseClosed
from tests.factories import submit
from tests.leaderboard.api_client import caller, file, submissions_path
from tests.leaderboard.conftest import Cast
from tests.leaderboard.submissions.test_submit_page import address, entry

Response = Any
INSTANT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("rule", "after", "taken"),
    [
        ("opens_at", -INSTANT, False),
        ("opens_at", timedelta(), True),
        ("closes_at", -INSTANT, True),
        ("closes_at", timedelta(), False),
    ],
)
def test_a_phase_opens_and_closes_at_its_very_moment(
    cast: Cast, rule: str, after: timedelta, taken: bool
) -> None:
    moment = timezone.now()
    cast.rules(**{rule: moment})
    assert attempted(cast, moment + after) is taken


def attempted(cast: Cast, at: Any) -> bool:
    """Submit at a moment; tell whether it was taken, with that moment."""
    try:
        submission = submit(cast.phase, cast.team, now=at)
    except PhaseClosed:
        return False
    return Submission.objects.get(pk=submission.pk).created_at == at


def by_page(cast: Cast) -> Response:
    return cast.client(cast.member).post(address(cast.phase), entry(cast.team))


def by_api(cast: Cast) -> Response:
    return caller(cast.member).post(submissions_path(cast), file=file(), system_name="Late")


@pytest.mark.parametrize("send", [by_page, by_api])
@pytest.mark.parametrize("early", [True, False])
def test_what_arrived_in_time_is_taken_however_long_it_took(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, send: Any, early: bool
) -> None:
    """The request arrived an instant before the phase closed; it is read after."""
    closed = timezone.now() - timedelta(seconds=1)
    Phase.objects.update(closes_at=closed)
    arrived = closed - INSTANT if early else closed
    clock = SimpleNamespace(now=lambda: arrived)
    monkeypatch.setattr("leaderboard.web.requests.timezone", clock)
    response = send(cast)
    if early:
        assert response.status_code in (201, 302)
        assert Submission.objects.get().created_at == arrived
    else:
        assert response.status_code == 409
        assert not Submission.objects.exists()


@pytest.mark.parametrize("send", [by_page, by_api])
def test_who_sends_slowly_gains_no_time_to_work_in(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, send: Any
) -> None:
    """Opening the request before the close and sending the captions an hour later is too late."""
    closed = timezone.now()
    Phase.objects.update(closes_at=closed)
    moments = iter([closed - INSTANT])
    an_hour_later = closed + timedelta(hours=1)
    monkeypatch.setattr(
        "leaderboard.web.requests.timezone",
        SimpleNamespace(now=lambda: next(moments, an_hour_later)),
    )
    assert send(cast).status_code == 409
    assert not Submission.objects.exists()


def test_the_arrival_is_noted_before_anything_else() -> None:
    """Another middleware before it could read the body and let the time pass."""
    assert settings.MIDDLEWARE[0] == "leaderboard.web.middleware.ArrivalMiddleware"
