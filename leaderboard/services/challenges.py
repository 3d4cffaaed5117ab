"""Making challenges and phases."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from leaderboard.models import Challenge, Phase, User
from leaderboard.services.audit import audit_record


@transaction.atomic
def challenge_create(
    *, slug: str, title: str, published: bool, actor: User | None, now: datetime
) -> Challenge:
    """Make a challenge; raises Django's ``ValidationError`` where a value is not allowed."""
    challenge = Challenge(slug=slug, title=title, published=published)
    challenge.full_clean()
    challenge.save()
    if actor is not None:
        challenge.organisers.add(actor)
    audit_record(at=now, actor=actor, action="challenge.create", target=slug)
    return challenge


@transaction.atomic
def phase_create(
    *,
    challenge: Challenge,
    slug: str,
    name: str,
    references_public: bool,
    actor: User | None,
    now: datetime,
) -> Phase:
    """Make the last phase of a challenge, with no dates and no quota.

    Raises Django's ``ValidationError`` where a value is not allowed.
    """
    last = challenge.phases.aggregate(last=Max("position"))["last"]
    phase = Phase(
        challenge=challenge,
        slug=slug,
        name=name,
        position=0 if last is None else last + 1,
        references_public=references_public,
    )
    phase.full_clean()
    phase.save()
    audit_record(at=now, actor=actor, action="phase.create", target=f"{challenge.slug}/{slug}")
    return phase
