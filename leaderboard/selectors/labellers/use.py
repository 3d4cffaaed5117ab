"""Which labeller is in use, which phases score with, and what else refers to a labeller.

The one in use serves new phases, suggestions, the order of captions and the playground.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from earmark.errors import ScoringError
from earmark.models.descriptors import find_labeller
from earmark.signature import field_in
from leaderboard.models import Evaluation, Labeller, LabellerUse, Phase, Rescoring
from leaderboard.models.submission import eligible
from leaderboard.selectors.labellers.files import (
    MISSING,
    installation_path,
    is_identity,
    labeller_folder,
    shipped_identity,
)


def latest_use() -> LabellerUse | None:
    """The latest row of the history, whichever labeller it names; None where nothing was chosen."""
    return LabellerUse.objects.select_related("labeller").first()


def labeller_in_use() -> LabellerUse | None:
    """When and why the labeller in use was chosen; None: the shipped one is in use."""
    last = latest_use()
    return last if last is not None and last.labeller_id is not None else None


def identity_in_use() -> str:
    """Identity of the labeller in use, as signatures have it."""
    use = labeller_in_use()
    return shipped_identity() if use is None else use.identity


def labeller_path_in_use() -> str:
    """What ``find_labeller`` takes for the labeller in use, its files verified.

    Raises as ``labeller_folder`` does.
    """
    use = labeller_in_use()
    return installation_path() if use is None else str(labeller_folder(use.identity))


def new_phase_parameters() -> dict[str, dict[str, Any]]:
    """What a new phase scores with: the labeller in use, and all else as installed."""
    use = labeller_in_use()
    return {} if use is None else {"aces": {"labeller": use.identity}}


def why_needed(labeller: Labeller | None) -> str:
    """Why a labeller cannot be deleted, empty where nothing refers to it; None: the shipped one.

    No phase is named: the reader may not know of it.
    """
    if labeller is None:
        return "It comes with the installation."
    # A composite that ACES is part of keeps its parameters by itself.
    named = Q(parameters__aces__labeller=labeller.identity) | Q(
        parameters__composite__parts__aces__labeller=labeller.identity
    )
    scored = Q(family="aces", parameters__labeller=labeller.identity) | Q(
        family="composite", parameters__parts__aces__labeller=labeller.identity
    )
    if labeller.uses.exists():
        return f"{labeller} was in use, and what was in use is kept with the history."
    phases = Phase.objects.filter(named).count()
    if phases:
        return f"{'A phase scores' if phases == 1 else f'{phases:,} phases score'} with {labeller}."
    if Evaluation.objects.filter(scored).exists():
        return f"Scores were computed with {labeller}. It is kept so that they can be traced."
    if Rescoring.objects.filter(named).exists():
        return f"A rescoring names {labeller}. It is kept so that one can go back to it."
    return ""


@dataclass(frozen=True, slots=True)
class PhaseLabeller:
    """A phase and the labeller that it scores with.

    ``computed`` names those that its present scores were computed with, ``systems`` is
    the number of systems that have one; ``open``: a dry run is under way.
    """

    phase: Phase
    identity: str
    computed: tuple[str, ...]
    systems: int
    open: bool

    def differs_from(self, identity: str) -> bool:
        """Whether it scores, or was scored, with another one than this."""
        return self.identity != identity or any(one != identity for one in self.computed)


def phase_labellers(phases: QuerySet[Phase]) -> list[PhaseLabeller]:
    """Phases that compute ACES, with the labeller that each scores with; three queries."""
    found_phases = (
        phases.select_related("challenge")
        .only("slug", "name", "parameters", "metrics", "challenge__slug", "challenge__title")
        .order_by("challenge__title", "challenge__slug", "position", "pk")
    )
    rows = [row for row in found_phases if row.computes("aces")]
    scored = _computed([row.pk for row in rows])
    running = set(
        Rescoring.objects.filter(phase__in=rows, published_at=None, discarded_at=None).values_list(
            "phase", flat=True
        )
    )
    labellers = []
    for row in rows:
        counts = scored.get(row.pk, {})
        labellers.append(
            PhaseLabeller(
                phase=row,
                identity=labeller_of(row),
                computed=tuple(sorted(counts)),
                systems=sum(counts.values()),
                open=row.pk in running,
            )
        )
    return labellers


def labeller_of(phase: Phase) -> str:
    """Identity of the labeller that a phase scores with; MISSING where it cannot be found."""
    own = phase.parameters.get("aces", {}).get("labeller")
    if own is None:
        return shipped_identity()
    if is_identity(str(own)):
        return str(own)
    try:
        return find_labeller(own).identity
    except ScoringError:
        return MISSING


def _computed(phases: list[int]) -> dict[int, dict[str, int]]:
    """Count the systems of each phase by the labeller of the score of ACES that counts."""
    rows = (
        Evaluation.objects.filter(
            eligible("submission__"), family="aces", published=True, submission__phase__in=phases
        )
        .order_by()
        .values_list("submission__phase", "signature")
        .annotate(Count("pk"))
    )
    by_phase: dict[int, dict[str, int]] = {}
    for phase, signature, count in rows:
        identity = field_in(signature, "desc")
        if identity:
            counts = by_phase.setdefault(phase, {})
            counts[identity] = counts.get(identity, 0) + count
    return by_phase
