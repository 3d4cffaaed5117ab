"""Recipes and plans of trainings, their progress, and advice where memory runs out."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from earmark.errors import ScoringError
from earmark.models.descriptors.network import METHODS, Method

# What stands in signatures: neither the signs that part its fields nor a path.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_NAMES = "Give up to 60 letters, digits and . - _ , a letter or digit first."


class UnusablePlan(ScoringError):
    """A recipe or a plan with a value that makes no sense; says which does."""


@dataclass(frozen=True, slots=True)
class LabellerRecipe:
    """Settings of a training that decide its weights, beside the captions.

    ``method``: ``lora`` trains low-rank updates and a head, ``head`` only a head,
    ``full`` every weight. ``backbone``: empty for the packaged all-MiniLM-L6-v2, else
    a folder or a name on Hugging Face. ``rate`` is the highest learning rate of the
    updates or of the encoder's weights, ``head_rate`` that of the heads; ``hidden``
    the width of the head's inner layer, 0 for none. ``name`` stands in signatures.
    """

    name: str = "earmark-desc-1"
    seed: int = 1
    epochs: int = 6
    batch: int = 16
    rate: float = 1e-3
    head_rate: float = 2e-3
    warm_up: float = 0.1
    decay: float = 0.01
    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.1
    method: Method = "lora"
    backbone: str = ""
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What is trained and what is measured in a training.

    ``held_out`` is the share of the captions that is judged and not learned from
    (0 to 0.5, taken as the nearest 1/k; 0: nothing is held out). ``folds``: 0, or
    in how many the recipe is cross-validated. ``curve``: also learn from 25, 50 and
    75 % of the captions. ``learn_all``: the labeller that is written learned from
    all captions, those held out too. ``helpers_without`` is a source (``meta.source``)
    whose captions the written labeller takes from the first inventory only.
    """

    recipe: LabellerRecipe
    held_out: float = 0.2
    folds: int = 0
    curve: bool = False
    learn_all: bool = False
    helpers_without: str = ""


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """Progress of a plan, reported after every batch.

    ``stage`` is text for people ("Training", "Fold 2 of 5", "Learning curve, 50 %",
    "Training on all captions"). ``epoch`` counts from 1. ``ended``: the epoch is over;
    then ``loss`` is its mean loss and ``f1`` the token micro F1 without O on captions
    held out (None where none are). Else ``loss`` is the mean so far and ``f1`` None.
    ``kept``: what was computed until here is kept, and nothing is lost by stopping.
    ``done`` of ``total`` is the work of all stages, in captions read. After a resume the
    epochs that were done before are reported again, so that a listener has them all.
    """

    stage: str
    epoch: int
    epochs: int
    loss: float
    f1: float | None = None
    done: int = 0
    total: int = 0
    ended: bool = False
    kept: bool = False


ProgressListener = Callable[[PlanProgress], None]

_USUAL: dict[str, dict[str, Any]] = {
    "lora": {},
    "head": {"epochs": 30, "head_rate": 3e-3, "hidden": 256},
    "full": {"epochs": 6, "rate": 1e-4, "head_rate": 1e-3},
}
_BIGGER: dict[str, dict[str, Any]] = {  # on backbones of BERT's size; LoRA's files under 5 MB
    "lora": {"rank": 4, "alpha": 8.0, "rate": 5e-4},
    "head": {},
    "full": {"rate": 3e-5},
}


def default_recipe(method: Method = "lora", backbone: str = "", **chosen: Any) -> LabellerRecipe:
    """Default recipe for a method and a backbone, with the given values put in."""
    if method not in METHODS:
        raise UnusablePlan(f"There is no method {method!r}. Give one of: {', '.join(METHODS)}.")
    more = _BIGGER[method] if backbone else {}
    recipe = LabellerRecipe(method=method, backbone=backbone)
    return replace(recipe, **{**_USUAL[method], **more, **chosen})


def check_plan(plan: TrainingPlan) -> None:
    """Raise ``UnusablePlan`` for the first value that makes no sense."""
    recipe = plan.recipe
    wrong = [text for fits, text in (*_plan_checks(plan), *_recipe_checks(recipe)) if not fits]
    if wrong:
        raise UnusablePlan(wrong[0])


def _plan_checks(plan: TrainingPlan) -> Sequence[tuple[bool, str]]:
    return (
        (
            0 <= plan.held_out <= 0.5,
            f"A share of {plan.held_out} cannot be held out. Give 0 to 0.5.",
        ),
        (
            plan.folds == 0 or plan.folds >= 2,
            f"{plan.folds} folds judge nothing. Give at least 2, or none.",
        ),
        (
            not plan.curve or plan.held_out > 0,
            "A learning curve needs captions to be judged on. Hold a share out.",
        ),
    )


def _recipe_checks(recipe: LabellerRecipe) -> Sequence[tuple[bool, str]]:
    return (
        (
            _NAME.fullmatch(recipe.name) is not None,
            f"{recipe.name!r} cannot be a labeller's name. {_NAMES}",
        ),
        (
            recipe.method in METHODS,
            f"There is no method {recipe.method!r}. Give one of: {', '.join(METHODS)}.",
        ),
        (recipe.epochs >= 1, f"{recipe.epochs} epochs train nothing. Give at least 1."),
        (recipe.batch >= 1, f"A batch of {recipe.batch} has no caption. Give at least 1."),
        (recipe.rate > 0, f"A learning rate of {recipe.rate} trains nothing. Give one over 0."),
        (
            recipe.head_rate > 0,
            f"A learning rate of {recipe.head_rate} trains no head. Give one over 0.",
        ),
        (recipe.rank >= 1, f"A rank of {recipe.rank} has no update. Give at least 1."),
        (recipe.hidden >= 0, f"A head cannot have a width of {recipe.hidden}. Give 0 or more."),
        (0 <= recipe.warm_up <= 1, f"A warm-up of {recipe.warm_up} is not a share. Give 0 to 1."),
        (0 <= recipe.dropout < 1, f"A dropout of {recipe.dropout} is none. Give 0 to under 1."),
        (recipe.decay >= 0, f"A weight decay of {recipe.decay} is none. Give 0 or more."),
        (
            0 <= recipe.seed < 2**63,
            f"{recipe.seed} cannot be a seed. Give a whole number from 0.",
        ),
    )


_SIGNS = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


class OutOfMemory(ScoringError):
    """The machine's memory does not suffice for a recipe; ``advice`` says what to change."""

    def __init__(self, recipe: LabellerRecipe) -> None:
        self.advice = memory_advice(recipe)
        super().__init__(f"The memory of this machine does not suffice. {self.advice}")


@contextmanager
def memory_errors_explained(recipe: LabellerRecipe) -> Iterator[None]:
    """Turn every way in which memory runs out into ``OutOfMemory``."""
    try:
        yield
    except (MemoryError, RuntimeError, OSError) as error:  # torch's CUDA error is a RuntimeError
        if isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS):
            raise OutOfMemory(recipe) from error
        raise


def memory_advice(recipe: LabellerRecipe) -> str:
    """Changes that save memory, most effective first; those already in the recipe are left out."""
    steps = []
    if recipe.method == "full":
        steps.append("train LoRA instead of every weight")
    if recipe.batch > 1:
        steps.append(f"give a batch of {max(1, recipe.batch // 2)} instead of {recipe.batch}")
    if recipe.backbone:
        steps.append("take a smaller backbone, such as the packaged one")
    if recipe.method == "lora":
        steps.append("train a head only")
    if not steps:
        return "Train on a machine with more memory, or close other programs."
    return (", or ".join(steps) + ".").capitalize().replace("lora", "LoRA")
