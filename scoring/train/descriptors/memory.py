"""Running out of memory, told as what to do about it."""

from collections.abc import Iterator
from contextlib import contextmanager

from scoring.errors import ScoringError
from scoring.train.descriptors.recipe import Recipe

_SIGNS = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


class OutOfMemory(ScoringError):
    """The machine's memory does not suffice for a recipe; ``advice`` says what to change."""

    def __init__(self, recipe: Recipe) -> None:
        self.advice = advice_on(recipe)
        super().__init__(f"The memory of this machine does not suffice. {self.advice}")


@contextmanager
def memory_told(recipe: Recipe) -> Iterator[None]:
    """Turn every way in which memory runs out into ``OutOfMemory``."""
    try:
        yield
    except (MemoryError, RuntimeError, OSError) as error:  # torch's CUDA error is a RuntimeError
        if isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS):
            raise OutOfMemory(recipe) from error
        raise


def advice_on(recipe: Recipe) -> str:
    """Say what to change, most effective first; what the recipe has already is left out."""
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
