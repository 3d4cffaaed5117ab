"""Metrics for audio captioning, with no Java and no web framework.

Importing this package loads neither torch nor spaCy; a metric loads what it
needs when it is first used. ``score`` and ``Scorer`` score from Python, ``compare`` compares two
systems, ``ScoreAccumulator`` collects captions first; ``python -m earmark`` is the command line.

>>> import earmark
>>> scores = earmark.score(["a dog barks"], [["A dog barks.", "A dog is barking."]], "bleu_1")
>>> round(scores["bleu_1"], 4)
1.0
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from earmark.accumulator import ScoreAccumulator
    from earmark.comparing import Comparison, compare
    from earmark.scorer import Scorer, score
    from earmark.scores import Scores

__all__ = [
    "Comparison",
    "ScoreAccumulator",
    "Scorer",
    "Scores",
    "__version__",
    "compare",
    "score",
]

__version__ = "0.1.0"

# Where each name is defined: looked up when it is first used, so that importing stays light.
_PLACES = {
    "Comparison": "earmark.comparing",
    "ScoreAccumulator": "earmark.accumulator",
    "Scorer": "earmark.scorer",
    "Scores": "earmark.scores",
    "compare": "earmark.comparing",
    "score": "earmark.scorer",
}


def __getattr__(name: str) -> Any:
    """A name of the Python interface, from the module that defines it."""
    if name not in _PLACES:
        raise AttributeError(f"module 'earmark' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """What completion offers."""
    return __all__
