"""Real worker processes, killed and confused: each submission ends scored exactly once."""

from pathlib import Path

import pytest

from earmark.registry import metrics_for, standard_families
from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, MetricResult, Submission
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import running_worker

pytestmark = pytest.mark.django_db(transaction=True)

STUCK = "tests.leaderboard.evaluations.stuck_worker"


@pytest.fixture
def submission(transactional_db: None) -> Submission:
    return submit(PhaseFactory.create(), TeamFactory.create())


def scored(submission: Submission) -> bool:
    states = set(submission.evaluations.values_list("state", flat=True))
    return states == {EvaluationState.DONE}


def expect_scored_exactly_once(submission: Submission) -> None:
    rows = MetricResult.objects.filter(submission=submission).values_list("metric", flat=True)
    assert sorted(rows) == sorted(metrics_for(several=False))
    reasons = submission.evaluations.exclude(reason="").values_list("family", "reason")
    assert list(reasons) == []


def under_way() -> bool:
    return Evaluation.objects.filter(state=EvaluationState.RUNNING).exists()


def test_a_worker_killed_while_scoring_loses_nothing(
    submission: Submission, tmp_path: Path
) -> None:
    """On a machine where no evaluation ends, so that the kill comes in the middle of one."""
    tasks.submission_enqueue(submission)
    with running_worker(tmp_path, app=STUCK) as worker:
        worker.wait_until(under_way, what="scoring begins")
        worker.kill()
    killed = submission.evaluations.get(state=EvaluationState.RUNNING)
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: scored(submission), what="the second attempt ends")
    expect_scored_exactly_once(submission)
    killed.refresh_from_db()
    assert killed.attempts == 2


def test_messages_that_come_twice_are_scored_once(submission: Submission, tmp_path: Path) -> None:
    """What was never sent is found by the sweep."""
    unsent = submit(PhaseFactory.create(), TeamFactory.create())
    assert unsent.evaluations.filter(enqueued_at=None).count() == len(standard_families())
    ids = list(submission.evaluations.values_list("pk", flat=True))
    tasks.evaluations_enqueue(ids)
    tasks.evaluations_enqueue(ids)
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: scored(submission) and scored(unsent), what="all is scored")
    for one in (submission, unsent):
        expect_scored_exactly_once(one)
        assert set(one.evaluations.values_list("attempts", flat=True)) == {1}


@pytest.mark.parametrize("every_process", [False, True])
def test_a_worker_that_is_stopped_hands_on_what_it_computes(
    submission: Submission, tmp_path: Path, every_process: bool
) -> None:
    """At once, and not after a lease of an hour; the attempt does not count."""
    submission.evaluations.exclude(family="bleu").delete()
    tasks.submission_enqueue(submission)
    (tmp_path / "stuck").mkdir()
    with running_worker(tmp_path / "stuck", app=STUCK, EARMARK_SHUTDOWN_SECONDS="1") as worker:
        worker.wait_until(under_way, what="scoring begins")
        worker.stop(every_process=every_process)
        with running_worker(tmp_path) as other:
            other.wait_until(lambda: scored(submission), what="another goes on")
    assert submission.evaluations.get().attempts == 1
    assert MetricResult.objects.filter(submission=submission, metric="bleu_1").count() == 1


def test_a_stopped_worker_ends_what_it_can(submission: Submission, tmp_path: Path) -> None:
    submission.evaluations.exclude(family="sbert").delete()
    tasks.submission_enqueue(submission)
    with running_worker(tmp_path, EARMARK_SHUTDOWN_SECONDS="600") as worker:
        worker.wait_until(under_way, what="scoring begins")
        worker.stop(every_process=False)
        worker.wait_for_end()
    done = submission.evaluations.get()
    assert (done.state, done.attempts) == (EvaluationState.DONE, 1)
