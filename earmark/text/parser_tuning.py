"""What tuning changed of the parser's weights, as a small file beside the package's model.

Word vectors stay as they are, so that the file is small and the model keeps what it knows of
words. The rest is stored as differences in half precision. A file belongs to one model: its
metadata name it by the identity that signatures have.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from earmark.errors import ResourceMissing

TUNED_PIPES = ("tok2vec", "tagger", "parser")
_WORD_VECTORS = "hashembed"
_BASE = "base"

Weights = dict[str, NDArray[np.floating[Any]]]


class TuningOfOtherModel(ResourceMissing):
    """A tuning was made for another model than the one that is installed."""

    def __init__(self, path: Path, base: str, installed: str) -> None:
        super().__init__(
            f"{path} was made for the parser {base}; {installed} is installed. Install the"
            " version that the requirements name, or tune again: python -m earmark train parser"
        )


def is_word_vectors(node: Any) -> bool:
    """Whether a layer is a table of word vectors."""
    return bool(node.name == _WORD_VECTORS)


def tuned_nodes(pipeline: Any) -> Iterator[tuple[str, Any]]:
    """Layers of a pipeline that tuning changes, by name: pipe and place in it."""
    for pipe in TUNED_PIPES:
        for place, node in enumerate(pipeline.get_pipe(pipe).model.walk()):
            if not is_word_vectors(node):
                yield f"{pipe}.{place}", node


def current_weights(pipeline: Any) -> Weights:
    """Copies of all weights that tuning changes."""
    return {
        f"{name}.{parameter}": np.array(node.get_param(parameter))
        for name, node in tuned_nodes(pipeline)
        for parameter in node.param_names
        if node.has_param(parameter)
    }


def save_tuning(path: Path, before: Mapping[str, Any], pipeline: Any, base: str) -> None:
    """Write the differences of a tuned pipeline from its weights before."""
    differences = {
        name: (weights - before[name]).astype(np.float16)
        for name, weights in current_weights(pipeline).items()
    }
    save_file(differences, path, metadata={_BASE: base})


def apply_tuning(path: Path, pipeline: Any, installed: str) -> None:
    """Add the differences to a pipeline's weights; raise ``TuningOfOtherModel``."""
    with safe_open(path, framework="numpy") as file:
        base = (file.metadata() or {}).get(_BASE, "")
        if base != installed:
            raise TuningOfOtherModel(path, base, installed)
        for name, node in tuned_nodes(pipeline):
            for parameter in node.param_names:
                if node.has_param(parameter):
                    change = file.get_tensor(f"{name}.{parameter}").astype(np.float32)
                    node.set_param(parameter, node.get_param(parameter) + change)
