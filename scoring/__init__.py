"""Metrics for audio captioning, with no Java and no web framework.

Importing this package loads neither torch nor spaCy; a metric loads what it
needs when it is first used. ``score`` and ``Scorer`` score from Python, ``compare`` compares two
systems, ``ScoreAccumulator`` collects captions first; ``python -m scoring`` is the command line.

>>> import scoring
>>> scores = scoring.score(["a dog barks"], [["A dog barks.", "A dog is barking."]], "bleu_1")
>>> round(scores["bleu_1"], 4)
1.0
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoring.accumulator import ScoreAccumulator
    from scoring.comparing import Comparison, compare
    from scoring.scorer import Scorer, score
    from scoring.scores import Scores

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
    "Comparison": "scoring.comparing",
    "ScoreAccumulator": "scoring.accumulator",
    "Scorer": "scoring.scorer",
    "Scores": "scoring.scores",
    "compare": "scoring.comparing",
    "score": "scoring.scorer",
}


def __getattr__(name: str) -> Any:
    """A name of the Python interface, from the module that defines it."""
    if name not in _PLACES:
        raise AttributeError(f"module 'scoring' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
