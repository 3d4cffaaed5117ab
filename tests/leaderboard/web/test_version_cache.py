"""What pages are made of is computed once for each version of the results, and never stale."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from earmark.statistics import resampled_means
from leaderboard.models import MetricResult, Submission
from leaderboard.selectors.analysis.ranking_stability import ranking_analysis
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.services.submissions.changes import submission_withdraw
from leaderboard.web import version_cache
from leaderboard.web.version_cache import kept_for_version
from tests.factories import TeamFactory
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text

# Within the transaction of other tests nothing is kept.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    own = scored(cast.phase, cast.team, "Own", 0.5)
    return [own, *(scored(cast.phase, TeamFactory.create(), f"Other {n}", 0.4) for n in range(2))]


class Counted:
    """A computation that counts how often it was made."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> int:
        self.times += 1
        return self.times


def raise_score(system: Submission, value: float) -> None:
    MetricResult.objects.filter(submission=system, metric="cider_d").update(value=value)


def test_it_is_made_once_until_a_result_changes(cast: Cast, systems: list[Submission]) -> None:
    made = Counted()
    assert [kept_for_version(("x",), made) for _ in range(3)] == [1, 1, 1]
    raise_score(systems[0], 0.6)
    assert [kept_for_version(("x",), made) for _ in range(2)] == [2, 2]
    submission_withdraw(submission=systems[1], actor=cast.member, now=timezone.now())
    assert kept_for_version(("x",), made) == 3


def test_what_changes_while_it_is_made_is_not_missing_afterwards(systems: list[Submission]) -> None:
    def slow() -> float:
        found = MetricResult.objects.get(submission=systems[0], metric="cider_d").value
        raise_score(systems[0], 0.9)
        return found or 0.0

    assert kept_for_version(("x",), slow) == 0.5
    assert kept_for_version(("x",), slow) == 0.9


def test_what_a_transaction_takes_back_is_never_kept(cast: Cast, systems: list[Submission]) -> None:
    with transaction.atomic():
        raise_score(systems[2], 0.9)
        assert ranking_of(cast.phase).rows[0].key == systems[2].pk
        transaction.set_rollback(True)
    # The next change may get the number of the one that was taken back.
    raise_score(systems[1], 0.8)
    assert ranking_of(cast.phase).rows[0].key == systems[1].pk


def test_no_more_is_kept_than_there_is_room_for(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_cache, "MOST", 2)
    made = Counted()
    for key in ("a", "b", "a", "c", "a"):
        kept_for_version((key,), made)
    assert made.times == 3
    kept_for_version(("b",), made)
    assert made.times == 4


def test_a_kept_ranking_has_the_phase_of_who_asks(cast: Cast, systems: list[Submission]) -> None:
    ranking_of(cast.phase)
    again = type(cast.phase).objects.get(pk=cast.phase.pk)
    assert ranking_of(again).phase is again


def test_rules_that_are_only_tried_are_not_those_of_the_phase(
    cast: Cast, systems: list[Submission]
) -> None:
    assert len({row.rank for row in ranking_of(cast.phase).rows}) == 2
    tried = type(cast.phase).objects.get(pk=cast.phase.pk)
    tried.precision = 0
    assert {row.rank for row in ranking_of(tried).rows} == {1}


def test_who_is_marked_as_own_is_each_readers_own(cast: Cast, systems: list[Submission]) -> None:
    readers = (cast.member, cast.outsider, cast.organiser, cast.member)
    pages = [text(cast.client(user).get(cast.at("board")).content) for user in readers]
    assert ["Yours" in page for page in pages] == [True, False, False, True]


def read(client: Client, url: str) -> list[str]:
    """The tables of results that a page reads."""
    with CaptureQueriesContext(connection) as found:
        assert client.get(url).status_code == 200
    tables = ("leaderboard_metricresult", "leaderboard_evaluation", "leaderboard_submission")
    return [one["sql"] for one in found if any(f'FROM "{table}"' in one["sql"] for table in tables)]


@pytest.mark.parametrize("name", ["board", "history"])
def test_the_results_are_read_once_for_all_readers(
    cast: Cast, systems: list[Submission], name: str
) -> None:
    url = cast.at(name)
    assert read(cast.client(cast.outsider), url)
    assert read(cast.client(cast.organiser), url) == []
    raise_score(systems[1], 0.7)
    assert read(cast.client(cast.organiser), url)


def test_the_analysis_is_computed_once_for_each_version_of_the_results(
    cast: Cast, systems: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def counted(*args: Any, **options: Any) -> Any:
        drawn.append(1)
        return resampled_means(*args, **options)

    monkeypatch.setattr(f"{ranking_analysis.__module__}.draw_means", counted)
    for user in (None, cast.outsider, cast.member, cast.organiser):
        assert cast.client(user).get(cast.at("analysis")).status_code == 200
    assert len(drawn) == 1
    systems[1].evaluations.update(finished_at=timezone.now())
    raise_score(systems[1], 0.7)
    for user in (cast.member, cast.organiser):
        cast.client(user).get(cast.at("analysis"))
    assert len(drawn) == 2
