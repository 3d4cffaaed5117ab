"""Many metrics over one corpus.

>>> from earmark.captions import Candidates, References
>>> from earmark.workspace import Workspace
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

from earmark.captions import Candidates, References
from earmark.corpus_parts import JoinedScores, goes_by_parts, parts_of
from earmark.errors import ScoringError, UnusableInput
from earmark.metrics.family import Family
from earmark.prepared_cache import prepared_references
from earmark.read_ahead import reading_ahead
from earmark.registry import FAMILIES, METRICS, families_of, load_family
from earmark.results import MetricScore
from earmark.workspace import Workspace

# The family that compares the sub-words of captions, which others embed.
SUB_WORDS = "bert_score"

ONE_CANDIDATE = "It needs several candidates for a clip; every clip here has one."

Parameters = Mapping[str, Mapping[str, Any]]


class UnknownFamily(UnusableInput):
    """Parameters for a metric family that the registry does not know."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no metric family {name!r} to give parameters to. "
            f"Choose from: {', '.join(FAMILIES)}."
        )
        self.name = name


class CorpusMismatch(UnusableInput):
    """Candidates and references that do not stand for the same clips."""

    def __init__(self, candidates: int, references: int, *, transposed: bool = False) -> None:
        turned = (
            f" Each of the {references} lists of references has {candidates} texts: they seem to"
            " be a list for each column. Give list(zip(*references))."
        )
        super().__init__(
            f"There are captions for {candidates} clips and references for {references}. "
            f"Give one caption for every clip, in the order of the references.{turned * transposed}"
        )
        self.candidates = candidates
        self.references = references


class EmptyCorpus(UnusableInput):
    """References without a single clip."""

    def __init__(self) -> None:
        super().__init__("The references have no clip. Give at least one.")


@dataclass(frozen=True, slots=True)
class CorpusScores:
    """Results of a run: every metric asked for is in one of the two, in registry order.

    ``unavailable`` has the reason for which a metric could not be computed, for a person to read.
    """

    results: dict[str, MetricScore]
    unavailable: dict[str, str]

    def notes(self, references: References) -> dict[str, str]:
        """What to know of values: why clips have none, or what they are worth; by metric."""
        clips, documents = len(references), len(references.documents or references)
        notes = {
            name: METRICS[name].note(result.coverage, clips, documents)
            for name, result in self.results.items()
            if name in METRICS
        }
        return {name: note for name, note in notes.items() if note}


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
    check_sides(candidates, references)
    check_families(parameters)
    workspace = replace(workspace, sub_words=workspace.sub_words or SUB_WORDS in wanted)
    by_parts = goes_by_parts(references, workspace)
    scored = _scored_by_parts if by_parts else _scored_together
    results, reasons = scored(wanted, candidates, references, workspace, parameters)
    return corpus_scores(metrics, results, reasons)


def _scored_by_parts(
    wanted: Sequence[str],
    candidates: Candidates,
    references: References,
    workspace: Workspace,
    parameters: Parameters,
) -> tuple[dict[str, MetricScore], dict[str, str]]:
    """What families found and reasons of those that failed, all families part after part."""
    joined, forgetful = _JoinedFamilies(wanted), workspace.forgetful()
    for part in parts_of(candidates, references):
        own = part.workspace(references, forgetful)
        left = tuple(joined.scores)
        # Nothing of a part has a name here, so that its details are gone before the next.
        joined.add(*_scored_together(left, part.candidates, part.references, own, parameters))
    results, failed = _scored_together(
        joined.at_once, candidates, references, forgetful, parameters
    )
    for name, scores in joined.scores.items():
        family = load_family(name, **parameters.get(name, {}))
        results |= _within_ranges(family, scores.of_corpus(family, references))
    return results, joined.reasons | failed


class _JoinedFamilies:
    """What families found in part after part.

    ``at_once`` are those that have to see all clips; ``reasons`` has those that failed.
    """

    def __init__(self, families: Sequence[str]) -> None:
        self.scores = {family: JoinedScores() for family in families}
        self.at_once: list[str] = []
        self.reasons: dict[str, str] = {}

    def add(self, results: Mapping[str, MetricScore], failed: Mapping[str, str]) -> None:
        """Add the results of the next part by metric, and reasons of families."""
        self.reasons |= failed
        sums: dict[str, dict[str, MetricScore]] = {family: {} for family in self.scores}
        for name, result in results.items():
            sums[METRICS[name].family][name] = result
        for family, scores in sums.items():
            if family in failed:
                del self.scores[family]
            elif not self.scores[family].add(scores):
                del self.scores[family]
                self.at_once.append(family)


def _scored_together(
    wanted: Sequence[str],
    candidates: Candidates,
    references: References,
    workspace: Workspace,
    parameters: Parameters,
) -> tuple[dict[str, MetricScore], dict[str, str]]:
    """What families found, and the reasons of those that failed."""
    results: dict[str, MetricScore] = {}
    reasons: dict[str, str] = {}
    # What needs no network comes first, while networks read ahead.
    ordered = sorted(wanted, key=lambda family: FAMILIES[family].queue == "gpu")
    with reading_ahead(ordered, candidates, references, workspace, parameters) as ahead:
        for family in ordered:
            ahead.use(all_processors=FAMILIES[family].queue == "gpu")
            try:
                results |= score_family(
                    family, candidates, references, workspace, **parameters.get(family, {})
                )
            except Exception as error:
                reasons[family] = failure_reason(family, error)
    return results, reasons


def corpus_scores(
    metrics: Sequence[str], results: Mapping[str, MetricScore], reasons: Mapping[str, str]
) -> CorpusScores:
    """Sort what families found, and the reasons of those that failed, by the metrics asked for."""
    wanted_metrics = [info for name, info in METRICS.items() if name in metrics]
    return CorpusScores(
        {info.name: results[info.name] for info in wanted_metrics if info.name in results},
        {
            info.name: reasons.get(info.family, ONE_CANDIDATE)
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
    check_sides(candidates, references)
    with _collector_paused():
        return score_by(load_family(name, **parameters), candidates, references, workspace)


def score_by(
    family: Family[Any], candidates: Candidates, references: References, workspace: Workspace
) -> dict[str, MetricScore]:
    """Score candidates by every metric of a family that is made already."""
    scores = None
    if goes_by_parts(references, workspace):
        scores = _joined_scores(family, candidates, references, workspace.forgetful())
    if scores is None:
        ready = prepared_references(family, references, workspace)
        scores = family.score(candidates, references, ready, workspace)
    return _within_ranges(family, scores)


def _joined_scores(
    family: Family[Any], candidates: Candidates, references: References, workspace: Workspace
) -> dict[str, MetricScore] | None:
    """Scores of part after part; None where the family has to see all clips at once."""
    joined = JoinedScores()
    for part in parts_of(candidates, references):
        own = part.workspace(references, workspace)
        if not joined.add(score_by(family, part.candidates, part.references, own)):
            return None
    return joined.of_corpus(family, references)


def _within_ranges(
    family: Family[Any], scores: Mapping[str, MetricScore]
) -> dict[str, MetricScore]:
    bounds: Mapping[str, tuple[float, float]] = getattr(family, "bounds", {})
    return {name: _within_range(score, bounds.get(name)) for name, score in scores.items()}


def _within_range(score: MetricScore, bounds: tuple[float, float] | None) -> MetricScore:
    """Cut the interval at the ends of the metric's range, or of that which its parameters make."""
    info = METRICS[score.name]
    low, high = bounds or (info.low, info.high)
    return replace(score, interval=score.interval.within(low, high))


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


def check_sides(candidates: Candidates, references: References) -> None:
    """Raise ``EmptyCorpus`` or ``CorpusMismatch`` where the sides cannot be compared."""
    if not len(references):
        raise EmptyCorpus
    if len(candidates) != len(references):
        turned = all(len(clip.references) == len(candidates) for clip in references.clips)
        raise CorpusMismatch(len(candidates), len(references), transposed=turned)


def check_families(parameters: Parameters) -> None:
    """Raise ``UnknownFamily`` where parameters are given to a family that there is not."""
    for family in parameters:
        if family not in FAMILIES:
            raise UnknownFamily(family)


def failure_reason(family: str, error: Exception) -> str:
    """Reason of a family's failure in one line; one that is not worded by us names its kind.

    A fault of ours must be seen, so that it is raised again; that of another package is its own.
    """
    expected = isinstance(error, ScoringError | ImportError | OSError)
    if not expected and not FAMILIES[family].package:
        raise error
    if isinstance(error, ScoringError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
