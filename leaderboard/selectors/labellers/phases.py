"""Which labeller phases score with, and which of them another one was chosen since."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from leaderboard.models import Evaluation, Phase, Rescoring
from leaderboard.models.submission import eligible
from leaderboard.selectors.labellers.files import MISSING, is_identity, shipped_identity
from scoring.errors import ScoringError
from scoring.models.descriptors import find_labeller
from scoring.signature import field_in


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
    found = []
    for row in rows:
        counts = scored.get(row.pk, {})
        found.append(
            PhaseLabeller(
                phase=row,
                identity=labeller_of(row),
                computed=tuple(sorted(counts)),
                systems=sum(counts.values()),
                open=row.pk in running,
            )
        )
    return found


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
    found: dict[int, dict[str, int]] = {}
    for phase, signature, count in rows:
        identity = field_in(signature, "desc")
        if identity:
            counts = found.setdefault(phase, {})
            counts[identity] = counts.get(identity, 0) + count
    return found
