"""Announcements: writing them, and by e-mail to whom, what it says, and wanting no more of them.

The notices are the outbox: each person has one of an announcement, which the database sees to,
and ``services.people.notices`` sends it. A worker that is killed leaves one mail in hand, of
which nobody knows whether it went out; it is tried again under the same Message-ID, so that
mailboxes show it once.
"""

from datetime import datetime
from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse

from leaderboard.models import Announcement, AnnouncementOptOut, Challenge, Notice, NoticeKind, User
from leaderboard.selectors.people.notices import mailed_people, unsubscribe_address
from leaderboard.selectors.people.participation import people_taking_part
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.edit_conflicts import values_of, values_write
from leaderboard.web.refusals import Refused

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
    after = values_of(announcement, WRITTEN)
    audit_record("announcement.create", announcement, actor=actor, now=now, after=after)
    return announcement


@transaction.atomic
def announcement_change(
    *, announcement: Announcement, title: str, body: str, version: str, actor: User, now: datetime
) -> None:
    """Change an announcement that was read as ``version``; readers see when it was edited.

    Raises ``ChangedMeanwhile``.
    """
    locked = Announcement.objects.select_for_update().get(pk=announcement.pk)
    changed = values_write(locked, WRITTEN, {"title": title, "body": body}, version=version)
    if not changed["after"]:
        return
    locked.edited_at = now
    locked.full_clean()
    locked.save(update_fields=[*WRITTEN, "edited_at"])
    audit_record("announcement.change", locked, actor=actor, now=now, **changed)


@transaction.atomic
def announcement_delete(*, announcement: Announcement, actor: User, now: datetime) -> None:
    """Delete an announcement; the audit log keeps its text."""
    before = values_of(announcement, WRITTEN)
    audit_record("announcement.delete", announcement, actor=actor, now=now, before=before)
    announcement.delete()


_ROWS = 500


@transaction.atomic
def announcement_mail(*, announcement: Announcement, actor: User, now: datetime) -> int:
    """Have an announcement mailed to who takes part, once; returns to how many.

    Everyone who takes part gets a notice on the site, also who wants no mail. The sweep
    sends the mails, sooner with ``tasks.notices_enqueue``.
    """
    challenge = announcement.challenge
    if not challenge.published:
        raise Refused("The challenge is not published. Publish it before you send announcements.")
    fresh = Announcement.objects.filter(pk=announcement.pk, mailed_at=None)
    if fresh.update(mailed_at=now) != 1:
        raise Refused("The announcement has already been sent. It was not sent again.")
    mailed = set(mailed_people(challenge).values_list("pk", flat=True))
    Announcement.objects.filter(pk=announcement.pk).update(mails=len(mailed))
    people = people_taking_part(challenge).values_list("pk", flat=True).order_by("pk")
    Notice.objects.bulk_create(
        (
            Notice(
                user_id=pk,
                kind=NoticeKind.NEWS,
                text=announcement.title,
                announcement=announcement,
                about=challenge.title,
                path=reverse("leaderboard:challenge", args=[challenge.slug]),
                at=now,
                mail_due_at=now if pk in mailed else None,
            )
            for pk in people.iterator()
        ),
        batch_size=_ROWS,
    )
    audit_record("announcement.mail", announcement, actor=actor, now=now, mails=len(mailed))
    return len(mailed)


def announcement_message(notice: Notice, connection: BaseEmailBackend) -> EmailMessage:
    """The mail of an announcement's notice, with what mail programs need to unsubscribe."""
    announcement = notice.announcement
    if announcement is None:
        raise ValueError(f"notice {notice.pk} is of no announcement")
    challenge = announcement.challenge
    leave = unsubscribe_address(notice.user, challenge)
    host = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    body = render_to_string(
        "leaderboard/people/announcement_email.txt",
        {
            "announcement": announcement,
            "challenge": challenge,
            "notice": notice,
            "address": settings.SITE_URL + notice.path,
            "leave": leave,
            "switch": settings.SITE_URL + reverse("leaderboard:account"),
            "site_name": settings.SITE_NAME,
        },
    )
    return EmailMessage(
        # A title that smuggles in a line would add a header.
        " ".join(f"{challenge.title}: {announcement.title}".split()),
        body,
        to=[notice.user.email],
        connection=connection,
        headers={
            "Message-ID": f"<announcement-{announcement.pk}-{notice.pk}@{host}>",
            # RFC 8058: mail programs show a button that posts there.
            "List-Unsubscribe": f"<{leave}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )


def announcements_stop(*, user: User, challenge: Challenge, now: datetime) -> None:
    """Send a person no more announcements of a challenge by e-mail, waiting ones included."""
    AnnouncementOptOut.objects.get_or_create(user=user, challenge=challenge, defaults={"at": now})
    waiting = Notice.objects.filter(user=user, announcement__challenge=challenge)
    waiting.filter(mail_due_at__isnull=False).update(mail_due_at=None)


def announcements_resume(*, user: User, challenge: Challenge) -> None:
    """Send a person the announcements of a challenge by e-mail again."""
    AnnouncementOptOut.objects.filter(user=user, challenge=challenge).delete()
