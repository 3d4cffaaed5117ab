"""Trainings that are done, without having computed them, and captions to learn from."""

from dataclasses import asdict
from typing import Any

from annotation.models import Item, Project, RunState, TrainingRun
from annotation.selectors.training.material import LabelledSet
from annotation.services.training.states import TrainingOptions, training_data_keep
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.annotation.labelled import label

# Words whose labels can be learned from a few captions.
WHO = ("dog", "cat", "man", "woman", "bird", "child", "crowd", "horse")
HOW = ("barks", "sings", "shouts", "cries", "sneezes", "whistles")
WHERE = ("outside", "nearby", "indoors", "upstairs")


def easy_texts(count: int) -> tuple[str, ...]:
    """Captions of five words, the last another in each, so that none are nearly the same."""
    every = [f"a {who} {how} {where}" for how in HOW for where in WHERE for who in WHO]
    order = sorted(range(len(every)), key=lambda at: (at * 37) % len(every))
    return tuple(f"{every[at]} {number}" for number, at in enumerate(order[:count]))


def label_easily(items: list[Item], user: User) -> None:
    """Accept every caption with its subject as WHO, its verb as HOW and its place as WHERE."""
    for item in items:
        label(item, user, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "WHERE"))


def some_report(labels: list[str], errors: list[dict[str, Any]]) -> dict[str, Any]:
    """A report as a training of the 13 labels writes it, with these errors."""
    counts = [[0] * len(labels) for _ in labels]
    counts[0][0] = 20
    for error in errors:
        for given, found in zip(error["given"], error["found"], strict=True):
            counts[labels.index(given)][labels.index(found)] += 1
    one = {
        "micro": 0.8125,
        "weighted": 0.875,
        "accuracy": 0.9,
        "span": 0.75,
        "captions": 24,
        "labels": {"WHO": {"precision": 0.9, "recall": 0.8, "f1": 0.8471, "words": 20}},
        "confusion": {"labels": labels, "counts": counts},
        "errors": errors,
    }
    return {
        "data_hash": "d" * 64,
        "captions": {"learned": 96, "held_out": 24, "written": 96},
        "recipe": {"name": "x", "method": "lora", "epochs": 6, "rate": 0.001, "decay": 0.01},
        "encoder": "all-MiniLM-L6-v2@53aa5117",
        "training": [],
        "inventories": {"aces-13": one},
        "folds": None,
        "curve": None,
        "seconds": 12.5,
        "comparison": {"identity": "", "reason": "Nothing was in use."},
    }


def make_training(
    project: Project,
    *,
    state: RunState = RunState.DONE,
    errors: list[dict[str, Any]] | None = None,
    **fields: Any,
) -> TrainingRun:
    """Make a training that has ended, or stands where ``state`` and ``fields`` say."""
    labels = [*project.scheme.names, "O"]
    last = TrainingRun.objects.filter(project=project).count()
    options = TrainingOptions(name=f"{project.slug}-{last + 1}")
    done = state == RunState.DONE
    return TrainingRun.objects.create(
        **{
            "project": project,
            "number": last + 1,
            "name": options.name,
            "chosen": {"source": "gold", "people": [], "leave_flagged": True, "projects": []},
            "options": asdict(options),
            "data": training_data_keep([LabelledSet(project.scheme.slug, labels)], now=NOW),
            "state": state,
            "report": some_report(labels, errors or []) if done else {},
            "created_at": NOW,
            "finished_at": None if state in {RunState.WAITING, RunState.RUNNING} else NOW,
            **fields,
        }
    )
