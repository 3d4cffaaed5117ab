"""How far the scoring of a submission is."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from earmark.metric_labels import labelled_as_signed
from earmark.registry import FAMILIES, metrics_of
from leaderboard.models import Evaluation, EvaluationState

State = Literal["waiting", "scoring", "scored", "partly", "failed"]


@dataclass(frozen=True, slots=True)
class FamilyProgress:
    """How far one metric family is."""

    family: str
    state: EvaluationState
    clips_done: int
    clips_total: int
    reason: str
    attempts: int
    signature: str = ""

    @property
    def label(self) -> str:
        """The family as readers know it."""
        return family_label(self.family, self.signature)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a submission is: its state in a word, and each family.

    ``partly`` means that all is decided and some families failed; their
    metrics are unavailable, the others stand.
    """

    state: State
    families: tuple[FamilyProgress, ...]

    @property
    def settled(self) -> bool:
        """Nothing will change without a person."""
        return self.state in {"scored", "partly", "failed"}

    @property
    def share(self) -> float:
        """Share of the clips done over all families, 0 to 1."""
        total = sum(family.clips_total for family in self.families)
        done = sum(
            family.clips_total if family.state in _SETTLED else family.clips_done
            for family in self.families
        )
        return done / total if total else 0.0

    @property
    def decided(self) -> int:
        """Number of families that are done or failed."""
        return sum(family.state in _SETTLED for family in self.families)

    @property
    def failed(self) -> tuple[FamilyProgress, ...]:
        """The families that failed, with their reasons."""
        return tuple(row for row in self.families if row.state == EvaluationState.FAILED)


_SETTLED = {EvaluationState.DONE, EvaluationState.FAILED}


def progress_of(evaluations: Iterable[Evaluation]) -> Progress:
    """Sum up a submission's published evaluations, in the order of the registry."""
    return progress_from(
        FamilyProgress(
            row.family,
            EvaluationState(row.state),
            row.clips_done,
            row.clips_total,
            row.reason,
            row.attempts,
            row.signature,
        )
        for row in evaluations
    )


def published_progress(keys: Collection[int]) -> Mapping[int, Progress]:
    """The progress of each of these submissions; one query, without making models of its rows."""
    rows = Evaluation.objects.filter(submission__in=keys, published=True).values_list(
        *("submission_id", "family", "state"),
        *("clips_done", "clips_total", "reason", "attempts", "signature"),
    )
    families = defaultdict(list)
    for key, family, state, *how_far in rows:
        families[key].append(FamilyProgress(family, EvaluationState(state), *how_far))
    return {key: progress_from(families[key]) for key in keys}


def progress_from(families: Iterable[FamilyProgress]) -> Progress:
    """Sum up families, in the order of the registry."""
    order = {name: position for position, name in enumerate(FAMILIES)}
    rows = tuple(sorted(families, key=lambda row: order.get(row.family, len(order))))
    return Progress(_state({row.state for row in rows}), rows)


@lru_cache(maxsize=1024)
def family_label(name: str, signature: str = "") -> str:
    """The name under which readers know a family, with what a signature has beside defaults."""
    metrics = metrics_of(name)
    if not metrics:
        return name
    own = next((info for info in metrics if info.name == name), metrics[-1])
    if own.name == name or len(metrics) == 1:
        return labelled_as_signed(own, signature).label
    between = "and" if len(metrics) == 2 else "to"
    differences = labelled_as_signed(own, signature).differences
    return f"{metrics[0].label} {between} {own.label}{f' ({differences})' if differences else ''}"


def _state(states: set[EvaluationState]) -> State:
    if states <= {EvaluationState.PENDING}:
        return "waiting"
    if not states <= _SETTLED:
        return "scoring"
    if states == {EvaluationState.DONE}:
        return "scored"
    return "failed" if states == {EvaluationState.FAILED} else "partly"
