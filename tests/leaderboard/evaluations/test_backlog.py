"""A long queue: what heals goes on beside it, and no message is sent again without need."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from leaderboard import tasks
from leaderboard.celery import app
from leaderboard.job_tasks import kinds_sweep
from leaderboard.models import Evaluation, EvaluationState, Submission
from leaderboard.queues import messages_waiting
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.evaluations.worker_process import running_worker

QUEUES = ("cpu", "gpu", "maintenance")


def empty_queues() -> None:
    with app.connection_for_write() as connection:
        for queue in QUEUES:
            connection.default_channel.queue_declare(queue)
            connection.default_channel.queue_purge(queue)


@pytest.fixture
def submission(transactional_db: None) -> Submission:
    empty_queues()
    return submit(PhaseFactory.create(), TeamFactory.create())


def waiting() -> int:
    return sum(map(messages_waiting, ("cpu", "gpu")))


@pytest.mark.with_services
def test_lost_work_is_taken_back_while_evaluations_wait_unserved(
    submission: Submission, tmp_path: Path
) -> None:
    """No worker serves cpu and gpu here: the longest backlog there can be."""
    tasks.submission_enqueue(submission)
    others = submission.evaluations.exclude(family="bleu").values_list("family", "enqueued_at")
    sent = set(others)
    lost = submission.evaluations.filter(family="bleu")
    lost.update(
        state=EvaluationState.RUNNING,
        attempts=1,
        lease_expires_at=timezone.now() - timedelta(seconds=1),
    )
    with running_worker(tmp_path, ("maintenance",)) as worker:
        worker.wait_until(
            lambda: lost.get().state == EvaluationState.PENDING,
            what="the lost evaluation waits again",
        )
        # Sent again once, as lost work always is; then no more while messages wait.
        worker.wait_until(lambda: lost.exclude(enqueued_at=None).exists(), what="it is sent again")
    assert set(others.all()) == sent


def test_what_waits_in_a_long_queue_is_not_sent_again_and_what_was_lost_is(
    submission: Submission, settings: Settings
) -> None:
    settings.REQUEUE_AFTER = timedelta(seconds=60)
    tasks.submission_enqueue(submission)
    count = submission.evaluations.count()
    assert waiting() == count
    long_ago = timezone.now() - timedelta(minutes=10)
    Evaluation.objects.update(enqueued_at=long_ago)
    for _ in range(3):
        kinds_sweep()
    assert waiting() == count
    assert set(Evaluation.objects.values_list("enqueued_at", flat=True)) == {long_ago}
    empty_queues()  # the broker lost its memory
    kinds_sweep()
    assert waiting() == count
    kinds_sweep()
    assert waiting() == count
    # The broker lost some messages while others wait: after the long pause they are sent again.
    Evaluation.objects.update(enqueued_at=long_ago - settings.REQUEUE_AFTER_IN_BACKLOG)
    kinds_sweep()
    assert waiting() == 2 * count


def test_periodic_tasks_have_a_queue_of_their_own_and_never_expire() -> None:
    for entry in app.conf.beat_schedule.values():
        assert "expires" not in entry.get("options", {})
        route = app.amqp.router.route({}, entry["task"])
        assert route["queue"].name == "maintenance"
    assert app.amqp.router.route({}, tasks.notices_mail.name)["queue"].name == "maintenance"
