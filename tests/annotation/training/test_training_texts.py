"""What pages say of a training: no more than its numbers can tell."""

import shlex
from dataclasses import asdict
from typing import Any

import pytest

from annotation.models import Project, TrainingRun
from annotation.selectors.training.reports import (
    f1_figure,
    loss_figure,
)
from annotation.selectors.training.runs import EpochRow, command_of, option_rows, selection_summary
from annotation.services.training.start import TrainingOptions
from leaderboard.selectors.figures.labellers import curve_figure
from leaderboard.selectors.labellers.scores import CurveStep, curve_of, curve_summary
from scoring.cli.parser import build_parser
from tests.annotation.conftest import make_project
from tests.annotation.trained import make_training
from tests.factories import UserFactory

pytestmark = pytest.mark.one_database


@pytest.fixture
def project(db: None) -> Project:
    return make_project(UserFactory.create())


def said_of(*micros: float) -> str:
    steps = [CurveStep(100 * number, micro, micro) for number, micro in enumerate(micros, 1)]
    return curve_summary(steps, 24)


def test_a_curve_that_still_rises_promises_less_than_its_last_doubling() -> None:
    said = said_of(0.5, 0.6, 0.64, 0.66)
    assert "From 200 to 400 captions F1 went from 0.600 to 0.660." in said
    assert "400 captions more would probably bring less than 0.060" in said
    assert "24 held-out captions, one draw of them" in said


@pytest.mark.parametrize("last", [0.6, 0.604, 0.58])
def test_a_flat_curve_promises_nothing(last: float) -> None:
    said = said_of(0.5, 0.6, 0.6, last)
    assert "would bring little" in said
    assert "less than" not in said


@pytest.mark.parametrize(
    "micros",
    [
        (0.01, 0.072, 0.4, 0.565),  # each doubling brought more than the one before
        (0.3, 0.4, 0.2, 0.46),  # falls between its points
        (0.1, 0.52, 0.7, 0.93),  # the same gain again would pass 1
    ],
)
def test_of_uneven_points_no_gain_is_said(micros: tuple[float, ...]) -> None:
    said = said_of(*micros)
    assert "too uneven to say" in said
    assert "less than" not in said


def test_a_gain_is_said_once_there_are_enough_points() -> None:
    said = said_of(0.5, 0.6, 0.64)
    assert said.startswith("With fewer than 4 points nothing can be said")
    assert "less than" not in said


def test_without_a_curve_nothing_is_said() -> None:
    assert said_of() == ""


def test_figures_have_the_same_numbers_as_their_tables() -> None:
    rows = (
        EpochRow("Fold 1 of 2", 1, 2, 0.9, 0.4),
        EpochRow("Training", 1, 2, 0.5, 0.7),
        EpochRow("Training", 2, 2, 0.25, None),
    )
    loss, f1 = loss_figure(rows), f1_figure(rows)
    # The training itself is drawn last, over all others.
    assert [trace["name"] for trace in loss.data] == ["Fold 1 of 2", "Training"]
    assert loss.data[1]["y"] == [0.5, 0.25]
    assert loss.numbers.rows[-1] == ("Training", "2", "0.250")
    # What was not measured has no point and no row.
    assert f1.data[1]["y"] == [0.7]
    assert len(f1.numbers.rows) == 2
    points = [{"captions": 1200, "micro": 0.5, "weighted": 0.75}]
    assert curve_figure(curve_of({"curve": points})).numbers.rows == (("1,200", "0.500", "0.750"),)


def test_a_stage_cannot_bring_markup_into_a_figure() -> None:
    (trace,) = loss_figure((EpochRow("<b>%{x}", 1, 1, 0.5, None),)).data
    assert "<b>" not in trace["name"] + trace["hovertemplate"].split("<extra>")[0]


def options(project: Project, **told: Any) -> TrainingRun:
    run = make_training(project)
    run.options = asdict(TrainingOptions("x", **told))
    return run


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"method": "head", "rate": 0.004, "epochs": 3},
        {"method": "full", "backbone": "my encoder", "folds": 5, "curve": True},
        {"learn_all": True, "held_out": 0.1, "batch": 4, "seed": 2**31 - 1},
    ],
)
def test_the_command_says_every_option_and_is_one_that_the_program_takes(
    project: Project, told: dict[str, Any]
) -> None:
    run = options(project, **told)
    words = shlex.split(command_of(run))
    parsed = vars(build_parser().parse_args(words[3:]))
    wanted = run.options
    rate = parsed["head_rate"] if wanted["method"] == "head" else parsed["rate"]
    assert rate == wanted["rate"]
    for name in ("method", "backbone", "epochs", "batch", "seed", "held_out", "folds", "curve"):
        assert parsed[name] == wanted[name]
    assert parsed["keep_held_out"] != wanted["learn_all"]


def test_the_recipe_names_every_value_that_decides_the_weights(project: Project) -> None:
    said = dict(option_rows(options(project, seed=2**31 - 1, folds=5, learn_all=True)))
    assert said["Seed"] == "2147483647"
    assert said["Measured by"] == "20% held out, 5 folds"
    assert said["Epochs"] == "6"  # as the report has it
    assert said["In the end learns from"] == "96 captions"
    assert "decay 0.01" in said["The rest of the recipe"]


def test_whose_answers_were_learned_from_is_told_to_managers_alone(project: Project) -> None:
    run = make_training(project)
    manager = project.members.get()
    run.chosen = {"source": "accepted", "people": [0], "leave_flagged": False, "projects": []}
    assert selection_summary(run, named=True, known=()) == "Accepted answers of someone who left"
    assert selection_summary(run, named=False, known=()) == "Accepted answers of one person"
    run.chosen = run.chosen | {"people": [0, manager.user_id]}
    assert selection_summary(run, named=False, known=()) == "Accepted answers of 2 people"
    run.chosen = run.chosen | {"people": []}
    assert selection_summary(run, named=False, known=()) == "Accepted answers of everyone"
