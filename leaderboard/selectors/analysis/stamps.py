"""What the analysis of systems rests on, as a short text that changes with it."""

from collections.abc import Iterable

from django.db.models import Count, Max, QuerySet

from leaderboard.models import Evaluation, Phase, Submission


def phase_stamp(phase: Phase) -> str:
    """Change whenever a system comes, is scored anew, or the rules of the ranking change."""
    rules = (phase.ranking_metric, phase.precision, phase.counting)
    systems = Submission.objects.filter(phase=phase)
    chosen = systems.filter(chosen=True).aggregate(count=Count("pk"), last=Max("pk"))
    return "-".join(map(str, (*rules, *chosen.values(), *_scored(systems))))


def systems_stamp(systems: Iterable[Submission]) -> str:
    """Change whenever one of these systems is scored anew."""
    keys = [system.pk for system in systems]
    return "-".join(map(str, (*keys, *_scored(Submission.objects.filter(pk__in=keys)))))


def _scored(systems: QuerySet[Submission]) -> tuple[object, ...]:
    found = Evaluation.objects.filter(submission__in=systems, published=True).aggregate(
        count=Count("results"), last=Max("pk"), finished=Max("finished_at")
    )
    return tuple(found.values())
