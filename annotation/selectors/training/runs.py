"""Trainings of a project as its pages show them, and how they are made."""

import shlex
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count

from annotation.free_names import first_free
from annotation.models import Annotation, Answer, Gold, Project, RunState, TrainingRun
from annotation.selectors.projects import worker_names
from annotation.selectors.schemes import inventory_names
from annotation.selectors.training.material import LabelSource
from earmark.captions.faults import count_of, in_quotes
from earmark.errors import ScoringError
from leaderboard.web.extensions import SiteFigure

MAIN_STAGE = "Training"


def project_scores(run: TrainingRun) -> dict[str, Any] | None:
    """Scores on held-out captions by the project's inventory, None before they are measured."""
    report: dict[str, Any] = run.report
    return own_part(run, report.get("inventories"))


def own_part(run: TrainingRun, parts: dict[str, Any] | None) -> dict[str, Any] | None:
    """That of the project's inventory, whatever its name was then; None where there is none."""
    names = inventory_names(run.project) if parts else []
    return next((parts[name] for name in names if parts and name in parts), None)


def training_rows(project: Project) -> list[tuple[TrainingRun, float | None]]:
    """The trainings of a project, latest first, each with its micro F1 where that is measured."""
    runs = TrainingRun.objects.filter(project=project)
    runs = runs.select_related("labeller", "started_by", "data").defer("detail", "data__content")
    rows = []
    for run in runs.order_by("-number"):
        run.project = project
        scores = project_scores(run)
        rows.append((run, scores["micro"] if scores else None))
    return rows


def training_figure() -> SiteFigure:
    """How many trainings wait, run and ended how, for who watches the site."""
    counted = TrainingRun.objects.order_by().values_list("state").annotate(Count("pk"))
    values = {**dict.fromkeys(RunState.values, 0), **dict(counted)}
    return SiteFigure("earmark_trainings", "Trainings of labellers", "state", values)


def answerers_of(project: Project) -> list[tuple[int, str]]:
    """Id and name in the project of everyone who accepted a caption."""
    rows = Annotation.objects.filter(item__project=project, answer=Answer.ACCEPT).order_by()
    names = worker_names(project)
    return [(pk, names[pk]) for pk in sorted(set(rows.values_list("user", flat=True)))]


def has_gold(project: Project) -> bool:
    """Whether anything of a project is settled."""
    return Gold.objects.filter(item__project=project).exists()


def name_for(project: Project) -> str:
    """Propose a name for the labeller of the next training."""
    last = TrainingRun.objects.filter(project=project).order_by("-number").first()
    return f"{project.slug[:50]}-{(last.number if last else 0) + 1}"


METHODS = {
    "lora": "LoRA: small updates of every layer",
    "head": "Head only: fastest, least exact",
    "full": "Full: every weight",
}


def selection_summary(run: TrainingRun, *, named: bool, known: Collection[int]) -> str:
    """Which labels were learned from, and whose where names may be shown.

    ``known`` are the projects, by id, whose names may be shown.
    """
    chosen: dict[str, Any] = run.chosen
    gold = chosen["source"] == LabelSource.GOLD
    labels = "What is settled" if gold else _accepted(run, chosen["people"], named)
    flagged = ", without what was flagged" if chosen["leave_flagged"] else ""
    return f"{labels}{flagged}{_helped(chosen['projects'], known)}"


def _helped(projects: list[int], known: Collection[int]) -> str:
    """Name the projects that helped, and count those whose names are not for the reader."""
    named = Project.objects.filter(pk__in=set(projects) & set(known)).order_by("name")
    names = list(named.values_list("name", flat=True))
    if len(names) < len(projects):
        names.append(count_of(len(projects) - len(names), "other project"))
    return f"; helped by {', '.join(names)}" if names else ""


def _accepted(run: TrainingRun, people: list[int], named: bool) -> str:
    if not people:
        return "Accepted answers of everyone"
    if not named:
        return "Accepted answers of " + (f"{len(people)} people" if people[1:] else "one person")
    names = dict(answerers_of(run.project))
    return "Accepted answers of " + ", ".join(names.get(pk, "someone who left") for pk in people)


def option_rows(run: TrainingRun) -> list[tuple[str, str]]:
    """List how a training goes; once it has a report, with every value of its recipe."""
    options: dict[str, Any] = run.options
    recipe: dict[str, Any] = run.report.get("recipe") or {}
    encoder = run.report.get("encoder") or Path(options["backbone"]).name or "the packaged one"
    measured = [f"{options['held_out']:.0%} held out"]
    measured += [f"{options['folds']} folds"] * bool(options["folds"])
    measured += ["learning curve"] * options["curve"]
    rows = [
        ("Method", METHODS.get(options["method"], options["method"])),
        ("Encoder", str(encoder)),
        ("Measured by", ", ".join(measured)),
    ]
    rate = "head_rate" if options["method"] == "head" else "rate"
    values: dict[str, float | None] = {
        "Epochs": recipe.get("epochs", options["epochs"]),
        "Learning rate": recipe.get(rate, options["rate"]),
        "Batch size": options["batch"],
        "Seed": options["seed"],
    }
    rows += [(name, "as usual" if value is None else str(value)) for name, value in values.items()]
    more = {key: recipe[key] for key in _MORE if key in recipe}
    if more:
        rows.append(("The rest of the recipe", ", ".join(f"{k} {v:g}" for k, v in more.items())))
    if options["learn_all"]:
        learned = (run.report.get("captions") or {}).get("written")
        captions = count_of(learned, "caption") if learned else "all captions"
        rows.append(("Finally trained on", captions))
    return rows


_MORE = ("head_rate", "warm_up", "decay", "rank", "alpha", "dropout", "hidden")


def command_of(run: TrainingRun) -> str:
    """The command that trains the same from the downloaded captions."""
    options: dict[str, Any] = run.options
    parts = ["python", "-m", "earmark", "train", "descriptors"]
    parts += [f"{run.project.slug}-training-{run.number}.jsonl", "--out", run.name]
    values = {
        "name": run.name,
        "method": options["method"],
        "backbone": backbone_title(options["backbone"]),
        "epochs": options["epochs"],
        "head-rate" if options["method"] == "head" else "rate": options["rate"],
        "batch": options["batch"],
        "seed": options["seed"],
        "held-out": f"{options['held_out']:g}",
        "folds": options["folds"] or None,
    }
    for name, value in values.items():
        if value not in (None, ""):
            parts += [f"--{name}", str(value)]
    parts += ["--curve"] * options["curve"] + ["--keep-held-out"] * (not options["learn_all"])
    return shlex.join(parts)


def backbones() -> dict[str, str]:
    """Configured encoders by name: a folder by its own name, the second of two alike with -2."""
    encoders: dict[str, str] = {}
    for setting in settings.BACKBONES:
        name = Path(setting).name or setting if Path(setting).is_absolute() else setting
        free = first_free(name, encoders.__contains__, partial("{}-{}".format, name))
        encoders[free] = setting
    return encoders


def configured_backbone(name: str) -> str:
    """The encoder that is configured under a name; ``ScoringError`` where none is any more."""
    if not name:
        return ""
    offered = backbones()
    # Trainings of earlier versions stored the setting itself.
    setting = offered.get(name, name if name in offered.values() else None)
    if setting is None:
        raise ScoringError(
            f"The encoder {in_quotes(Path(name).name)} is not offered on this site any more. "
            "Start a new training with another one."
        )
    return setting


def backbone_title(name: str) -> str:
    """The name of an encoder without the folders of this server."""
    return Path(name).name if Path(name).is_absolute() else name
