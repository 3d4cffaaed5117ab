"""Metrics for audio captioning, with no Java and no web framework.

Importing this package loads neither torch nor spaCy; a metric loads what it
needs when it is first used. See ``scoring.pipeline`` to score from Python and
``python -m scoring`` for the command line.
"""

__version__ = "0.1.0"
