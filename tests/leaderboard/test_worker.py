"""Real worker processes, killed and confused: each submission ends scored exactly once."""

from pathlib import Path

import pytest

from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, MetricResult, Submission
from scoring.registry import FAMILIES, metrics_for
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.worker import running_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]


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


def test_a_worker_killed_while_scoring_loses_nothing(
    submission: Submission, tmp_path: Path
) -> None:
    tasks.submission_enqueue(submission)

    def under_way() -> bool:
        # This family loads a model first, so that the kill comes in the middle.
        return Evaluation.objects.filter(family="sbert", state=EvaluationState.RUNNING).exists()

    with running_worker(tmp_path) as worker:
        worker.wait_until(under_way, seconds=90, what="scoring begins")
        worker.kill()
    assert under_way()
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: scored(submission), seconds=120, what="the second attempt ends")
    expect_scored_exactly_once(submission)
    assert submission.evaluations.get(family="sbert").attempts == 2


def test_a_message_delivered_twice_is_stored_once(submission: Submission, tmp_path: Path) -> None:
    ids = list(submission.evaluations.values_list("pk", flat=True))
    tasks.send(ids)
    tasks.send(ids)
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: scored(submission), seconds=120, what="all is scored")
    expect_scored_exactly_once(submission)
    assert set(submission.evaluations.values_list("attempts", flat=True)) == {1}


def test_rows_that_were_never_sent_are_found(submission: Submission, tmp_path: Path) -> None:
    assert submission.evaluations.filter(enqueued_at=None).count() == len(FAMILIES)
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: scored(submission), seconds=120, what="all is scored")
    expect_scored_exactly_once(submission)
