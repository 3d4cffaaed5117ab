"""What an attempt at an evaluation passes to a metric that listens or asks."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from leaderboard.models import Evaluation
from leaderboard.selectors.clips.audio import recordings_of
from leaderboard.selectors.outside import kind_of, language_model_server
from leaderboard.services.outside.asking import ServedModel
from leaderboard.services.outside.spending import Spending


@contextmanager
def outside_means(evaluation: Evaluation) -> Iterator[Mapping[str, Any]]:
    """Fields of the workspace for a family: recordings, or a language model; none for others.

    Nothing is sent before the family asks. Raises ``ModelNotInstalled``.
    """
    kind, phase = kind_of(evaluation.family), evaluation.submission.phase
    if kind == "clap":
        yield {"recordings": recordings_of(phase.reference_set)}
    elif kind == "language":
        server = language_model_server(str(evaluation.parameters.get("model", "")))
        spending = Spending(phase.pk, server.name, server.host)
        with ServedModel(server, spending) as model:
            yield {"language_model": model}
    else:
        yield {}
