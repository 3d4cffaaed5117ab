"""Creating and deleting phases, changing their rules and their order."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from leaderboard.models import Challenge, Kind, Phase, User
from leaderboard.selectors.labellers.use import new_phase_parameters
from leaderboard.services.audit_log import audit_phase
from leaderboard.services.organising.edit_conflicts import changed_values, values_of, version_check
from leaderboard.services.organising.phase_metrics import phase_metrics_apply
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
        "delete",
        "new",
        "people",
        "phases",
        "publish",
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
    after = {"after": {rule: values_of(phase, RULES)[rule] for rule in rules}} if rules else {}
    audit_phase(phase, "phase.create", actor=actor, now=now, **after)
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
    version_check(locked, RULES, version)
    before, families = values_of(locked, RULES), locked.families
    if values["slug"] != locked.slug and locked.submissions.of_teams().exists():
        raise Refused(
            f"The address stays {locked.slug}, because systems were submitted to this phase and "
            "links lead there.",
            field="slug",
        )
    for name in RULES:
        setattr(locked, name, values[name])
    _clean(locked)
    changed = changed_values(before, values_of(locked, RULES))
    if not changed["after"]:
        return []
    _check_frozen(locked, changed["after"])
    locked.save(update_fields=RULES)
    phase.slug = locked.slug
    audit_phase(locked, "phase.change", actor=actor, now=now, **changed)
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
    audit_phase(phase, "phase.delete", actor=actor, now=now, before=before)


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
        audit_phase(phase, "phase.move", actor=actor, now=now, before=before, after=after)


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


def _check_frozen(phase: Phase, changed: Mapping[str, Any]) -> None:
    """Refuse changes of the ranking rules while the ranking is frozen."""
    rules = ("ranking_metric", "precision", "counting", "metrics")
    fixed = [name for name in rules if name in changed]
    if phase.frozen_at is not None and fixed:
        why = "The ranking is frozen, so this cannot change now. Reveal it first."
        raise ValidationError(dict.fromkeys(fixed, why))
