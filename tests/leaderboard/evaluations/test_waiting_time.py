"""The place of a submission that waits and its likely time: by the rule of turns, and honest."""

from collections import Counter
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.models import Evaluation, EvaluationState, Kind, Submission
from leaderboard.selectors.evaluations.backlog import (
    FamilyDurations,
    QueueWork,
    SecondsRange,
    WaitingWork,
)
from leaderboard.selectors.evaluations.turns import WaitingTeam, whose_turn
from leaderboard.selectors.evaluations.waiting_time import (
    WaitingTime,
    duration_text,
    served_before,
    steady_time,
    waiting_time,
)
from leaderboard.services.workers import worker_seen
from scoring.registry import FAMILIES, standard_families
from tests.factories import PhaseFactory, TeamFactory, finish, submit

ONE = SecondsRange(1, 1)

# Submissions of one turn each, by (challenge, team), in the order in which they came.
arrivals = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=30)


def order_served(rows: list[WaitingWork]) -> list[int]:
    """Submissions in the order in which one worker serves them."""
    left, starts, order = list(rows), list[tuple[int, int]](), list[int]()
    while left:
        oldest = {
            row.place: row.submission for row in sorted(left, key=lambda row: -row.submission)
        }
        teams = [WaitingTeam(*place, submission) for place, submission in oldest.items()]
        found = whose_turn(teams, starts=starts[::-1], running=[])
        starts.append((found.challenge, found.team))
        order.append(found.submission)
        left = [row for row in left if row.submission != found.submission]
    return order


@given(arrivals)
def test_the_place_is_that_of_the_turns_give_or_take_a_round(places: list[tuple[int, int]]) -> None:
    rows = [WaitingWork(place, number, ONE) for number, place in enumerate(places)]
    order = order_served(rows)
    challenges = len({challenge for challenge, _ in places})
    teams = max(Counter(challenge for challenge, _ in set(places)).values())
    for row in rows:
        found = served_before(QueueWork(awaited=list(rows)), row)
        actual = order.index(row.submission)
        assert abs(found.submissions - actual) <= challenges * teams
        assert found.seconds.low <= actual <= found.seconds.high


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0, 4, "a few seconds"),
        (21, 38, "about 20 to 40 s"),
        (3, 70, "at most about 70 s"),
        (70, 400, "about 1 to 7 minutes"),
        (20, 400, "at most about 7 minutes"),
        (60, 60, "about 60 s"),
        (600, 600, "about 10 minutes"),
        (3600, 36000, "about 1 to 10 hours"),
    ],
)
def test_a_time_is_told_in_words(low: float, high: float, said: str) -> None:
    assert duration_text(SecondsRange(low, high)) == said


def test_durations_are_the_middle_half_of_what_was_finished_lately() -> None:
    finished = [("bleu", 100, seconds) for seconds in (1.0, 2.0, 3.0, 4.0, 100.0)]
    durations = FamilyDurations([*finished, ("spice", 100, 7.0)])
    assert durations.of("bleu", 100) == SecondsRange(2.0, 4.0)
    # How much of it depends on the clips nobody knows.
    assert durations.of("bleu", 1000) == SecondsRange(2.0, 40.0)
    usual = FAMILIES["spice"].seconds
    guess = durations.of("spice", 1000)
    assert guess.low < usual < guess.high
    assert not guess.measured


# -- on the database -------------------------------------------------------------------


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
    assert found.sentence == (
        "No worker serves the queue gpu now, so nobody knows when it is scored."
    )
    # One that was last heard of an hour ago is none.
    worker_seen(name="old", queues=["gpu"], jobs=1, now=timezone.now() - timedelta(hours=1))
    assert time_of(submission).unserved == ("gpu",)


def test_too_little_data_is_said_and_the_range_is_wide(submission: Submission) -> None:
    work("cpu", "gpu")
    found = time_of(submission)
    assert found.rough
    assert found.eta_seconds is None
    assert found.seconds is not None
    assert found.seconds.high > 10 * found.seconds.low
    assert "This is a rough guess: little was scored here so far." in found.sentence


def test_the_time_follows_from_the_work_before_and_the_workers(submission: Submission) -> None:
    finish_in(10)
    work("cpu", "gpu")
    alone = len(standard_families()) * 10
    found = time_of(submission)
    assert found.seconds is not None
    assert found.submissions_before == 0
    assert found.seconds.low == pytest.approx(alone)
    assert found.seconds.high >= alone
    assert found.eta_seconds is not None
    for _ in range(3):
        submit(PhaseFactory.create(), TeamFactory.create())
    behind = time_of(submission)
    assert behind.submissions_before == 3
    assert behind.seconds is not None
    # Who is first of the four is not known: alone at best, after the three at worst.
    assert behind.seconds.low <= 4 * alone <= behind.seconds.high
    work("cpu", "gpu", jobs=7)
    quicker = time_of(submission)
    assert quicker.seconds is not None
    assert quicker.seconds.high < behind.seconds.high


def test_what_nobody_waits_for_keeps_nobody_waiting(
    submission: Submission,
) -> None:
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


def test_estimates_that_differ_a_little_do_not_jump(db: None) -> None:
    """What is told counts down until an estimate contradicts it."""
    caches["parts"].clear()
    now = timezone.now()
    assert steady_time(1, SecondsRange(60, 120), now) == SecondsRange(60, 120)
    later = now + timedelta(seconds=10)
    for low, high in ((55, 125), (40, 110), (60, 118)):
        assert steady_time(1, SecondsRange(low, high), later) == SecondsRange(50, 110)
    late = now + timedelta(seconds=100)
    assert steady_time(1, SecondsRange(2, 30), late) == SecondsRange(0, 20)
    # Now it will not be done in time, and that is told.
    assert steady_time(1, SecondsRange(300, 400), late) == SecondsRange(300, 400)
    # Far more exact than before is worth telling, too.
    assert steady_time(1, SecondsRange(340, 360), late) == SecondsRange(340, 360)


def test_the_pace_of_one_evaluation_counts_the_more_the_further_it_is(db: None) -> None:
    """Slow to begin, as with models to load, it is not said to take many times as long."""
    durations = FamilyDurations([("bleu", 100, 100.0)] * 3)
    now = timezone.now()
    row = Evaluation(
        family="bleu",
        state=EvaluationState.RUNNING,
        clips_total=100,
        started_at=now - timedelta(seconds=20),
        clips_done=5,
    )
    # Its own pace alone would say 380 s.
    assert durations.left(row, now).high == pytest.approx(0.05 * 380 + 0.95 * 95)
    row.clips_done, row.started_at = 80, now - timedelta(seconds=40)
    assert durations.left(row, now).high == pytest.approx(0.8 * 10 + 0.2 * 20)
