"""Many metrics over one corpus.

>>> from scoring.captions import Candidates, References
>>> from scoring.workspace import Workspace
>>> references = References.build([("a.wav", ["a dog barks", "a dog is barking"])])
>>> scores = score(Candidates.single(["a dog barks"]), references, ["rouge_l"], Workspace())
>>> scores.results["rouge_l"].value
1.0
"""

import contextlib
import gc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.captions import Candidates, References
from scoring.errors import ScoringError
from scoring.prepared_cache import prepared_references
from scoring.read_ahead import reading_ahead
from scoring.registry import FAMILIES, METRICS, families_of, load_family
from scoring.results import MetricScore
from scoring.workspace import Workspace

# The family that compares the sub-words of captions, which others embed.
_SUB_WORDS = "bert_score"

ONE_CANDIDATE = "It needs several candidates for a clip; every clip here has one."

Parameters = Mapping[str, Mapping[str, Any]]


class UnknownFamily(ScoringError):
    """Parameters for a metric family that the registry does not know."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no metric family {name!r} to give parameters to. "
            f"Choose from: {', '.join(FAMILIES)}."
        )
        self.name = name


class CorpusMismatch(ScoringError):
    """Candidates and references that do not stand for the same clips."""

    def __init__(self, candidates: int, references: int) -> None:
        super().__init__(
            f"There are captions for {candidates} clips and references for {references}. "
            "Give one caption for every clip, in the order of the references."
        )
        self.candidates = candidates
        self.references = references


class EmptyCorpus(ScoringError):
    """References without a single clip."""

    def __init__(self) -> None:
        super().__init__("The references have no clip. Give at least one.")


@dataclass(frozen=True, slots=True)
class Unavailable:
    """A metric that could not be computed, and the reason for a person to read."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class CorpusScores:
    """Results of a run: every metric asked for is in one of the two, in registry order."""

    results: dict[str, MetricScore]
    unavailable: dict[str, Unavailable]


def score(
    candidates: Candidates,
    references: References,
    metrics: Sequence[str],
    workspace: Workspace,
    parameters: Parameters | None = None,
) -> CorpusScores:
    """Score candidates by the metrics asked for.

    ``parameters`` maps a family to its keyword arguments. A family whose model
    or data is missing makes its own metrics unavailable and no others. Raises
    ``UnknownMetric``, ``UnknownFamily``, ``CorpusMismatch`` or ``EmptyCorpus``
    before any work.
    """
    parameters = parameters or {}
    wanted = families_of(tuple(metrics))
    _check(candidates, references)
    for family in parameters:
        if family not in FAMILIES:
            raise UnknownFamily(family)
    workspace = replace(workspace, sub_words=workspace.sub_words or _SUB_WORDS in wanted)
    results: dict[str, MetricScore] = {}
    reasons: dict[str, str] = {}
    with reading_ahead(wanted, candidates, references, workspace, parameters):
        for family in wanted:
            try:
                results |= score_family(
                    family, candidates, references, workspace, **parameters.get(family, {})
                )
            except (ScoringError, ImportError, OSError) as error:
                reasons[family] = _reason(error)
            except Exception as error:
                # A fault of ours must be seen; that of another package is its own.
                if not FAMILIES[family].package:
                    raise
                reasons[family] = _reason(error)
    wanted_metrics = [info for name, info in METRICS.items() if name in metrics]
    return CorpusScores(
        {info.name: results[info.name] for info in wanted_metrics if info.name in results},
        {
            info.name: Unavailable(info.name, reasons.get(info.family, ONE_CANDIDATE))
            for info in wanted_metrics
            if info.name not in results
        },
    )


def score_family(
    name: str,
    candidates: Candidates,
    references: References,
    workspace: Workspace,
    **parameters: Any,
) -> dict[str, MetricScore]:
    """Score candidates by every metric of one family; failures propagate.

    Intervals end where the range of a metric ends: no rate lies below 0.
    """
    _check(candidates, references)
    with _collector_paused():
        family = load_family(name, **parameters)
        ready = prepared_references(family, references, workspace)
        scores = family.score(candidates, references, ready, workspace)
    return {metric: _within_range(score) for metric, score in scores.items()}


def _within_range(score: MetricScore) -> MetricScore:
    info = METRICS[score.name]
    return replace(score, interval=score.interval.within(info.low, info.high))


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the collector of cycles: scoring makes many objects and hardly a cycle.

    Looking through them for cycles again and again costs a sixth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _check(candidates: Candidates, references: References) -> None:
    if not len(references):
        raise EmptyCorpus
    if len(candidates) != len(references):
        raise CorpusMismatch(len(candidates), len(references))


def _reason(error: Exception) -> str:
    """Reason of a failure in one line; one that the library did not word itself names its kind."""
    if isinstance(error, ScoringError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
