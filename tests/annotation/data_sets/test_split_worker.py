"""A real worker splits before a queue of systems is scored, and loses nothing when it is killed."""

from pathlib import Path

import pytest
from django.utils import timezone

from annotation import tasks
from annotation.models import DataSet, SplitRun, SplitState
from annotation.services.data_sets.making import DataSetAct
from annotation.services.data_sets.splits import SplitRequest, split_start
from leaderboard.models import Evaluation, EvaluationState
from leaderboard.tasks import submission_enqueue
from tests.annotation.data_sets.made import make_data_set
from tests.factories import PhaseFactory, TeamFactory, UserFactory, submit
from tests.leaderboard.evaluations.worker_process import running_worker

pytestmark = pytest.mark.django_db(transaction=True)
PARTS = "development=.6,validation=.2,evaluation=.2"


def started(trials: int) -> SplitRun:
    data_set = make_data_set(UserFactory.create(), clips=120)
    assert data_set.owner is not None
    run = split_start(
        data_set=data_set,
        request=SplitRequest(PARTS, trials=trials),
        act=DataSetAct(data_set.owner, timezone.now()),
    )
    tasks.SPLIT_TASKS.enqueue(run.pk)
    return run


def stands(run: SplitRun, state: SplitState) -> bool:
    return SplitRun.objects.get(pk=run.pk).state == state


def parts(data_set: DataSet) -> list[str]:
    return list(data_set.clips.order_by("position").values_list("part", flat=True))


def test_a_worker_that_is_killed_loses_nothing_and_the_next_stores_the_same(
    transactional_db: None, tmp_path: Path
) -> None:
    """At first on a machine that never stores one, so that the kill comes in the middle."""
    run = started(20_000)
    with running_worker(tmp_path, app="tests.leaderboard.evaluations.stuck_worker") as worker:
        worker.wait_until(
            lambda: SplitRun.objects.get(pk=run.pk).done > 0, what="clips are exchanged"
        )
        worker.kill()
    assert stands(run, SplitState.RUNNING)
    assert set(parts(run.data_set)) == {""}
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: stands(run, SplitState.DONE), what="another worker splits")
    run.refresh_from_db()
    assert (run.attempts, run.token) == (2, 2)
    stored = parts(run.data_set)
    assert sorted(set(stored)) == ["development", "evaluation", "validation"]


def test_a_split_waits_for_what_is_under_way_and_not_for_a_queue_of_systems(
    transactional_db: None, tmp_path: Path
) -> None:
    phase, team = PhaseFactory.create(quota_per_day=9), TeamFactory.create()
    for number in range(4):
        submission_enqueue(submit(phase, team, name=f"System {number}"))
    run = started(1)
    with running_worker(tmp_path) as worker:
        worker.wait_until(lambda: stands(run, SplitState.DONE), what="it is split")
    assert Evaluation.objects.filter(state=EvaluationState.PENDING).count() > 40
