"""What the analysis of systems rests on, as a short text that changes with it."""

from collections.abc import Iterable
from hashlib import sha256

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery

from leaderboard.models import EvaluationState, Phase, RankEstimates, Rescoring, Submission
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.web.version_cache import kept_for_version

_UNDER_WAY = Q(evaluations__state__in=[EvaluationState.PENDING, EvaluationState.RUNNING])


def phase_stamp(phase: Phase) -> str:
    """Change whenever a system is scored through, renamed or chosen, or the rules change.

    A system that is being scored changes nothing until it is done.
    """
    rules = (phase.pk, phase.name, phase.ranking_metric, phase.precision, phase.counting)
    return kept_for_version(
        ("phase stamp", *rules),
        lambda: _hashed(rules, Submission.objects.competing().filter(phase=phase)),
    )


def estimates_stamp(phase: Phase) -> str:
    """Change whenever the rank intervals of a phase are estimated anew."""
    rows = RankEstimates.objects.filter(phase=phase).order_by("every_system")
    return sha256(repr(list(rows.values_list("every_system", "stamp"))).encode()).hexdigest()


def systems_stamp(systems: Iterable[AnySubmission]) -> str:
    """Change whenever one of these systems is scored anew or renamed; their order counts."""
    keys = tuple(system.pk for system in systems)
    return kept_for_version(
        ("systems stamp", *keys),
        lambda: _hashed(keys, Submission.objects.filter(pk__in=keys)),
    )


def _hashed(rules: tuple[object, ...], systems: QuerySet[Submission]) -> str:
    published = Q(evaluations__published=True)
    rescorings = Rescoring.objects.filter(
        phase=OuterRef("phase"), published_at__isnull=False
    ).order_by("-published_at")
    rows = (
        systems.annotate(
            under_way=Count("evaluations", filter=_UNDER_WAY & published),
            last=Max("evaluations__pk", filter=published),
            finished=Max("evaluations__finished_at", filter=published),
            # After which the numbers of old rows may count again.
            rescored=Subquery(rescorings.values("published_at")[:1]),
        )
        .filter(under_way=0)
        .order_by("pk")
        .values_list(
            *("pk", "chosen", "system_name", "team__name", "last", "finished", "rescored"),
            "phase__metrics",
        )
    )
    return sha256(repr((rules, list(rows))).encode()).hexdigest()
