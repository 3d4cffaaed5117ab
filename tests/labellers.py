"""Tiny labellers, truly trained: for tests of what keeps, chooses and uses them."""

import fcntl
import hashlib
import os
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from earmark.train.descriptors import LabellerRecipe, TrainingPlan, read_sets, run_training
from leaderboard.models import EvaluationState, Labeller, Origin, Phase, Submission, User
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.labellers.registry import labeller_register
from tests.earmark.descriptors.records import OTHER_WORDS, SMALL
from tests.factories import NOW, TeamFactory, finish_all, submit
from tests.leaderboard.organising.rescoring_cases import HEAD
from tests.real_data import ROOT

# As ``earmark.train.descriptors.run_training`` gives it, with a caption among the errors.
SCORES: dict[str, Any] = {
    "captions": {"learned": 40, "held_out": 8},
    "inventories": {
        "aces-13": {
            "micro": 0.61,
            "weighted": 0.72,
            "accuracy": 0.75,
            "span": 0.5,
            "captions": 8,
            "labels": {
                "WHAT": {"precision": 0.7, "recall": 0.6, "f1": 0.646, "words": 20},
                "HOW": {"precision": 0.9, "recall": 0.8, "f1": 0.847, "words": 12},
            },
            "confusion": {"labels": ["WHAT", "HOW"], "counts": [[12, 8], [2, 10]]},
            "errors": [{"words": ["quillwort"], "given": ["WHAT"], "found": ["O"]}],
        }
    },
    "folds": None,
    "curve": None,
    "seconds": 3.5,
}


@cache
def trained(name: str = "tiny", seed: int = 1) -> Path:
    """Train a labeller on 48 captions for two epochs, once for all processes; give its folder."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "earmark").rglob("*.py")):
        digest.update(path.read_bytes())
    folder = Path(os.environ["EARMARK_CACHE"])
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"labeller-{name}-{seed}-{digest.hexdigest()[:16]}"
    with (folder / "labellers.lock").open("w") as others_wait:
        fcntl.flock(others_wait, fcntl.LOCK_EX)
        if not kept.is_dir():
            _train(name, seed, Path(mkdtemp(dir=kept.parent))).rename(kept)
    return kept


def _train(name: str, seed: int, home: Path) -> Path:
    data = home / "labels.jsonl"
    data.write_text(SMALL + OTHER_WORDS, encoding="utf-8")
    sets = read_sets([data])
    recipe = LabellerRecipe(name=name, seed=seed, epochs=2, rate=3e-3, head_rate=1e-2, batch=8)
    run_training(sets, TrainingPlan(recipe, held_out=0), home / "out")
    return home / "out"


def registered(
    model: str = "tiny", seed: int = 1, *, actor: User | None = None, **more: Any
) -> Labeller:
    """Keep a tiny labeller through the service."""
    given: dict[str, Any] = {
        "name": f"Tiny {model}",
        "origin": Origin.TRAINED,
        "data_hash": "ab" * 32,
        "recipe": {"method": "lora", "epochs": 2, "seed": seed},
        "scores": SCORES,
        "note": "",
        "actor": actor,
        "now": NOW,
    }
    return labeller_register(folder=trained(model, seed), **{**given, **more})


def submitted(phase: Phase, name: str, rows: bytes) -> Submission:
    """Submit; ACES is really computed, everything else made up."""
    submission = submit(phase, TeamFactory.create(), name=name, data=HEAD + rows)
    evaluation_attempt(evaluation_id=submission.evaluations.get(family="aces").pk)
    waiting = submission.evaluations.filter(state=EvaluationState.PENDING)
    finish_all(waiting, value=0.5, generator=np.random.default_rng(0))
    return submission
