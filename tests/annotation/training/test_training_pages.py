"""The pages of trainings: who sees what, what is said and escaped."""

import re
import shlex
from dataclasses import asdict
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Project, RunState, TrainingRun
from annotation.selectors.training.reports import f1_figure, loss_figure
from annotation.selectors.training.runs import EpochRow, command_of, option_rows, selection_summary
from annotation.services.training.start import TrainingOptions
from leaderboard.selectors.figures.labellers import curve_figure
from leaderboard.selectors.labellers.scores import CurveStep, curve_of, curve_summary
from scoring.cli.parser import build_parser
from tests.annotation.conftest import Crew, make_project
from tests.annotation.labelled import label
from tests.annotation.trained import make_training
from tests.annotation.training.training_pages import ERROR, HOSTILE, get, post
from tests.factories import UserFactory
from tests.leaderboard.scored_pages import plain, text


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


def test_a_cell_opens_the_captions_behind_it(crew: Crew) -> None:
    other = {"words": ["rain"], "given": ["WHAT"], "found": ["O"]}
    make_training(crew.project, errors=[ERROR, other])
    page = get(crew, crew.manager, "training", 1).content.decode()
    address = reverse("annotation:training-captions", args=[crew.project.slug, 1])
    assert f'href="{address}?given=WHO&amp;found=WHAT"' in page
    assert f"{address}?given=WHO\\u0026found=WHAT" in page
    opened = get(crew, crew.manager, "training-captions", 1, query="?given=WHO&found=WHAT")
    assert re.findall(r"<mark[^>]*>([^<]*)</mark>", opened.content.decode()) == ["dog"]
    assert "rain" not in text(opened.content)
    none = get(crew, crew.manager, "training-captions", 1, query="?given=HOW&found=WHO")
    assert "None of the stored captions" in text(none.content)
    for query in ("?given=NOTHING&found=WHO", "?given=WHO"):
        assert get(crew, crew.manager, "training-captions", 1, query=query).status_code == 404


def test_captions_with_errors_lead_to_the_caption(crew: Crew) -> None:
    words = crew.items[0].text.split()
    labels = ["O"] * len(words)
    make_training(
        crew.project, errors=[{"words": words, "given": labels, "found": ["WHO", *labels[1:]]}]
    )
    page = get(crew, crew.manager, "training", 1).content.decode()
    item = reverse("annotation:adjudicate-item", args=[crew.project.slug, crew.items[0].pk])
    assert f'href="{item}"' in page


def test_a_caption_that_several_labelled_says_beside_each_whose_labels_it_has(crew: Crew) -> None:
    item = crew.items[0]
    label(item, crew.ann, (1, 1, "WHO"))
    label(item, crew.manager, (1, 1, "WHAT"))
    words = item.text.split()
    found = ["O"] * len(words)
    given = [["O", name, *found[2:]] for name in ("WHO", "WHAT", "HOW")]
    errors = [{"words": words, "given": labels, "found": found} for labels in given]
    accepted = {"source": "accepted", "people": [], "leave_flagged": False, "projects": []}
    make_training(crew.project, errors=errors, chosen=accepted)
    for name in ("training", "training-captions"):
        told = text(get(crew, crew.manager, name, 1).content)
        assert re.findall(r"words differ\.(?: Labels: ([^.]*)\.)?", told) == [
            crew.ann.username,
            "you",
            "",
        ]


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


def test_the_progress_asks_for_itself_until_it_is_over(crew: Crew) -> None:
    run = make_training(crew.project, state=RunState.RUNNING, told=TOLD)
    address = reverse("annotation:training-progress", args=[crew.project.slug, 1])
    html = get(crew, crew.manager, "training-progress", 1).content.decode()
    assert f'hx-get="{address}"' in html
    told = plain(html)
    assert "Training. Epoch 2 of 6." in told
    assert "epoch 1: loss 1.500, F1 0.250" in told
    TrainingRun.objects.filter(pk=run.pk).update(state=RunState.DONE)
    html = get(crew, crew.manager, "training-progress", 1).content.decode()
    assert "hx-get" not in html
    assert "Show the results" in html


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": RunState.WAITING}, "Waiting for a worker."),
        ({"state": RunState.WAITING, "told": TOLD}, "Other jobs have their turn."),
        ({"state": RunState.RUNNING}, "Reading the captions and the encoder."),
        ({"state": RunState.FAILED, "reason": "It rained.", "advice": "Wait."}, "It rained. Wait."),
        ({"state": RunState.CANCELLED, "told": TOLD}, "No labeller was registered."),
    ],
)
def test_every_state_is_said(crew: Crew, fields: dict[str, Any], said: str) -> None:
    make_training(crew.project, **fields)
    assert said in text(get(crew, crew.manager, "training", 1).content)


def test_cancelling_and_trying_again_from_the_page(crew: Crew) -> None:
    run = make_training(crew.project, state=RunState.WAITING)
    post(crew, crew.manager, "training-cancel", 1)
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    post(crew, crew.manager, "training-again", 1)
    run.refresh_from_db()
    assert run.state == RunState.WAITING


@pytest.mark.parametrize(
    ("comparison", "said"),
    [
        ({"seen": None}, "It is not known which captions shipped@12345678 was trained on."),
        ({"seen": 0}, "shipped@12345678 , on the same captions."),
        (
            {"seen": 20, "unseen": {"captions": 4, "micro": 0.5}},
            (
                "It was trained on 20 of these 24 captions, so its figures are too high for a "
                "fair comparison. On the 4 others its micro F1 is 0.500."
            ),
        ),
    ],
)
def test_the_labeller_in_use_is_compared_with_a_warning_where_it_learned_from_them(
    crew: Crew, comparison: dict[str, Any], said: str
) -> None:
    run = make_training(crew.project)
    scores = {"micro": 0.7, "weighted": 0.7, "accuracy": 0.7, "span": 0.7, "captions": 24}
    run.report["comparison"] = {"identity": "shipped@12345678", "scores": scores, **comparison}
    run.save()
    told = text(get(crew, crew.judge, "training", 1).content)
    assert said in told
    assert "0.700" in told
    assert ("not known" in told) == (comparison["seen"] is None)


def test_the_list_does_not_ask_the_database_once_for_each_training(crew: Crew) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert get(crew, crew.judge, "models").status_code == 200
        return len(found)

    make_training(crew.project)
    first = queries()
    for _ in range(5):
        make_training(crew.project)
    assert queries() <= first


# -- what pages say ------------------------------------------------------------------------


@pytest.fixture
def project(db: None) -> Project:
    return make_project(UserFactory.create())


@pytest.mark.parametrize(
    ("micros", "told"),
    [
        ((0.5, 0.6, 0.64, 0.66), "400 captions more would probably bring less than 0.060"),
        ((0.5, 0.6, 0.64, 0.66), "24 held-out captions, one draw of them"),
        *(((0.5, 0.6, 0.6, last), "would bring little") for last in (0.6, 0.604, 0.58)),
        # Each doubling brought more than the one before; falls between; the same gain passes 1.
        ((0.01, 0.072, 0.4, 0.565), "too uneven to say"),
        ((0.3, 0.4, 0.2, 0.46), "too uneven to say"),
        ((0.1, 0.52, 0.7, 0.93), "too uneven to say"),
        ((0.5, 0.6, 0.64), "With fewer than 4 points nothing can be said"),
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


def test_figures_have_the_same_numbers_as_their_tables_and_no_markup() -> None:
    rows = (
        EpochRow("<b>%{x}", 1, 2, 0.9, 0.4),
        EpochRow("Training", 1, 2, 0.5, 0.7),
        EpochRow("Training", 2, 2, 0.25, None),
    )
    loss, f1 = loss_figure(rows), f1_figure(rows)
    # The training itself is drawn last, over all others.
    fold, training = loss.data
    assert "<b>" not in fold["name"] + fold["hovertemplate"].split("<extra>")[0]
    assert (training["name"], training["y"]) == ("Training", [0.5, 0.25])
    assert loss.numbers.rows[-1] == ("Training", "2", "0.250")
    # What was not measured has no point and no row.
    assert f1.data[1]["y"] == [0.7]
    assert len(f1.numbers.rows) == 2
    points = [{"captions": 1200, "micro": 0.5, "weighted": 0.75}]
    assert curve_figure(curve_of({"curve": points})).numbers.rows == (("1,200", "0.500", "0.750"),)


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
