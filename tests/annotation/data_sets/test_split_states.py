"""Splits change hands like trainings: one holds them, whoever lost them writes nothing."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from annotation import tasks
from annotation.models import DataSet, SplitRun, SplitState
from annotation.services.data_sets import split_attempt, split_states
from annotation.services.data_sets.making import DataSetAct
from annotation.services.data_sets.split_states import SPLITS, SplitRefused, SplitRequest
from leaderboard.lease_heartbeat import CancelAsked
from leaderboard.models import AuditEvent
from leaderboard.services.jobs.states import (
    MAX_ATTEMPTS,
    JobClaim,
    job_claim,
    job_renew,
    job_stop,
    jobs_sweep,
)
from tests.annotation.conftest import LEASE, NOW
from tests.annotation.data_sets.made import make_data_set
from tests.factories import UserFactory

LATE = NOW + LEASE + timedelta(seconds=1)
REQUEUE = timedelta(minutes=1)
PARTS = "development=.6,validation=.2,evaluation=.2"
QUICK = SplitRequest(PARTS, seed=1, trials=2000)


@pytest.fixture
def data_set(db: None) -> DataSet:
    return make_data_set(UserFactory.create())


def act(data_set: DataSet) -> DataSetAct:
    assert data_set.owner is not None
    return DataSetAct(data_set.owner, NOW)


def started(data_set: DataSet, request: SplitRequest = QUICK) -> SplitRun:
    return split_states.split_start(data_set=data_set, request=request, act=act(data_set))


def claim(run: SplitRun) -> JobClaim:
    run.refresh_from_db()
    found = job_claim(kind=SPLITS, pk=run.pk, token=run.token, now=NOW, lease=LEASE)
    assert found is not None
    return found


def state(run: SplitRun) -> str:
    run.refresh_from_db()
    return run.state


def test_a_split_stores_parts_and_report_and_is_noted(data_set: DataSet) -> None:
    run = started(data_set)
    tasks.split_run(run.pk, run.token)
    assert state(run) == SplitState.DONE
    data_set.refresh_from_db()
    counts = Counter(data_set.clips.values_list("part", flat=True))
    assert counts == {"development": 24, "validation": 8, "evaluation": 8}
    assert data_set.split is not None
    report = data_set.split["report"]
    assert {name: row["clips"] for name, row in report["parts"].items()} == counts
    assert report["clips"] == 40
    assert "words_by_part" not in report
    assert all(sum(counts) > 1 for _, *counts in run.report["words_by_part"])
    assert data_set.split["asked"]["seed"] == 1
    assert AuditEvent.objects.get(action="data-set.split").target == f"data-sets/{data_set.slug}"


def test_the_same_seed_gives_the_same_parts(data_set: DataSet) -> None:
    found = []
    for _ in range(2):
        run = started(data_set)
        tasks.split_run(run.pk, run.token)
        found.append(list(data_set.clips.values_list("file_name", "part")))
    assert found[0] == found[1]


def test_clips_of_one_uploader_stay_together_and_unknown_ones_do_not(db: None) -> None:
    metas: list[dict[str, Any]] = [{"uploader": name} for name in ("ann", "bob", "Not found")]
    metas += [{"uploader": f"person {number}"} for number in range(17)]
    data_set = make_data_set(UserFactory.create(), metas=metas, clips=60)
    run = started(data_set, SplitRequest("a=.5,b=.5", 0, ("uploader",), "", 2000))
    tasks.split_run(run.pk, run.token)
    assert state(run) == SplitState.DONE
    parts: dict[str, set[str]] = {}
    for meta, part in data_set.clips.values_list("meta", "part"):
        parts.setdefault(meta["uploader"], set()).add(part)
    del parts["Not found"]
    assert all(len(found) == 1 for found in parts.values())
    assert run.report["kept_together"] == {"groups": 19, "largest": 3}


@pytest.mark.parametrize(
    ("clips", "request_", "why"),
    [
        (2, QUICK, "There are 2 clips for 3 parts"),
        (20, SplitRequest("a=.99,b=.01"), "would have no clip"),
        (10, SplitRequest("a=.5,b=.5", 0, ("recording",)), "in 1 group that stay together"),
    ],
)
def test_what_cannot_be_split_says_why(
    db: None, clips: int, request_: SplitRequest, why: str
) -> None:
    data_set = make_data_set(UserFactory.create(), clips=clips, metas=[{"recording": "one"}])
    run = started(data_set, request_)
    tasks.split_run(run.pk, run.token)
    assert state(run) == SplitState.FAILED
    assert why in run.reason
    assert set(data_set.clips.values_list("part", flat=True)) == {""}


def test_an_unexpected_error_is_tried_again_and_then_told_without_its_text(
    data_set: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("a dog barks")

    monkeypatch.setattr(split_attempt, "split_clips", broken)
    run = started(data_set)
    for _ in range(MAX_ATTEMPTS):
        assert state(run) == SplitState.WAITING
        split_attempt.split_attempt(run_id=run.pk, token=run.token)
    assert state(run) == SplitState.FAILED
    assert run.reason == "Unexpected error (ValueError)."


def test_one_split_at_a_time(data_set: DataSet) -> None:
    run = started(data_set)
    with pytest.raises(SplitRefused, match="is running"):
        started(data_set)
    with pytest.raises(IntegrityError), transaction.atomic():
        SplitRun.objects.create(data_set=data_set, asked=run.asked, created_at=NOW)


def test_a_lost_worker_stores_no_parts(data_set: DataSet, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another attempt took it over while this one computed: its parts are not written."""
    run = started(data_set)
    compute = split_attempt.split_of

    def overtaken(*arguments: Any) -> Any:
        found = compute(*arguments)
        SplitRun.objects.filter(pk=run.pk).update(token=7)
        return found

    monkeypatch.setattr(split_attempt, "split_of", overtaken)
    split_attempt.split_attempt(run_id=run.pk, token=run.token)
    data_set.refresh_from_db()
    assert data_set.split is None
    assert set(data_set.clips.values_list("part", flat=True)) == {""}


def test_what_waits_is_cancelled_at_once_and_what_is_over_is_not(data_set: DataSet) -> None:
    run = started(data_set)
    assert split_states.split_cancel(run=run, act=act(data_set))
    assert state(run) == SplitState.CANCELLED
    with pytest.raises(SplitRefused, match="already ended"):
        split_states.split_cancel(run=run, act=act(data_set))


def test_what_runs_is_cancelled_at_its_next_step_or_with_its_worker(data_set: DataSet) -> None:
    run = started(data_set)
    held = claim(run)
    assert not split_states.split_cancel(run=run, act=act(data_set))
    with pytest.raises(CancelAsked):
        job_renew(claim=held, stage="x", done=1, total=2, now=NOW, lease=LEASE)
    job_stop(claim=held, now=NOW)
    assert state(run) == SplitState.CANCELLED
    second = started(data_set)
    claim(second)
    split_states.split_cancel(run=second, act=act(data_set))
    assert jobs_sweep(kind=SPLITS, now=LATE, requeue_after=REQUEUE) == []
    assert state(second) == SplitState.CANCELLED


def test_a_cancel_that_comes_at_the_end_stores_nothing(
    data_set: DataSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(data_set)
    compute = split_attempt.report_of

    def cancelled(*arguments: Any) -> dict[str, Any]:
        SplitRun.objects.filter(pk=run.pk).update(cancel_asked_at=NOW)
        return compute(*arguments)

    monkeypatch.setattr(split_attempt, "report_of", cancelled)
    split_attempt.split_attempt(run_id=run.pk, token=run.token)
    assert state(run) == SplitState.CANCELLED
    assert set(data_set.clips.values_list("part", flat=True)) == {""}
