"""Whose turn it is: challenges and teams take turns, nothing starves, no queue takes another's."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.registry import FAMILIES, standard_families
from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, Kind, Phase, Submission
from leaderboard.selectors.evaluations.turns import (
    OTHERS_EVERY,
    TURN,
    Place,
    WaitingTeam,
    next_in_turn,
    whose_turn,
)
from leaderboard.services.evaluations import attempts
from leaderboard.services.evaluations.states import evaluation_claim, evaluations_sweep
from leaderboard.services.jobs.states import MAX_ATTEMPTS
from tests.factories import NOW, PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.test_evaluation_races import before_query

LEASE = timedelta(seconds=60)
CHEAP = ("bleu", "rouge_l", "cider_d", "vocab")


@pytest.fixture(autouse=True)
def no_turn_under_way() -> None:
    attempts._turns.clear()


# -- the rule -----------------------------------------------------------------------

Backlog = dict[Place, int]
backlogs = st.dictionaries(
    st.tuples(st.integers(1, 5), st.integers(1, 4)), st.integers(1, 12), min_size=1, max_size=12
)


def served(backlog: Backlog, workers: int, lengths: Iterator[int]) -> list[Place]:
    """Places in the order in which workers serve them; each turn lasts for some steps."""
    left, starts = dict(backlog), list[Place]()
    busy: list[tuple[int, Place]] = []
    now = 0
    while left:
        busy = [(end, place) for end, place in busy if end > now]
        while left and len(busy) < workers:
            teams = [WaitingTeam(*place, n) for n, place in enumerate(backlog) if place in left]
            found = whose_turn(teams, starts=starts[::-1], running=[place for _, place in busy])
            place = (found.challenge, found.team)
            starts.append(place)
            busy.append((now + next(lengths), place))
            left[place] -= 1
            left = {place: count for place, count in left.items() if count}
        now += 1
    return starts


@st.composite
def turn_lengths(draw: st.DrawFn) -> Iterator[int]:
    chosen = draw(st.lists(st.integers(1, 6), min_size=1, max_size=20))
    return (chosen[n % len(chosen)] for n in range(10_000))


@given(backlogs, st.integers(1, 4), turn_lengths())
def test_everything_gets_its_turn_and_no_challenge_waits_longer_than_a_round(
    backlog: Backlog, workers: int, lengths: Iterator[int]
) -> None:
    starts = served(backlog, workers, lengths)
    assert Counter(starts) == Counter(backlog)
    challenges = {challenge for challenge, _ in backlog}
    first_round = [challenge for challenge, _ in starts[: len(challenges)]]
    assert sorted(first_round) == sorted(challenges)


@given(backlogs)
def test_one_worker_gives_every_challenge_a_turn_in_each_round_and_every_team_likewise(
    backlog: Backlog,
) -> None:
    starts = served(backlog, 1, iter([1] * 10_000))
    turns = {
        "challenges": [challenge for challenge, _ in starts],
        **{
            f"teams of {one}": [team for challenge, team in starts if challenge == one]
            for one in {challenge for challenge, _ in backlog}
        },
    }
    for order in turns.values():
        for one in set(order):
            places = [at for at, other in enumerate(order) if other == one]
            for began, ended in pairwise(places):
                between = order[began + 1 : ended]
                assert len(between) == len(set(between)), "nobody is served twice in between"


def test_a_second_worker_goes_to_who_has_none() -> None:
    teams = [WaitingTeam(1, 1, 10), WaitingTeam(1, 2, 11), WaitingTeam(2, 3, 12)]
    # The first challenge was served longer ago, but has something under way.
    found = whose_turn(teams, starts=[(2, 3), (1, 1)], running=[(1, 1)])
    assert found.challenge == 2
    found = whose_turn(teams[:2], starts=[(1, 2), (1, 1)], running=[(1, 1)])
    assert found.team == 2


# -- the queues ------------------------------------------------------------------------


@pytest.fixture
def submission(db: None) -> Submission:
    return submit(PhaseFactory.create(ranking_metric="spice"), TeamFactory.create())


def keep(submission: Submission, *families: str) -> None:
    submission.evaluations.exclude(family__in=families).delete()


def order_of(queue: str) -> list[str]:
    """The families of a queue in the order in which one worker takes them."""
    taken = []
    while (found := next_in_turn(queues=[queue], current=None)) is not None:
        claim = evaluation_claim(evaluation_id=found.evaluation_id, now=NOW, lease=LEASE)
        assert claim is not None
        taken.append(Evaluation.objects.get(pk=found.evaluation_id).family)
    return taken


def test_what_ranks_comes_first_then_cheap_before_dear(submission: Submission) -> None:
    """And no queue is given anything of another."""
    lost = submission.evaluations.get(family="vocab")
    Evaluation.objects.filter(pk=lost.pk).update(family="gone", signature="gone|v:0")
    cpu, gpu = order_of("cpu"), order_of("gpu")
    assert cpu[0] == "spice"
    # What no registry knows goes to the default queue, where it fails with a reason.
    assert cpu[-1] == "gone"
    costs = [FAMILIES[family].seconds for family in cpu[1:-1]]
    assert costs == sorted(costs)
    for queue, found in (("cpu", {*cpu, "vocab"} - {"gone"}), ("gpu", {*gpu})):
        assert found == {name for name in standard_families() if FAMILIES[name].queue == queue}
    assert not Evaluation.objects.filter(state=EvaluationState.PENDING).exists()


def test_what_is_tried_again_waits_for_the_sweep_and_comes_last(submission: Submission) -> None:
    keep(submission, *CHEAP)
    again = submission.evaluations.filter(family="bleu")
    again.update(attempts=1, enqueued_at=None)
    assert "bleu" not in order_of("cpu")
    submission.evaluations.update(state=EvaluationState.PENDING, attempts=0)
    again.update(attempts=1, enqueued_at=NOW)
    assert order_of("cpu")[-1] == "bleu"


def test_what_nobody_waits_for_gets_every_tenth_start(db: None) -> None:
    phase = PhaseFactory.create()
    dry_run, human, withdrawn = (submit(phase, TeamFactory.create()) for _ in range(3))
    dry_run.evaluations.update(published=False)
    Submission.objects.filter(pk=human.pk).update(kind=Kind.HUMAN)
    Submission.objects.filter(pk=withdrawn.pk).update(withdrawn_at=NOW)
    nobodys = {dry_run.pk, human.pk, withdrawn.pk}
    for one in (dry_run, human, withdrawn):
        keep(one, "bleu", "vocab")
    for _ in range(6):
        keep(submit(phase, TeamFactory.create()), *CHEAP)
    taken = []
    for second in range(30):
        found = next_in_turn(queues=["cpu"], current=None)
        assert found is not None
        taken.append(found.submission_id in nobodys)
        Evaluation.objects.filter(pk=found.evaluation_id).update(
            state=EvaluationState.DONE, started_at=NOW + timedelta(seconds=second)
        )
    places = [at for at, is_nobodys in enumerate(taken) if is_nobodys]
    # Six starts of 30: the last when nothing else was left.
    assert places == [OTHERS_EVERY - 1, 2 * OTHERS_EVERY - 1, 26, 27, 28, 29]


def attempted() -> int:
    """The submission of which an evaluation is attempted next."""
    evaluation_id = attempts.evaluation_attempt_in_turn("cpu")
    assert evaluation_id is not None
    return Evaluation.objects.get(pk=evaluation_id).submission_id


def test_a_submission_keeps_its_turn_and_then_the_other_challenge_is_served(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = submit(PhaseFactory.create(ranking_metric="spice"), TeamFactory.create())
    later = submit(submission.phase, submission.team)
    for one in (submission, other, later):
        keep(one, *CHEAP)
    assert [attempted() for _ in range(12)] == [submission.pk] * 4 + [other.pk] * 4 + [later.pk] * 4
    assert attempts.evaluation_attempt_in_turn("cpu") is None
    # A turn that has lasted long enough ends between two evaluations.
    Evaluation.objects.update(state=EvaluationState.PENDING, attempts=0, started_at=None)
    monkeypatch.setattr(attempts, "TURN", TURN * 0)
    assert [attempted() for _ in range(3)] == [submission.pk, other.pk, submission.pk]


def test_all_are_ranked_first_and_then_each_is_finished_whatever_its_queues(
    submission: Submission,
) -> None:
    other = submit(submission.phase, submission.team)
    for one in (submission, other):
        keep(one, "cider_d", "bleu", "vocab", "fense")
    Phase.objects.update(ranking_metric="fense")
    order = []

    def attempt() -> None:
        found = attempts.evaluation_attempt_in_turn("cpu", "gpu")
        assert found is not None
        order.append(Evaluation.objects.values_list("submission", "family").get(pk=found))

    for _ in range(4):
        attempt()
    late = submit(submission.phase, submission.team)
    keep(late, "bleu", "fense")
    for _ in range(6):
        attempt()
    systems = [system for system, _ in order]
    assert [at for at, (_, family) in enumerate(order) if family == "fense"] == [0, 1, 4]
    del systems[4]
    assert systems == [*systems[:2], *[submission.pk] * 3, *[other.pk] * 3, late.pk]


def test_a_late_message_serves_who_waits_or_does_nothing(submission: Submission) -> None:
    keep(submission, "bleu", "vocab")
    done, waiting = (
        submission.evaluations.get(family="bleu"),
        submission.evaluations.get(family="vocab"),
    )
    attempts.evaluation_attempt(evaluation_id=done.pk)
    tasks.evaluation_run(done.pk)
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.DONE
    for message in (done.pk, waiting.pk, 987_654):
        tasks.evaluation_run(message)
    assert set(submission.evaluations.values_list("state", "attempts")) == {("done", 1)}


def test_who_comes_too_late_for_an_evaluation_takes_the_next(submission: Submission) -> None:
    keep(submission, "bleu", "vocab")
    first = next_in_turn(queues=["cpu"], current=None)
    assert first is not None

    def another_worker() -> None:
        evaluation_claim(evaluation_id=first.evaluation_id, now=NOW, lease=LEASE)

    with before_query('UPDATE "leaderboard_evaluation"', another_worker):
        attempted = attempts.evaluation_attempt_in_turn("cpu")
    assert attempted not in {None, first.evaluation_id}
    taken = Evaluation.objects.get(pk=first.evaluation_id)
    assert (taken.state, taken.attempts) == (EvaluationState.RUNNING, 1)


def test_an_evaluation_that_ends_its_worker_keeps_nobody_waiting(submission: Submission) -> None:
    """It is lost three times; after each loss all that waits is scored."""
    keep(submission, "spice")
    poisoned = submission.evaluations.get()
    now = NOW
    for _ in range(MAX_ATTEMPTS):
        found = next_in_turn(queues=["cpu"], current=None)
        assert found is not None
        assert found.evaluation_id == poisoned.pk
        evaluation_claim(evaluation_id=poisoned.pk, now=now, lease=LEASE)  # and the worker dies
        keep(submit(submission.phase, submission.team), *CHEAP)
        for _ in CHEAP:
            assert attempts.evaluation_attempt_in_turn("cpu") not in {None, poisoned.pk}
        now += 2 * LEASE
        sent = evaluations_sweep(now=now, requeue_after=lambda _: LEASE)
        Evaluation.objects.filter(pk__in=sent).update(enqueued_at=now)
    states = Counter(Evaluation.objects.values_list("state", flat=True))
    assert states == {"done": MAX_ATTEMPTS * len(CHEAP), "failed": 1}
