"""Creating, changing, publishing and deleting challenges."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from leaderboard.blueprints import TO_WRITE, left_to_write
from leaderboard.models import Challenge, Phase, User
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.edit_conflicts import values_of, values_write
from leaderboard.services.organising.phases import phase_create, phase_delete, why_not_deletable
from leaderboard.services.people.participation import terms_renewed_notify, waiting_admit
from leaderboard.web.refusals import Refused

# The parts of a challenge that its organisers write.
TEXT = ("title", "summary", "description", "citation", "terms", "approval", "time_zone")
# Addresses below /manage/ that no challenge may take.
RESERVED = frozenset({"join", "new"})


@transaction.atomic
def challenge_create(
    *,
    slug: str,
    title: str,
    published: bool,
    actor: User | None,
    now: datetime,
    phases: Iterable[Mapping[str, Any]] = (),
    **text: str,
) -> Challenge:
    """Create a challenge, with phases of these values, as those of a blueprint.

    It has summary, description, citation or time zone where ``text`` has them.

    Raises Django's ``ValidationError`` where a value is not allowed.
    """
    challenge = Challenge(slug=slug, title=title, published=published, **text)
    if slug in RESERVED:
        raise ValidationError({"slug": f"{slug} is an address of the site itself. Choose another."})
    challenge.full_clean()
    challenge.save()
    if actor is not None:
        challenge.organisers.add(actor)
    audit_record("challenge.create", challenge, actor=actor, now=now)
    for values in phases:
        phase_create(challenge=challenge, actor=actor, now=now, **values)
    return challenge


@transaction.atomic
def challenge_change(
    *,
    challenge: Challenge,
    values: Mapping[str, Any],
    version: str,
    actor: User,
    now: datetime,
    accept_anew: bool = False,
) -> None:
    """Change title, text, terms or time zone of a challenge that was read as ``version``.

    Terms where there were none are to be accepted by every team, changed ones by those that
    had accepted them only with ``accept_anew``. Who waits is admitted when approval ends.

    Raises ``ChangedMeanwhile``, or Django's ``ValidationError`` where a value is not allowed.
    """
    locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
    had_terms, had_approval = bool(locked.terms), locked.approval
    changed = values_write(locked, TEXT, values, version=version)
    renewed = bool(locked.terms) and (accept_anew or not had_terms)
    if renewed:
        locked.terms_version += 1
    locked.full_clean()
    if not (changed["after"] or renewed):
        return
    locked.save(update_fields=[*TEXT, "terms_version"])
    anew: dict[str, Any] = {"accepted_anew": True} if renewed else {}
    audit_record("challenge.change", locked, actor=actor, now=now, **changed, **anew)
    if renewed:
        terms_renewed_notify(challenge=locked, now=now)
    if had_approval and not locked.approval:
        waiting_admit(challenge=locked, actor=actor, now=now)


@transaction.atomic
def challenge_set_published(
    *, challenge: Challenge, published: bool, actor: User, now: datetime
) -> bool:
    """Show a challenge to everyone, or to its organisers alone; returns whether that is new.

    Refused rather than show everyone a text that is still to be written.
    """
    current = Challenge.objects.select_for_update().get(pk=challenge.pk)
    if published and (places := left_to_write(current.description)):
        raise Refused(
            f"The challenge was not published: the text still says “{TO_WRITE}” in {places}. Write "
            "that text, or delete the line."
        )
    updated = Challenge.objects.filter(pk=challenge.pk, published=not published).update(
        published=published
    )
    if updated:
        action = "challenge.publish" if published else "challenge.unpublish"
        audit_record(action, challenge, actor=actor, now=now)
    return bool(updated)


def why_challenge_not_deletable(challenge: Challenge) -> str:
    """Why a challenge cannot be deleted; empty where it can."""
    reasons = (why_not_deletable(phase) for phase in challenge.phases.all())
    first = next((reason for reason in reasons if reason), "")
    return f"{first} To hide the whole challenge, unpublish it." if first else ""


@transaction.atomic
def challenge_delete(*, challenge: Challenge, actor: User, now: datetime) -> None:
    """Delete a challenge to which nothing was submitted, with its phases; the audit log stays."""
    locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
    # Uploads take these locks, too: none comes in between the check and the deletion.
    phases = list(Phase.objects.select_for_update().filter(challenge=locked).order_by("pk"))
    reason = why_challenge_not_deletable(locked)
    if reason:
        raise Refused(reason)
    before = values_of(locked, TEXT)
    for phase in phases:
        phase_delete(phase=phase, actor=actor, now=now)
    audit_record("challenge.delete", locked, actor=actor, now=now, before=before)
    locked.delete()
