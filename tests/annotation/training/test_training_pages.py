"""The pages of trainings: who sees what, what is said and escaped."""

import shlex
from dataclasses import asdict
from typing import Any

import pytest

from annotation.models import Project, RunState, TrainingRun
from annotation.selectors.training.runs import command_of, selection_summary
from annotation.services.training.states import TrainingOptions
from earmark.cli.parser import build_parser
from leaderboard.selectors.labellers.scores import CurveStep, curve_summary
from tests.annotation.conftest import Crew, make_project
from tests.annotation.trained import make_training
from tests.annotation.training.training_pages import ERROR, HOSTILE, get
from tests.leaderboard.scored_pages import text


def test_an_adjudicator_reads_figures_and_no_caption_and_nobody_another_projects(
    crew: Crew,
) -> None:
    make_training(make_project(crew.outsider))
    assert get(crew, crew.manager, "training", 1).status_code == 404
    make_training(crew.project, errors=[ERROR], state=RunState.DONE)
    told = text(get(crew, crew.judge, "training", 1).content)
    assert "0.812" in told
    assert "barks" not in told
    assert crew.manager.username not in told
    assert "barks" in text(get(crew, crew.manager, "training", 1).content)


def test_hostile_captions_and_labels_are_escaped(crew: Crew) -> None:
    words = [HOSTILE, "%{x}", "barks"]
    make_training(crew.project, errors=[ERROR | {"words": words}])
    make_training(
        crew.project, state=RunState.FAILED, reason=HOSTILE, advice=HOSTILE, detail=HOSTILE
    )
    for name, more in (("training", 1), ("training-captions", 1), ("training", 2)):
        response = get(crew, crew.manager, name, more)
        assert response.status_code == 200
        assert HOSTILE.encode() not in response.content
        assert b"&lt;script&gt;alert(1)" in response.content


TOLD = {
    "stage": "Training",
    "epoch": 2,
    "epochs": 6,
    "done": 120,
    "total": 576,
    "spent": 3.5,
    "rows": [
        {"stage": "Training", "epoch": 1, "epochs": 6, "loss": 1.5, "f1": 0.25, "ended": True},
        {"stage": "Training", "epoch": 2, "epochs": 6, "loss": 0.5, "f1": None, "ended": False},
    ],
}


def test_every_state_is_said(crew: Crew) -> None:
    states: list[tuple[dict[str, Any], str]] = [
        ({"state": RunState.FAILED, "reason": "It rained.", "advice": "Wait."}, "It rained. Wait."),
        ({"state": RunState.CANCELLED, "told": TOLD}, "No labeller was registered."),
        ({"state": RunState.WAITING}, "Waiting for a worker."),
        ({"state": RunState.WAITING, "told": TOLD}, "Other jobs have their turn."),
        ({"state": RunState.RUNNING}, "Reading the captions and the encoder."),
    ]
    for fields, said in states:
        TrainingRun.objects.all().delete()
        make_training(crew.project, **fields)
        assert said in text(get(crew, crew.manager, "training", 1).content)


def test_the_labeller_in_use_is_compared_with_a_warning_where_it_learned_from_them(
    crew: Crew,
) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"seen": None}, "It is not known which captions shipped@12345678 was trained on."),
        ({"seen": 0}, "shipped@12345678 , on the same captions."),
        (
            {"seen": 20, "unseen": {"captions": 4, "micro": 0.5}},
            (
                "It was trained on 20 of these 24 captions, so its figures are too high for a "
                "fair comparison. On the 4 others its micro F1 is 0.500."
            ),
        ),
    ]
    for comparison, said in rows:
        TrainingRun.objects.all().delete()
        run = make_training(crew.project)
        scores = {"micro": 0.7, "weighted": 0.7, "accuracy": 0.7, "span": 0.7, "captions": 24}
        run.report["comparison"] = {"identity": "shipped@12345678", "scores": scores, **comparison}
        run.save()
        told = text(get(crew, crew.judge, "training", 1).content)
        assert said in told
        assert "0.700" in told
        assert ("not known" in told) == (comparison["seen"] is None)


@pytest.mark.parametrize(
    ("micros", "told"),
    [
        ((0.5, 0.6, 0.64, 0.66), "400 captions more would probably bring less than 0.060"),
        *(((0.5, 0.6, 0.6, last), "would bring little") for last in (0.6, 0.604, 0.58)),
        # Each doubling brought more than the one before; falls between; the same gain passes 1.
        ((0.01, 0.072, 0.4, 0.565), "too uneven to say"),
        ((0.1, 0.52, 0.7, 0.93), "too uneven to say"),
        ((0.5, 0.6, 0.64), "With fewer than 4 points there is no forecast"),
        ((), ""),
    ],
)
def test_of_a_curve_no_more_is_promised_than_its_numbers_tell(
    micros: tuple[float, ...], told: str
) -> None:
    steps = [CurveStep(100 * number, micro, micro) for number, micro in enumerate(micros, 1)]
    said = curve_summary(steps, 24)
    assert told in said
    assert bool(said) is bool(micros)
    assert ("less than" in said) == (micros[-1:] == (0.66,))


def options(project: Project, **told: Any) -> TrainingRun:
    run = make_training(project)
    run.options = asdict(TrainingOptions("x", **told))
    return run


def test_the_command_says_every_option_and_is_one_that_the_program_takes(project: Project) -> None:
    rows: list[dict[str, Any]] = [
        {},
        {"method": "head", "rate": 0.004, "epochs": 3},
        {"method": "full", "backbone": "my encoder", "folds": 5, "curve": True},
        {"learn_all": True, "held_out": 0.1, "batch": 4, "seed": 2**31 - 1},
    ]
    for told in rows:
        run = options(project, **told)
        words = shlex.split(command_of(run))
        parsed = vars(build_parser().parse_args(words[3:]))
        wanted = run.options
        rate = parsed["head_rate"] if wanted["method"] == "head" else parsed["rate"]
        assert rate == wanted["rate"]
        for name in ("method", "backbone", "epochs", "batch", "seed", "held_out", "folds", "curve"):
            assert parsed[name] == wanted[name]
        assert parsed["keep_held_out"] != wanted["learn_all"]


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
