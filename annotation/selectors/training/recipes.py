"""What a training learned from and how, as its page says it."""

import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.models import Project, TrainingRun
from annotation.selectors.training.material import LabelSource
from annotation.selectors.training.runs import answerers_of
from scoring.captions.faults import count_of
from scoring.errors import ScoringError

METHODS = {
    "lora": "LoRA: small updates of every layer",
    "head": "Head only: fastest, least exact",
    "full": "Full: every weight",
}


def selection_summary(run: TrainingRun, *, named: bool, seen: Collection[int]) -> str:
    """Which labels were learned from, and whose where names may be shown.

    ``seen`` are the projects, by id, whose names may be told.
    """
    told: dict[str, Any] = run.chosen
    said = "What is settled" if told["source"] == LabelSource.GOLD else _accepted(run, told, named)
    flagged = ", without what was flagged" if told["leave_flagged"] else ""
    return f"{said}{flagged}{_helped(told['projects'], seen)}"


def _helped(projects: list[int], seen: Collection[int]) -> str:
    """Name the projects that helped, and count those whose names are not for the reader."""
    known = Project.objects.filter(pk__in=set(projects) & set(seen)).order_by("name")
    names = list(known.values_list("name", flat=True))
    if len(names) < len(projects):
        names.append(count_of(len(projects) - len(names), "other project"))
    return f"; helped by {', '.join(names)}" if names else ""


def _accepted(run: TrainingRun, told: dict[str, Any], named: bool) -> str:
    people: list[int] = told["people"]
    if not people:
        return "Accepted answers of everyone"
    if not named:
        return "Accepted answers of " + (f"{len(people)} people" if people[1:] else "one person")
    names = dict(answerers_of(run.project))
    return "Accepted answers of " + ", ".join(names.get(pk, "someone who left") for pk in people)


def option_rows(run: TrainingRun) -> list[tuple[str, str]]:
    """List how a training goes; once it has a report, with every value of its recipe."""
    told: dict[str, Any] = run.options
    recipe: dict[str, Any] = run.report.get("recipe") or {}
    encoder = run.report.get("encoder") or Path(told["backbone"]).name or "the packaged one"
    measured = [f"{told['held_out']:.0%} held out"]
    measured += [f"{told['folds']} folds"] * bool(told["folds"])
    measured += ["learning curve"] * told["curve"]
    rows = [
        ("Method", METHODS.get(told["method"], told["method"])),
        ("Encoder", str(encoder)),
        ("Measured by", ", ".join(measured)),
    ]
    rate = "head_rate" if told["method"] == "head" else "rate"
    values: dict[str, float | None] = {
        "Epochs": recipe.get("epochs", told["epochs"]),
        "Learning rate": recipe.get(rate, told["rate"]),
        "Captions at once": told["batch"],
        "Seed": told["seed"],
    }
    rows += [(name, "as usual" if one is None else str(one)) for name, one in values.items()]
    more = {key: recipe[key] for key in _MORE if key in recipe}
    if more:
        rows.append(("The rest of the recipe", ", ".join(f"{k} {v:g}" for k, v in more.items())))
    if told["learn_all"]:
        learned = (run.report.get("captions") or {}).get("written")
        said = count_of(learned, "caption") if learned else "all captions"
        rows.append(("In the end learns from", said))
    return rows


_MORE = ("head_rate", "warm_up", "decay", "rank", "alpha", "dropout", "hidden")


def command_of(run: TrainingRun) -> str:
    """The command that trains the same from the downloaded captions."""
    told: dict[str, Any] = run.options
    parts = ["python", "-m", "scoring", "train", "descriptors"]
    parts += [f"{run.project.slug}-training-{run.number}.jsonl", "--out", run.name]
    values = {
        "name": run.name,
        "method": told["method"],
        "backbone": backbone_title(told["backbone"]),
        "epochs": told["epochs"],
        "head-rate" if told["method"] == "head" else "rate": told["rate"],
        "batch": told["batch"],
        "seed": told["seed"],
        "held-out": f"{told['held_out']:g}",
        "folds": told["folds"] or None,
    }
    for name, value in values.items():
        if value not in (None, ""):
            parts += [f"--{name}", str(value)]
    parts += ["--curve"] * told["curve"] + ["--keep-held-out"] * (not told["learn_all"])
    return shlex.join(parts)


class BackboneGone(ScoringError):
    """A training asks for an encoder that this installation does not offer any more."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The encoder {name!r} is not offered on this site any more. Start a new training with "
            "another one."
        )


def backbones() -> dict[str, str]:
    """Configured encoders by name: a folder by its own name, the second of two alike with -2."""
    found: dict[str, str] = {}
    for given in settings.BACKBONES:
        name = Path(given).name or given if Path(given).is_absolute() else given
        number = 1
        while (told := name if number == 1 else f"{name}-{number}") in found:
            number += 1
        found[told] = given
    return found


def configured_backbone(name: str) -> str:
    """The encoder that is configured under a name; raises ``BackboneGone``."""
    if not name:
        return ""
    offered = backbones()
    # Trainings of earlier versions kept what was configured itself.
    given = offered.get(name, name if name in offered.values() else None)
    if given is None:
        raise BackboneGone(Path(name).name)
    return given


def backbone_title(name: str) -> str:
    """The name of an encoder without the folders of this server."""
    return Path(name).name if Path(name).is_absolute() else name
