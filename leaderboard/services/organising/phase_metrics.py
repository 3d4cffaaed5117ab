"""Computing what a phase computes newly, and hiding what it computes no more."""

from collections.abc import Collection
from datetime import datetime

from django.core.exceptions import ValidationError

from leaderboard.models import Evaluation, EvaluationState, Phase, Submission
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.organising.rescoring import missing_of, open_rescoring, targets_for
from leaderboard.services.organising.rescoring import evaluations_add, evaluations_publish
from leaderboard.web.redaction import without_paths
from scoring.errors import ScoringError


def phase_metrics_apply(*, phase: Phase, before: Collection[str], now: datetime) -> list[int]:
    """Bring the evaluations of a phase in line with its metrics; returns ids that wait.

    ``before`` are the families that it computed. What was computed of others is kept
    unpublished, and published again where the same is wanted later. Call it with the phase
    locked. Raises Django's ``ValidationError`` while a dry run of a family is open.
    """
    removed = [name for name in before if not phase.computes(name)]
    _check_no_dry_run(phase, removed)
    gone = Evaluation.objects.filter(submission__phase=phase, family__in=removed)
    gone.exclude(state=EvaluationState.DONE).delete()
    gone.filter(published=True).update(published=False)
    for name in phase.families:
        if name not in before:
            _add(phase, name, now)
    waiting = Evaluation.objects.filter(
        submission__phase=phase, state=EvaluationState.PENDING, enqueued_at=None
    )
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def _check_no_dry_run(phase: Phase, removed: Collection[str]) -> None:
    rescoring = open_rescoring(phase)
    under_way = [] if rescoring is None else [one for one in removed if one in rescoring.families]
    if under_way:
        labels = ", ".join(map(family_label, under_way))
        raise ValidationError(
            {"metrics": f"A dry run of {labels} is open. Publish or discard it first."}
        )


def _add(phase: Phase, family: str, now: datetime) -> None:
    """Publish what was computed of a family before, and add what is missing."""
    try:
        targets = targets_for(phase.pk, [family], phase.parameters)
    except (ScoringError, ImportError) as error:
        _add_unavailable(phase, family, without_paths(str(error)), now)
        return
    evaluations_publish(targets)
    wanted = missing_of(targets, Submission.objects.all())
    evaluations_add(wanted, phase.parameters, now=now, published=True)


def _add_unavailable(phase: Phase, family: str, reason: str, now: datetime) -> None:
    """Say of every submission why a family cannot be computed, as for one that comes in."""
    usual = phase.reference_set.content_hash if phase.reference_set else ""
    Evaluation.objects.bulk_create(
        Evaluation(
            submission_id=pk,
            family=family,
            reference_hash=other or usual,
            signature=f"{family}|unavailable",
            state=EvaluationState.FAILED,
            created_at=now,
            finished_at=now,
            reason=reason[:300],
        )
        for pk, other in phase.submissions.order_by("pk").values_list(
            "pk", "other_references__content_hash"
        )
    )
