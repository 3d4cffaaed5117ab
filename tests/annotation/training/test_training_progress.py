"""What a training tells, and when it gives way."""

from dataclasses import replace
from datetime import timedelta

import pytest

from annotation.services.training import states
from annotation.services.training.progress import ProgressNotes, TrainingProgress, TurnOver
from leaderboard.services.jobs.states import JobClaim
from scoring.train.descriptors import PlanProgress


def told(epoch: int, *, ended: bool = True, stage: str = "Training") -> PlanProgress:
    return PlanProgress(stage, epoch, 3, 1 / epoch, 0.5 if ended else None, epoch, 3, ended)


def test_a_turn_ends_where_something_is_kept() -> None:
    progress = TrainingProgress(
        JobClaim(states.TRAININGS, 1, 1),
        {},
        limit=timedelta(hours=1),
        turn=timedelta(),
    )
    progress.note(told(1, ended=False))
    with pytest.raises(TurnOver):
        progress.note(replace(told(1, ended=False), kept=True))
    # An epoch that was done in an earlier turn is told again, which ends none.
    later = TrainingProgress(
        JobClaim(states.TRAININGS, 1, 1),
        {"rows": [{"stage": "Training", "epoch": 1, "ended": True}]},
        limit=timedelta(hours=1),
        turn=timedelta(),
    )
    later.note(replace(told(1), kept=True))


def test_an_epoch_has_one_row_however_often_it_is_told() -> None:
    """A training that goes on tells anew what it had done; that is no news and no loss."""
    notes = ProgressNotes({})
    assert not notes.add(told(1, ended=False))
    assert notes.add(told(1))
    later = ProgressNotes(notes.to_json(5))
    assert later.spent == 5
    assert not later.add(told(1))
    assert not later.add(told(2, ended=False))
    assert later.add(told(2))
    assert later.add(told(1, stage="Fold 1 of 2"))
    rows = later.to_json(2)["rows"]
    assert [(row["stage"], row["epoch"]) for row in rows] == [
        ("Training", 1),
        ("Training", 2),
        ("Fold 1 of 2", 1),
    ]
    assert later.to_json(2)["spent"] == 7


def test_numbers_that_json_cannot_hold_are_none() -> None:
    notes = ProgressNotes({})
    notes.add(PlanProgress("Training", 1, 1, float("nan"), float("inf"), 1, 1, True))
    (row,) = notes.to_json(0)["rows"]
    assert (row["loss"], row["f1"]) == (None, None)
