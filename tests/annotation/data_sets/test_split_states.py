"""Splits change hands like trainings: one holds them, whoever lost them writes nothing."""

from collections import Counter
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
from leaderboard.services.jobs.states import MAX_ATTEMPTS, JobClaim, job_claim, job_renew
from tests.annotation.conftest import LEASE, NOW
from tests.annotation.data_sets.made import make_data_set
from tests.factories import UserFactory

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


def test_a_split_stores_parts_and_report_is_noted_and_comes_again_by_its_seed(
    data_set: DataSet,
) -> None:
    parts = []
    for _ in range(2):
        run = started(data_set)
        tasks.split_run(run.pk, run.token)
        assert state(run) == SplitState.DONE
        parts.append(list(data_set.clips.values_list("file_name", "part")))
    assert parts[0] == parts[1]
    data_set.refresh_from_db()
    counts = Counter(data_set.clips.values_list("part", flat=True))
    assert counts == {"development": 24, "validation": 8, "evaluation": 8}
    assert data_set.split is not None
    report = data_set.split["report"]
    assert {name: row["clips"] for name, row in report["parts"].items()} == counts
    assert (report["clips"], data_set.split["asked"]["seed"]) == (40, 1)
    assert "words_by_part" not in report
    assert all(sum(counts) > 1 for _, *counts in run.report["words_by_part"])
    noted = AuditEvent.objects.filter(action="data-set.split").values_list("target", flat=True)
    assert set(noted) == {f"data-sets/{data_set.slug}"}


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


def test_one_split_at_a_time_and_what_waits_is_cancelled_at_once(data_set: DataSet) -> None:
    run = started(data_set)
    with pytest.raises(SplitRefused, match="is running"):
        started(data_set)
    with pytest.raises(IntegrityError), transaction.atomic():
        SplitRun.objects.create(data_set=data_set, asked=run.asked, created_at=NOW)
    assert split_states.split_cancel(run=run, act=act(data_set))
    assert state(run) == SplitState.CANCELLED
    with pytest.raises(SplitRefused, match="already ended"):
        split_states.split_cancel(run=run, act=act(data_set))


def test_what_runs_is_cancelled_at_its_next_step(data_set: DataSet) -> None:
    run = started(data_set)
    held = claim(run)
    assert not split_states.split_cancel(run=run, act=act(data_set))
    with pytest.raises(CancelAsked):
        job_renew(claim=held, stage="x", done=1, total=2, now=NOW, lease=LEASE)


@pytest.mark.parametrize(
    ("change", "left"),
    [({"token": 7}, SplitState.RUNNING), ({"cancel_asked_at": NOW}, SplitState.CANCELLED)],
    ids=["taken over by another attempt", "cancelled at the end"],
)
def test_who_lost_it_or_is_to_stop_stores_no_parts(
    data_set: DataSet, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], left: SplitState
) -> None:
    run = started(data_set)
    compute = split_attempt.report_of

    def meanwhile(*arguments: Any) -> dict[str, Any]:
        SplitRun.objects.filter(pk=run.pk).update(**change)
        return compute(*arguments)

    monkeypatch.setattr(split_attempt, "report_of", meanwhile)
    split_attempt.split_attempt(run_id=run.pk, token=run.token)
    data_set.refresh_from_db()
    assert (state(run), data_set.split) == (left, None)
    assert set(data_set.clips.values_list("part", flat=True)) == {""}
