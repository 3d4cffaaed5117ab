"""Real trainings, small ones: what they keep, and what stops them without leaving anything."""

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from annotation.models import Project, RunState, TrainingRun
from annotation.selectors.training.material import LabelSource, TrainingSelection
from annotation.selectors.training.runs import backbones
from annotation.services.projects import ProjectAct
from annotation.services.training import attempt as attempts
from annotation.services.training.attempt import ProgressNotes, TrainingProgress
from annotation.services.training.states import TrainingOptions, training_start
from earmark.models.descriptors import find_labeller, label
from earmark.train.descriptors import LabellerRecipe, OutOfMemory, PlanProgress
from leaderboard.models import Labeller, LabellerUse, Notice
from leaderboard.selectors.labellers.files import folder_of, labeller_folder
from leaderboard.services.jobs import attempts as job_attempts
from leaderboard.services.labellers.registry import labeller_delete
from leaderboard.services.labellers.using import labeller_put_to_use
from tests.annotation.conftest import make_project
from tests.annotation.trained import easy_texts, label_easily
from tests.earmark.descriptors.tiny import tiny_backbone
from tests.factories import UserFactory
from tests.waiting import wait_until

# In a transaction of the test's own the heartbeat, which has its own connection, could not write.
pytestmark = [pytest.mark.django_db(transaction=True)]

QUICK = TrainingOptions("tested", method="lora", epochs=2, rate=5e-3, batch=8)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, settings: Settings) -> None:
    settings.TRAININGS_DIR = tmp_path / "trainings"
    settings.LABELLERS_DIR = tmp_path / "labellers"
    settings.TRAINING_TURN = timedelta(hours=1)
    settings.SCORING_DEVICE = "cpu"


@pytest.fixture
def project(transactional_db: None) -> Project:
    manager = UserFactory.create()
    project = make_project(manager, texts=easy_texts(40), copies=1)
    label_easily(list(project.items.all()), manager)
    return project


def started(project: Project, options: TrainingOptions = QUICK) -> TrainingRun:
    return training_start(
        project=project,
        chosen=TrainingSelection(LabelSource.ACCEPTED),
        options=options,
        act=ProjectAct(project.members.get().user, timezone.now()),
    )


def attempt(run: TrainingRun) -> TrainingRun:
    run.refresh_from_db()
    attempts.training_attempt(pk=run.pk, token=run.token)
    run.refresh_from_db()
    return run


def test_a_training_ends_with_a_labeller_that_labels_and_a_report(project: Project) -> None:
    """From accepted answers to a kept labeller, with every number and hash beside it."""
    run = attempt(started(project))
    assert (run.state, run.reason, run.detail) == (RunState.DONE, "", "")
    assert run.labeller is not None
    assert run.labeller.identity.startswith("tested@")
    assert run.labeller.data_hash == run.report["data_hash"]
    assert run.labeller.made_by == run.started_by
    assert "errors" not in str(run.labeller.scores)
    (own,) = run.report["inventories"].values()
    assert own["captions"] + run.report["captions"]["learned"] == 40
    assert own["captions"] == 8
    assert own["micro"] > 0.5
    assert [row["epoch"] for row in run.told["rows"]] == [1, 2]
    assert all(row["ended"] and row["f1"] is not None for row in run.told["rows"])
    assert run.told["rows"][0]["loss"] > run.told["rows"][1]["loss"]
    # The labeller in use came with Earmark, which knows what that learned from.
    comparison = run.report["comparison"]
    assert comparison["scores"]["captions"] == 8
    assert comparison["seen"] == 0
    found = find_labeller(str(labeller_folder(run.labeller.identity)))
    assert found.labels == (*project.scheme.names, "O")
    (said,) = label(found, ["a dog barks outside"], device="cpu")
    assert len(said.labels) == 4
    (words,) = Notice.objects.values_list("text", flat=True)
    assert words == (
        f"Training 1 of Project 0 is done: F1 {own['micro']:.3f} on captions it was not trained "
        f"on. Its labeller is {run.labeller.identity}."
    )
    # Nothing is put to use by being trained, and nothing is left behind.
    assert not LabellerUse.objects.exists()
    assert not attempts.folder_of(run).exists()


def test_turns_that_end_after_each_epoch_give_the_same_labeller(
    project: Project, settings: Settings
) -> None:
    """Giving way to others costs time and changes nothing, bit for bit."""
    at_once = attempt(started(project))
    settings.TRAINING_TURN = timedelta()
    run = started(project)
    states: list[RunState] = []
    while not states or states[-1] == RunState.WAITING:
        states.append(RunState(attempt(run).state))
        assert len(states) < 9
    assert states == [RunState.WAITING, RunState.WAITING, RunState.DONE]
    assert at_once.labeller is not None
    # The same name, captions and recipe: the same files, kept once.
    assert run.labeller == at_once.labeller
    assert run.report["inventories"] == at_once.report["inventories"]
    # What was told in an earlier turn has no second row.
    assert [row["epoch"] for row in run.told["rows"]] == [1, 2]


def when_told(monkeypatch: pytest.MonkeyPatch, act: Callable[[PlanProgress], None]) -> None:
    """Let something happen at each step of a training, before it is noted."""
    noted = TrainingProgress.note

    def note(progress: TrainingProgress, step: PlanProgress) -> None:
        act(step)
        noted(progress, step)

    monkeypatch.setattr(TrainingProgress, "note", note)


def test_a_lost_lease_registers_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run = started(project)

    def take_over(step: PlanProgress) -> None:
        if step.ended and step.epoch == 2:
            TrainingRun.objects.filter(pk=run.pk).update(token=99)

    when_told(monkeypatch, take_over)
    attempt(run)
    assert run.state == RunState.RUNNING  # another attempt's
    assert not Labeller.objects.exists()
    assert not Notice.objects.exists()
    assert run.report == {}


def test_a_cancel_at_the_last_moment_registers_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(project)

    def cancel(step: PlanProgress) -> None:
        if step.ended and step.epoch == 2:
            TrainingRun.objects.filter(pk=run.pk).update(cancel_asked_at=timezone.now())

    when_told(monkeypatch, cancel)
    # The heartbeat does not get to say so before the end.
    monkeypatch.setattr(job_attempts, "job_renew", lambda **_: None)
    attempt(run)
    assert run.state == RunState.CANCELLED
    assert (run.report, run.labeller) == ({}, None)
    assert not Labeller.objects.exists()
    assert len(run.told["rows"]) == 2


def test_the_labeller_in_use_is_measured_on_the_same_captions(project: Project) -> None:
    """One that was trained here is known to have learned from some of them."""
    first = attempt(started(project)).labeller
    assert first is not None
    labeller_put_to_use(
        labeller=first, reason="", actor=project.members.get().user, now=timezone.now()
    )
    again = replace(QUICK, name="again", seed=2, epochs=1)
    told = attempt(started(project, again)).report["comparison"]
    assert told["identity"] == first.identity
    assert told["scores"]["captions"] == 8
    # With another seed others are held out: most of those the first one learned from.
    assert 0 < told["seen"] <= 8
    assert ("unseen" in told) == (told["seen"] < 8)
    # Elsewhere the count would say which captions are in this project, one guess at a time.
    elsewhere = make_project(UserFactory.create(), texts=easy_texts(40), copies=1)
    label_easily(list(elsewhere.items.all()), elsewhere.members.get().user)
    told = attempt(started(elsewhere, again)).report["comparison"]
    assert told["identity"] == first.identity
    assert told["seen"] is None
    assert "unseen" not in told


def test_memory_that_runs_out_is_told_with_advice(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_out(_step: PlanProgress) -> None:
        raise OutOfMemory(LabellerRecipe(method="full", batch=16))

    when_told(monkeypatch, run_out)
    run = attempt(started(project))
    assert run.state == RunState.FAILED
    assert "memory" in run.reason
    assert "LoRA" in run.advice
    assert "batch of 8" in run.advice


def test_a_training_over_its_time_fails_and_can_go_on(
    project: Project, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.TRAINING_LIMIT = timedelta(0)

    def until_the_heartbeat_ends(step: PlanProgress) -> None:
        if step.ended:
            wait_until(lambda: all(one.name != "heartbeat" for one in threading.enumerate()))

    when_told(monkeypatch, until_the_heartbeat_ends)
    run = attempt(started(project))
    assert run.state == RunState.FAILED
    assert run.reason == "The training took longer than the limit of 0 hours."
    assert "continues from where it stopped" in run.advice
    assert (attempts.folder_of(run) / "work").is_dir()


def test_an_unexpected_error_tells_no_caption_and_is_tried_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(_step: PlanProgress) -> None:
        raise ValueError("a dog barks outside")

    when_told(monkeypatch, break_down)
    run = started(project)
    for _ in range(2):
        assert attempt(run).state == RunState.WAITING
    assert attempt(run).state == RunState.FAILED
    assert run.reason == "Unexpected error (ValueError)."
    assert "ValueError: a dog barks outside" in run.detail


def test_what_a_training_expects_to_go_wrong_is_its_reason(
    project: Project, settings: Settings
) -> None:
    settings.BACKBONES = ["/nowhere"]
    run = attempt(started(project, TrainingOptions("tested", backbone="nowhere")))
    assert run.state == RunState.FAILED
    assert "The backbone 'nowhere' cannot be used" in run.reason
    # What is offered no more is said, too.
    settings.BACKBONES = []
    run = attempt(started(project, TrainingOptions("tested", backbone="nowhere")))
    assert '"nowhere" is not offered on this site any more' in run.reason
    assert not Labeller.objects.exists()


def test_where_an_encoder_lies_on_the_server_is_told_to_nobody(
    project: Project, settings: Settings, client: Client, tmp_path: Path
) -> None:
    """Its name and hash are, and a labeller that was downloaded can be sent in again."""
    folder = tiny_backbone(tmp_path / "models" / "roberta-tiny", "roberta")
    settings.BACKBONES = [str(folder)]
    assert backbones() == {"roberta-tiny": str(folder)}
    run = attempt(started(project, replace(QUICK, backbone="roberta-tiny")))
    assert (run.state, run.reason) == (RunState.DONE, "")
    kept = run.labeller
    assert kept is not None
    before = label(find_labeller(str(labeller_folder(kept.identity))), ["a dog"], device="cpu")
    user = UserFactory.create(is_superuser=True, is_staff=True)
    client.force_login(user)
    packed = tmp_path / "packed"
    call_command("labeller", "pack", kept.identity, str(packed))
    told = [path.read_text() for path in folder_of(kept.sha256).glob("*.json")]
    told += [path.read_text() for path in packed.iterdir() if path.suffix != ".safetensors"]
    models = f"/annotate/{project.slug}/models/"
    for page in (models, f"{models}{run.number}/", f"/labellers/{kept.identity}/"):
        told.append(client.get(page).content.decode())
    assert [text for text in told if str(tmp_path) in text] == []
    assert all("roberta-tiny" in text for text in told)
    TrainingRun.objects.update(labeller=None)
    labeller_delete(labeller=kept, actor=user, now=timezone.now())
    call_command("labeller", "keep", str(packed))
    back = Labeller.objects.get()
    assert (back.identity, back.sha256) == (kept.identity, kept.sha256)
    found = find_labeller(str(labeller_folder(back.identity)))
    assert label(found, ["a dog"], device="cpu") == before


def test_what_lies_about_of_trainings_that_nobody_tries_again_is_deleted(
    project: Project, settings: Settings
) -> None:
    run = started(project)
    old, fresh = Path(settings.TRAININGS_DIR) / "987654", attempts.folder_of(run)
    for folder in (old, fresh):
        (folder / "work").mkdir(parents=True)
    attempts._tidy()
    assert not old.exists()
    assert fresh.exists()
    over = timezone.now() - attempts.STORED_FOR - timedelta(seconds=1)
    TrainingRun.objects.filter(pk=run.pk).update(state=RunState.FAILED, finished_at=over)
    attempts._tidy()
    assert not fresh.exists()


def test_errors_of_helpers_are_not_kept(project: Project) -> None:
    from annotation.services.training.reports import storable_report

    one: dict[str, Any] = {"micro": float("nan"), "errors": [{"words": ["theirs"]}]}
    found = storable_report(
        {"inventories": {"aces-13": one, "aces-10": one}, "folds": {"aces-10": one}}, own="aces-13"
    )
    assert found["inventories"]["aces-13"] == {"micro": None, "errors": [{"words": ["theirs"]}]}
    assert found["inventories"]["aces-10"]["errors"] == []
    assert found["folds"]["aces-10"]["errors"] == []


def test_numbers_that_json_cannot_hold_are_none() -> None:
    notes = ProgressNotes({})
    notes.add(PlanProgress("Training", 1, 1, float("nan"), float("inf"), 1, 1, True))
    (row,) = notes.to_json(0)["rows"]
    assert (row["loss"], row["f1"]) == (None, None)
