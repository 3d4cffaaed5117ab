"""Memory that runs out: told as what to change."""

import pytest
import torch

from scoring.train.descriptors import LabellerRecipe, OutOfMemory, default_recipe
from scoring.train.descriptors.recipe import memory_advice, memory_errors_explained


def test_memory_that_torch_cannot_have_becomes_an_advice() -> None:
    # The real failure of torch's own allocator: more bytes than any machine has.
    with (
        pytest.raises(OutOfMemory) as told,
        memory_errors_explained(default_recipe("full", "roberta-base")),
    ):
        torch.empty(1 << 60, dtype=torch.uint8)
    assert told.value.advice == (
        "Train LoRA instead of every weight, or give a batch of 8 instead of 16, or take a"
        " smaller backbone, such as the packaged one."
    )
    assert told.value.advice in str(told.value)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes"),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_every_way_of_running_out_of_memory_is_known(error: Exception) -> None:
    with (
        pytest.raises(OutOfMemory, match=r"does not suffice\. Give a batch of 8"),
        memory_errors_explained(LabellerRecipe()),
    ):
        raise error
    with (
        pytest.raises(RuntimeError, match="something else"),
        memory_errors_explained(LabellerRecipe()),
    ):
        raise RuntimeError("something else")


def test_advice_leaves_out_what_is_done_already() -> None:
    least = LabellerRecipe(method="head", batch=1)
    assert memory_advice(least) == "Train on a machine with more memory, or close other programs."
