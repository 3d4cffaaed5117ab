"""Announcements of organisers: creating, changing and deleting them."""

from datetime import datetime
from typing import Any

from django.db import transaction

from leaderboard.models import Announcement, Challenge, User
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.edit_conflicts import changed_values, values_of, version_check

WRITTEN = ("title", "body")


@transaction.atomic
def announcement_create(
    *, challenge: Challenge, title: str, body: str, actor: User, now: datetime
) -> Announcement:
    """Publish an announcement to everyone who sees the challenge."""
    announcement = Announcement(
        challenge=challenge, title=title, body=body, author=actor, published_at=now
    )
    announcement.full_clean()
    announcement.save()
    _audit(announcement, "announcement.create", actor, now, after=values_of(announcement, WRITTEN))
    return announcement


@transaction.atomic
def announcement_change(
    *, announcement: Announcement, title: str, body: str, version: str, actor: User, now: datetime
) -> None:
    """Change an announcement that was read as ``version``; readers see when it was edited.

    Raises ``ChangedMeanwhile``.
    """
    locked = Announcement.objects.select_for_update().get(pk=announcement.pk)
    version_check(locked, WRITTEN, version)
    before = values_of(locked, WRITTEN)
    locked.title, locked.body = title, body
    changed = changed_values(before, values_of(locked, WRITTEN))
    if not changed["after"]:
        return
    locked.edited_at = now
    locked.full_clean()
    locked.save(update_fields=[*WRITTEN, "edited_at"])
    _audit(locked, "announcement.change", actor, now, **changed)


@transaction.atomic
def announcement_delete(*, announcement: Announcement, actor: User, now: datetime) -> None:
    """Delete an announcement; the audit log keeps its text."""
    before = values_of(announcement, WRITTEN)
    _audit(announcement, "announcement.delete", actor, now, before=before)
    announcement.delete()


def announcement_target(announcement: Announcement) -> str:
    """An announcement's name in the audit log."""
    return f"{announcement.challenge.slug} announcement {announcement.pk}"


def _audit(
    announcement: Announcement, action: str, actor: User, now: datetime, **details: Any
) -> None:
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=announcement_target(announcement),
        challenge=announcement.challenge,
        **details,
    )
