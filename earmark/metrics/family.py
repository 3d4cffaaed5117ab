"""The protocol behind which every metric stands, and the results that are means over clips."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.results import Details, Interval, MetricScore, PerClip
from earmark.signature import signature
from earmark.statistics import mean_and_interval
from earmark.workspace import Workspace

P = TypeVar("P")
Arrays = Mapping[str, NDArray[Any]]


class Family(Protocol[P]):
    """Metrics that are computed together and share what is prepared.

    A family is made with its parameters as keyword arguments, all with
    defaults; each parameter able to change a number is in ``parameters``.
    ``revision`` is raised when the family's numbers change, and only then:
    it ends every signature. One whose prepared references hold what is counted over all
    documents has ``holds_documents``: no file is kept for each part of a large corpus.
    """

    name: str
    revision: int
    metrics: tuple[str, ...]

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Parts of the signature by name, in a fixed order; loads no model."""
        ...

    def prepare(self, references: References, workspace: Workspace) -> P:
        """Do all the work that does not depend on the candidates."""
        ...

    def dump(self, prepared: P) -> Arrays:
        """Turn what was prepared into arrays (no object dtype) for the disk cache."""
        ...

    def load(self, arrays: Arrays) -> P:
        """Read what ``dump`` wrote."""
        ...

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: P,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score candidates given in the order of the references.

        Deterministic, and per clip independent of the other clips (corpus
        statistics come from ``prepared`` alone).
        """
        ...


class CountingFamily(Family[P], Protocol[P]):
    """A family whose corpus values are no means of the clips' values.

    ``columns``: how many numbers it counts for each clip.
    """

    columns: int

    def corpus_value(self, name: str, counts: NDArray[np.float64]) -> tuple[float, Interval]:
        """Corpus value of a metric, and its interval, from the counts of all clips."""
        ...


class PartedFamily(Family[P], Protocol[P]):
    """A family that can take what it prepared apart, clip by clip.

    Batches of a training loop are then scored without preparing their references anew.
    """

    def chosen(self, prepared: P, references: References, places: Sequence[int]) -> P:
        """What was prepared from ``references`` for the clips at these places, in their order.

        It scores them as ``prepared`` does: what depends on other clips is of all references.
        """
        ...


class NothingPrepared:
    """A family whose references need no work: they play no part, or others prepare them."""

    def prepare(self, references: References, workspace: Workspace) -> None:
        """Prepare nothing."""

    def dump(self, prepared: None) -> Arrays:
        """Return no arrays."""
        return {}

    def load(self, arrays: Arrays) -> None:
        """Read nothing."""

    def chosen(self, prepared: None, references: References, places: Sequence[int]) -> None:
        """Choose from nothing."""


def metric_parameters(family: Family[Any], name: str) -> Mapping[str, str | int | float]:
    """Parameters in the signature of a metric: its family's, and its own in place of them.

    A family whose metrics do not all have the same has them by metric in ``own_parameters``.
    """
    own: Mapping[str, Mapping[str, str | int | float]] = getattr(family, "own_parameters", {})
    return {**family.parameters, **own.get(name, {})}


def mean_score(
    family: Family[Any],
    name: str,
    scores: NDArray[np.float64],
    references: References,
    details: Details | None,
) -> MetricScore:
    """Result of one metric of a family whose corpus value is the mean of ``scores``, (clips,)."""
    return corpus_score(family, name, scores, scores.astype(np.float32), references, details)


def corpus_score(
    family: Family[Any],
    name: str,
    counts: NDArray[np.float64],
    per_clip: PerClip,
    references: References,
    details: Details | None,
) -> MetricScore:
    """Result of one metric, whose corpus value the family computes from ``counts``.

    These are (clips,), or (clips, columns) for a ``CountingFamily``.
    """
    value, interval = corpus_value(family, name, counts)
    parameters = metric_parameters(family, name)
    signed = signature(name, parameters, references.counts_label, family.revision)
    return MetricScore(name, value, interval, per_clip, signed, details, counts)


def corpus_value(
    family: Family[Any], name: str, counts: NDArray[np.float64]
) -> tuple[float, Interval]:
    """Corpus value of a metric and its interval: the mean, unless its family computes another."""
    own = getattr(family, "corpus_value", None)
    value: tuple[float, Interval] = own(name, counts) if own else mean_and_interval(counts)
    return value
