"""Creating and deleting phases, changing their rules, what they compute, and their order."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from earmark.errors import ScoringError
from leaderboard.models import Challenge, Evaluation, EvaluationState, Kind, Phase, Submission, User
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.labellers.use import new_phase_parameters
from leaderboard.selectors.organising.rescoring import missing_of, open_rescoring, targets_for
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.edit_conflicts import values_of, values_write
from leaderboard.services.organising.rescoring import evaluations_add, evaluations_publish
from leaderboard.web.redaction import without_paths
from leaderboard.web.refusals import Refused

# The rules that organisers set; references, position and freezing have services of their own.
RULES = (
    "slug",
    "name",
    "opens_at",
    "closes_at",
    "references_public",
    "scores_public",
    "ranking_metric",
    "precision",
    "counting",
    "columns",
    "metrics",
    "quota_per_day",
    "quota_total",
    "quota_shared",
    "systems_per_team",
    "names_hidden_until",
)
# Addresses below /manage/CHALLENGE/ that no phase may take.
RESERVED = frozenset(
    {
        "announcements",
        "audit",
        "new",
        "people",
        "phases",
        "submissions",
        "text",
    }
)


@transaction.atomic
def phase_create(
    *,
    challenge: Challenge,
    slug: str,
    name: str,
    actor: User | None,
    now: datetime,
    **rules: Any,
) -> Phase:
    """Create the last phase of a challenge, with ``rules`` where they differ from the defaults.

    It scores with the labeller in use now, also after another one is chosen.

    Raises Django's ``ValidationError`` where a value is not allowed.
    """
    # Two phases that are created at once do not get the same position.
    Challenge.objects.select_for_update().get(pk=challenge.pk)
    last = challenge.phases.aggregate(last=Max("position"))["last"]
    phase = Phase(
        challenge=challenge,
        slug=slug,
        name=name,
        position=0 if last is None else last + 1,
        parameters=new_phase_parameters(),
        **rules,
    )
    _clean(phase)
    phase.save()
    written: dict[str, Any] = {"after": values_of(phase, rules)} if rules else {}
    audit_record("phase.create", phase, actor=actor, now=now, **written)
    return phase


@transaction.atomic
def phase_change(
    *, phase: Phase, values: Mapping[str, Any], version: str, actor: User, now: datetime
) -> list[int]:
    """Change the rules of a phase that was read as ``version``.

    Returns the ids of evaluations to be sent to the queue on commit: of metrics that are
    computed from now on.

    Raises ``ChangedMeanwhile``, or Django's ``ValidationError`` where a value is not allowed.
    """
    locked = Phase.objects.select_for_update().select_related("challenge").get(pk=phase.pk)
    families = locked.families
    changed = values_write(locked, RULES, values, version=version)
    if "slug" in changed["after"] and locked.submissions.of_teams().exists():
        raise Refused(
            f"The address stays {changed['before']['slug']}, because systems were submitted to "
            "this phase and links lead there.",
            field="slug",
        )
    _clean(locked)
    if not changed["after"]:
        return []
    ranking = ("ranking_metric", "precision", "counting", "metrics")
    if locked.frozen_at is not None and (fixed := set(ranking) & changed["after"].keys()):
        why = "The ranking is frozen, so this cannot change now. Reveal it first."
        raise ValidationError(dict.fromkeys(fixed, why))
    locked.save(update_fields=RULES)
    phase.slug = locked.slug
    audit_record("phase.change", locked, actor=actor, now=now, **changed)
    if "metrics" not in changed["after"]:
        return []
    return phase_metrics_apply(phase=locked, before=families, now=now)


@transaction.atomic
def phase_delete(*, phase: Phase, actor: User, now: datetime) -> None:
    """Delete a phase to which nothing was submitted, with its human row."""
    locked = Phase.objects.select_for_update().get(pk=phase.pk)
    reason = why_not_deletable(locked)
    if reason:
        raise Refused(reason)
    before = values_of(locked, RULES)
    locked.submissions.filter(kind=Kind.HUMAN).delete()
    locked.delete()
    audit_record("phase.delete", phase, actor=actor, now=now, before=before)


@transaction.atomic
def phase_move(*, phase: Phase, by: int, actor: User, now: datetime) -> None:
    """Move a phase ``by`` places down the list (up where negative), as far as there are places."""
    challenge = Challenge.objects.select_for_update().get(pk=phase.challenge_id)
    order = list(challenge.phases.order_by("position", "id"))
    at = next(place for place, other in enumerate(order) if other.pk == phase.pk)
    to = min(max(at + by, 0), len(order) - 1)
    order.insert(to, order.pop(at))
    moved = [row for place, row in enumerate(order) if row.position != place]
    for place, row in enumerate(order):
        row.position = place
    Phase.objects.bulk_update(moved, ["position"])
    if to != at:
        before, after = {"place": at + 1}, {"place": to + 1}
        audit_record("phase.move", phase, actor=actor, now=now, before=before, after=after)


def why_not_deletable(phase: Phase) -> str:
    """Why a phase cannot be deleted; empty where it can."""
    count = phase.submissions.of_teams().count()
    if count:
        submissions = "1 submission" if count == 1 else f"{count:,} submissions"
        return (
            f"{phase.name} has {submissions}, and submissions are never deleted. To accept no "
            "more, close the phase; to show none, make its scores not public."
        )
    if phase.snapshots.exists():
        return (
            f"{phase.name} has kept rankings, which are never deleted. To hide them, make its "
            "scores not public."
        )
    return ""


def _clean(phase: Phase) -> None:
    if phase.slug in RESERVED:
        raise ValidationError(
            {"slug": f"{phase.slug} is an address of the site itself. Choose another."}
        )
    phase.full_clean()


def phase_metrics_apply(*, phase: Phase, before: Collection[str], now: datetime) -> list[int]:
    """Bring the evaluations of a phase in line with its metrics; returns ids that wait.

    ``before`` are the families that it computed. What was computed of others is kept
    unpublished, and published again where the same is wanted later. Call it with the phase
    locked. Raises Django's ``ValidationError`` while a dry run of a family is open.
    """
    removed = [name for name in before if not phase.computes(name)]
    rescoring = open_rescoring(phase)
    if rescoring and (under_way := [one for one in removed if one in rescoring.families]):
        labels = ", ".join(map(family_label, under_way))
        raise ValidationError(
            {"metrics": f"A dry run of {labels} is open. Publish or discard it first."}
        )
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
