"""Jobs under leases, of whatever kind: none is forgotten, and one kind holds up no other."""

import pytest
from django.apps import apps

import annotation.tasks
import leaderboard.tasks
from leaderboard import job_tasks
from leaderboard.job_tasks import JobTasks, kinds_sweep
from leaderboard.models import LeasedJob


def test_every_kind_of_job_is_swept() -> None:
    """A table of jobs of which no task is entered would wait for ever once a worker was lost."""
    assert annotation.tasks.CHECK_TASKS.kind != leaderboard.tasks.JUDGMENTS_TASKS.kind
    swept = [tasks.kind.model for tasks in job_tasks.KINDS]
    jobs = {model for model in apps.get_models() if issubclass(model, LeasedJob)}
    assert set(swept) == jobs
    assert len(swept) == len(jobs)


def test_what_is_wrong_with_one_kind_keeps_no_other_from_its_sweep(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    swept: list[str] = []

    def broken() -> None:
        raise RuntimeError("a column is gone")

    first, second = job_tasks.KINDS[:2]
    kinds = [
        JobTasks(first.kind, first.send, broken),
        JobTasks(second.kind, second.send, lambda: swept.append("second")),
    ]
    monkeypatch.setattr(job_tasks, "KINDS", kinds)
    kinds_sweep()
    assert swept == ["second"]
    assert first.kind.model.__name__ in caplog.text
