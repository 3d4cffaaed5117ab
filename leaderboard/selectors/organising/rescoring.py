"""Reading a rescoring: its signatures, its progress, its failures."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from earmark.registry import FAMILIES, MetricInfo
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    Kind,
    Phase,
    ReferenceSet,
    Rescoring,
    Submission,
)
from leaderboard.models.submission import eligible
from leaderboard.scorer import Parameters, family_signature
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.evaluations.readiness import queues_served
from leaderboard.selectors.evaluations.turns import OTHERS_EVERY, queue_of
from leaderboard.selectors.evaluations.waiting_time import backlog_read

_UNDER_WAY = {EvaluationState.PENDING, EvaluationState.RUNNING}


@dataclass(frozen=True, slots=True)
class Targets:
    """The signatures that a rescoring is to give its families, per reference set.

    ``signatures`` maps family and content hash of the references to the signature;
    ``usual`` is the hash of the phase's references, which all systems have that
    have none of their own.
    """

    phase_id: int
    families: tuple[str, ...]
    usual: str
    signatures: Mapping[tuple[str, str], str]

    @property
    def matching(self) -> Q:
        """Match the evaluations that are of this rescoring, of whichever phase."""
        condition = Q(pk__in=())
        for (family, reference_hash), signature in self.signatures.items():
            condition |= Q(family=family, reference_hash=reference_hash, signature=signature)
        return condition

    @property
    def evaluations(self) -> QuerySet[Evaluation]:
        """The evaluations that are of this rescoring."""
        return Evaluation.objects.filter(self.matching, submission__phase=self.phase_id)

    @property
    def eligible(self) -> QuerySet[Evaluation]:
        """Those whose submissions are neither withdrawn nor disqualified."""
        return self.evaluations.filter(eligible("submission__"))


@dataclass(frozen=True, slots=True)
class FamilyRequest:
    """An evaluation that a rescoring needs and that is not there."""

    submission: int
    family: str
    reference_hash: str
    signature: str


def open_rescoring(phase: Phase) -> Rescoring | None:
    """The rescoring of a phase that is neither published nor discarded."""
    return Rescoring.objects.filter(phase=phase, published_at=None, discarded_at=None).first()


def phase_after(phase: Phase, rescoring: Rescoring) -> Phase:
    """The phase as it will rank once a dry run is published; nothing is saved."""
    after = copy(phase)
    merged = {**phase.parameters, **rescoring.parameters}
    after.parameters = {name: values for name, values in merged.items() if values}
    if rescoring.ranking_metric:
        after.ranking_metric = rescoring.ranking_metric
        if rescoring.precision is not None:
            after.precision = rescoring.precision
    return after


def targets_of(rescoring: Rescoring) -> Targets:
    """The signatures that a rescoring requires here; raises as ``family_signature`` does."""
    return targets_for(rescoring.phase_id, rescoring.families, rescoring.parameters)


def targets_for(
    phase_id: int, names: Collection[str], parameters: Mapping[str, Parameters]
) -> Targets:
    """The signatures of families with ``parameters``; raises as ``family_signature`` does."""
    phase = Phase.objects.select_related("reference_set").get(pk=phase_id)
    usual = phase.reference_set.content_hash if phase.reference_set else ""
    others = ReferenceSet.objects.filter(
        pk__in=Submission.objects.filter(phase=phase).values("other_references")
    )
    hashes = {usual, *others.values_list("content_hash", flat=True)} - {""}
    families = tuple(name for name in FAMILIES if name in names)
    return Targets(
        phase_id=phase.pk,
        families=families,
        usual=usual,
        signatures={
            (family, reference_hash): family_signature(
                family, references_of(reference_hash), parameters.get(family, {})
            )
            for family in families
            for reference_hash in sorted(hashes)
        },
    )


def missing_of(targets: Targets, submissions: QuerySet[Submission]) -> list[FamilyRequest]:
    """List what some submissions of the phase lack of a rescoring."""
    there = set(targets.evaluations.values_list("submission_id", "family"))
    rows = submissions.filter(phase=targets.phase_id).order_by("pk")
    missing = []
    for pk, other in rows.values_list("pk", "other_references__content_hash"):
        reference_hash = other or targets.usual
        missing += [
            FamilyRequest(pk, family, reference_hash, targets.signatures[family, reference_hash])
            for family in targets.families
            if (pk, family) not in there and reference_hash
        ]
    return missing


@dataclass(slots=True)
class FamilyStatus:
    """How far a family of a rescoring is, in systems and in clips.

    ``others`` are states of what is scored besides and is no system: the human row.
    """

    family: str
    label: str
    parameters: Mapping[str, Any]
    systems: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    clips_done: int = 0
    clips_total: int = 0

    @property
    def total(self) -> int:
        """Number of systems that are asked for."""
        return self.systems.total()

    @property
    def done(self) -> int:
        """Number of systems that are scored."""
        return self.systems[EvaluationState.DONE]

    @property
    def failed(self) -> int:
        """Number of evaluations that failed."""
        return self._in(EvaluationState.FAILED)

    @property
    def unfinished(self) -> int:
        """Number of evaluations that wait or run."""
        return self._in(*_UNDER_WAY)

    def _in(self, *states: str) -> int:
        return sum(self.systems[state] + self.others[state] for state in states)


@dataclass(frozen=True, slots=True)
class RescoringStatus:
    """How far a rescoring is; ``newcomers`` counts systems that it does not know yet."""

    families: tuple[FamilyStatus, ...]
    newcomers: int

    @property
    def unfinished(self) -> int:
        """Number of evaluations that wait or run."""
        return sum(family.unfinished for family in self.families)

    @property
    def failed(self) -> int:
        """Number of evaluations that failed."""
        return sum(family.failed for family in self.families)

    @property
    def settled(self) -> bool:
        """Nothing of it will change without a person."""
        return not self.unfinished

    @property
    def with_human_row(self) -> bool:
        """Whether the human row is scored besides the systems."""
        return any(family.others for family in self.families)

    @property
    def complete(self) -> bool:
        """Whether every system that stands is decided."""
        return self.settled and not self.newcomers


def status_of(rescoring: Rescoring, targets: Targets) -> RescoringStatus:
    """How far a rescoring is, over the eligible submissions; four queries."""
    rows = (
        targets.eligible.order_by()
        .values_list("family", "state", "submission__kind")
        .annotate(Count("pk"), Sum("clips_done"), Sum("clips_total"))
    )
    families = {
        name: FamilyStatus(name, family_label(name), rescoring.parameters.get(name, {}))
        for name in targets.families
    }
    for name, state, kind, count, done, total in rows:
        family = families[name]
        counted = family.others if kind == Kind.HUMAN else family.systems
        counted[state] += count
        family.clips_done += done if state in _UNDER_WAY else total
        family.clips_total += total
    lacking = {row.submission for row in missing_of(targets, Submission.objects.eligible())}
    return RescoringStatus(tuple(families.values()), len(lacking))


def queue_sentence(targets: Targets, now: datetime) -> str:
    """What a rescoring waits for in the workers' queues; empty where nothing of it waits."""
    waiting = targets.eligible.filter(state=EvaluationState.PENDING).order_by()
    names = sorted({queue_of(name) for name in waiting.values_list("family", flat=True).distinct()})
    if not names:
        return ""
    unserved = sorted({*names} - queues_served(now).keys())
    if unserved:
        what = f"queue{'s' * (len(unserved) > 1)} {' and '.join(unserved)}"
        return f"No worker serves the {what} now, so there is no estimate."
    awaited = sum(wanted for _, _, wanted, _ in backlog_read(now).waiting)
    if not awaited:
        return "It is next: a worker takes it as soon as one is free."
    first = "1 system that teams wait for comes first"
    if awaited > 1:
        first = f"{awaited:,} systems that teams wait for come first"
    return f"{first}; meanwhile one start in {OTHERS_EVERY} is left for dry runs and human rows."


def rescored_since(
    phase: Phase, infos: Iterable[MetricInfo], until: datetime | None = None
) -> list[dict[str, Any]]:
    """Those of the metrics whose parameters are not the defaults; one query where there are any.

    ``since`` and ``reason`` are empty where that was so from the start. ``until`` is when the
    ranking that is shown was frozen. Metrics that each phase configures have no defaults.
    """
    changed = [
        info for info in infos if info.differences and not FAMILIES[info.family].configured_by_phase
    ]
    published = _published(phase.pk, {} if until is None else {"published_at__lte": until})
    rows = list(published) if changed else []
    lasts = ((info, _last_with(info.family, rows)) for info in changed)
    return [
        {
            "label": info.label,
            "since": last and last.published_at,
            "reason": last.reason if last else "",
        }
        for info, last in lasts
    ]


def former_parameters(rescoring: Rescoring) -> dict[str, dict[str, Any]]:
    """The parameters that the families of a published rescoring had before it."""
    before = list(_published(rescoring.phase_id, {"published_at__lt": rescoring.published_at}))
    parameters = {}
    for family in rescoring.families:
        last = _last_with(family, before)
        parameters[family] = last.parameters.get(family, {}) if last else {}
    return parameters


def _published(phase_id: int, when: Mapping[str, Any]) -> QuerySet[Rescoring]:
    """The published rescorings of a phase, the latest first."""
    rows = Rescoring.objects.filter(phase=phase_id, published_at__isnull=False, **when)
    return rows.order_by("-published_at", "-pk")


def _last_with(family: str, rows: Iterable[Rescoring]) -> Rescoring | None:
    return next((row for row in rows if family in row.families), None)
