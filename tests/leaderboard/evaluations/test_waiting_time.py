"""The place of a submission that waits and its likely time: about the turns given, and honest."""

from datetime import timedelta

import pytest
from django.core.cache import caches
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from earmark.registry import standard_families
from leaderboard.models import EvaluationState, Kind, Submission
from leaderboard.selectors.evaluations.turns import WaitingTeam, whose_turn
from leaderboard.selectors.evaluations.waiting_time import (
    Backlog,
    WaitingTime,
    duration_text,
    served_before,
    waiting_time,
)
from leaderboard.services.workers import worker_seen
from tests.factories import PhaseFactory, TeamFactory, finish, submit

# Teams of submissions of one turn each, in the order in which they came.
arrivals = st.lists(st.integers(1, 4), min_size=1, max_size=20)


def order_served(teams: list[int]) -> list[int]:
    """Submissions in the order in which one worker serves them."""
    left, starts, order = [*enumerate(teams, 1)], list[tuple[int, int]](), list[int]()
    while left:
        oldest = {team: key for key, team in reversed(left)}
        waiting = [WaitingTeam(1, team, key) for team, key in oldest.items()]
        found = whose_turn(waiting, starts=starts[::-1], running=[])
        starts.append((found.challenge, found.team))
        order.append(found.submission)
        left = [row for row in left if row[0] != found.submission]
    return order


@given(arrivals)
def test_the_place_is_that_of_the_turns_give_or_take_a_round(teams: list[int]) -> None:
    order = order_served(teams)
    backlog = Backlog([(key, team, True, 1.0) for key, team in enumerate(teams, 1)], 1, {}, {})
    for key, team in enumerate(teams, 1):
        mine = Submission(pk=key, team_id=team)
        assert abs(len(served_before(mine, backlog)) - order.index(key)) <= len({*teams})


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0, 4, "a few seconds"),
        (21, 38, "about 20 to 40 s"),
        (3, 70, "about 70 s"),
        (70, 400, "about 1 to 7 minutes"),
        (60, 60, "about 60 s"),
        (600, 600, "about 10 minutes"),
        (3600, 36000, "about 1 to 10 hours"),
    ],
)
def test_a_time_is_told_in_words(low: float, high: float, said: str) -> None:
    assert duration_text(low, high) == said


@pytest.fixture
def submission(db: None) -> Submission:
    return submit(PhaseFactory.create(), TeamFactory.create())


def time_of(submission: Submission) -> WaitingTime:
    caches["parts"].clear()
    found = waiting_time(submission, submission.evaluations.all(), timezone.now())
    assert found is not None
    return found


def work(*queues: str, jobs: int = 1) -> None:
    name = f"{'-'.join(queues)}:{jobs}"
    worker_seen(name=name, queues=list(queues), jobs=jobs, now=timezone.now())


def finish_in(seconds: float, times: int = 3) -> None:
    """Have other submissions scored, each family of which took so long."""
    now = timezone.now()
    for _ in range(times):
        done = submit(PhaseFactory.create(), TeamFactory.create())
        finish(done)
        done.evaluations.update(started_at=now - timedelta(seconds=seconds), finished_at=now)


def test_without_a_worker_nothing_is_promised(submission: Submission) -> None:
    finish_in(10)
    found = time_of(submission)
    assert (found.seconds, found.unserved) == (None, ("cpu", "gpu"))
    work("cpu", "maintenance")
    found = time_of(submission)
    assert (found.seconds, found.unserved) == (None, ("gpu",))
    assert found.sentence == ("No worker serves the queue gpu now, so there is no estimate.")
    # One that was last heard of an hour ago is none.
    worker_seen(name="old", queues=["gpu"], jobs=1, now=timezone.now() - timedelta(hours=1))
    assert time_of(submission).unserved == ("gpu",)


def test_too_little_data_is_said_and_the_range_is_wide(submission: Submission) -> None:
    work("cpu", "gpu")
    found = time_of(submission)
    assert (found.rough, found.eta_seconds) == (True, None)
    assert found.seconds is not None
    assert found.seconds[1] > 10 * found.seconds[0]
    assert "This is a rough guess: little was scored here so far." in found.sentence


def test_the_time_follows_from_the_work_before_and_the_workers(submission: Submission) -> None:
    finish_in(10)
    work("cpu", "gpu")
    alone = len(standard_families()) * 10
    found = time_of(submission)
    assert found.seconds is not None
    assert (found.submissions_before, found.rough) == (0, False)
    assert found.seconds[0] < alone < found.seconds[1]
    last = [submit(PhaseFactory.create(), TeamFactory.create()) for _ in range(3)][-1]
    behind = time_of(last)
    assert behind.seconds is not None
    assert behind.submissions_before == 3
    assert behind.seconds[0] < 4 * alone < behind.seconds[1]
    work("cpu", "gpu", jobs=7)
    quicker = time_of(last)
    assert quicker.seconds is not None
    assert quicker.seconds[1] < behind.seconds[1] / 4


def test_once_begun_its_own_pace_counts_and_no_queue_is_told(submission: Submission) -> None:
    """Work that usually takes 10 s and now takes 60, since others are served in between."""
    finish_in(10)
    work("cpu", "gpu")
    late = submit(PhaseFactory.create(), TeamFactory.create())
    rows = late.evaluations.order_by("pk")
    now, families = timezone.now(), rows.count()
    done = [row.pk for row in rows[:4]]
    rows.filter(pk__in=done).update(
        state=EvaluationState.DONE, started_at=now - timedelta(seconds=240), finished_at=now
    )
    found = time_of(late)
    assert found.submissions_before == 0
    assert found.eta_seconds == pytest.approx(60 * (families - 4), rel=0.05)
    assert "served before" not in found.sentence
    # What was scored before it was rescored says nothing of this run.
    rows.filter(pk__in=done).update(started_at=now - timedelta(days=7))
    assert time_of(late).submissions_before == 1


def test_what_nobody_waits_for_keeps_nobody_waiting(submission: Submission) -> None:
    finish_in(10)
    work("cpu", "gpu")
    human = submit(submission.phase, TeamFactory.create())
    Submission.objects.filter(pk=human.pk).update(kind=Kind.HUMAN)
    human.refresh_from_db()
    assert time_of(submission).submissions_before == 0
    assert time_of(human).submissions_before == 1
    # Who came after the backlog was read is told a time, too.
    late = submit(PhaseFactory.create(), TeamFactory.create())
    found = waiting_time(late, late.evaluations.all(), timezone.now())
    assert found is not None
    assert found.seconds is not None
