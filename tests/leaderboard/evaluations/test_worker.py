"""Real worker processes, killed and confused: each submission ends scored exactly once."""

from pathlib import Path

import pytest

from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, MetricResult, Submission
from scoring.registry import FAMILIES, metrics_for
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import running_worker

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


def test_messages_that_come_twice_or_never_are_scored_once(
    submission: Submission, tmp_path: Path
) -> None:
    """What was never sent is found by the sweep."""
    unsent = submit(PhaseFactory.create(), TeamFactory.create())
    assert unsent.evaluations.filter(enqueued_at=None).count() == len(FAMILIES)
    ids = list(submission.evaluations.values_list("pk", flat=True))
    tasks.evaluations_enqueue(ids)
    tasks.evaluations_enqueue(ids)
    with running_worker(tmp_path) as worker:
        worker.wait_until(
            lambda: scored(submission) and scored(unsent), seconds=200, what="all is scored"
        )
    for one in (submission, unsent):
        expect_scored_exactly_once(one)
        assert set(one.evaluations.values_list("attempts", flat=True)) == {1}
