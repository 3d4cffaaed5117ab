"""How far a worker is with preparing the references of a phase for its metrics."""

import json
from collections.abc import Collection
from datetime import datetime

from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q, QuerySet

from earmark.registry import FAMILIES
from leaderboard.models import Evaluation, EvaluationState, Phase
from leaderboard.selectors.evaluations.turns import family_order


def phases_to_prepare(*, now: datetime) -> list[int]:
    """Published phases with families to prepare for; none where a system was scored already."""
    return [phase.pk for phase in _unscored(now) if families_to_prepare(phase)]


def _unscored(now: datetime) -> QuerySet[Phase]:
    scored = Evaluation.objects.filter(
        submission__phase=OuterRef("pk"),
        reference_hash=OuterRef("reference_set__content_hash"),
        state=EvaluationState.DONE,
    )
    still = Q(closes_at=None) | Q(closes_at__gt=now)
    phases = Phase.objects.filter(~Exists(scored), still, challenge__published=True)
    return phases.filter(reference_set__isnull=False).select_related("reference_set")


def families_to_prepare(phase: Phase) -> list[str]:
    """Families that the references of a phase are still to be prepared for, as they are scored.

    Those that a phase has to turn on prepare nothing.
    """
    ready = prepared(phase)
    return [
        name
        for name in sorted(phase.families, key=lambda one: family_order(one, phase.ranking_metric))
        if not FAMILIES[name].configured_by_phase and preparation(phase, name) not in ready
    ]


def preparation(phase: Phase, family: str) -> str:
    """What is prepared for a family: it has to be done again under other parameters."""
    return f"{family} {json.dumps(phase.parameters.get(family, {}), sort_keys=True)}"


def prepared(phase: Phase) -> frozenset[str]:
    """What a worker has prepared for the references of a phase."""
    ready: Collection[str] = cache.get(_key(phase), ())
    return frozenset(ready)


def prepared_note(phase: Phase, families: Collection[str]) -> None:
    """Note for which families the references are prepared."""
    ready = prepared(phase) | {preparation(phase, family) for family in families}
    cache.set(_key(phase), sorted(ready), timeout=None)


def _key(phase: Phase) -> str:
    if phase.reference_set is None:
        raise ValueError("There are no references to prepare.")
    return f"prepared-{phase.reference_set.content_hash}"
