"""Sending notices by e-mail: the table is the outbox, so that no mail server can hold up others.

Each try takes its row with a conditional UPDATE that sets the next try, so that two
workers never send the same mail and a worker that goes down loses none.
"""

import logging
import smtplib
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse

from leaderboard.models import Notice
from leaderboard.selectors.accounts import unconfirmed
from leaderboard.selectors.notices import mail_wanted, notice_path

logger = logging.getLogger(__name__)

# After each try that failed, how long until the next; after the last there is none.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (2, 10, 60, 360))
# How long nobody tries a mail server that does not answer.
AWAY = timedelta(minutes=2)
AT_ONCE = 50
# Refusals of one mail; everything else that fails concerns the server.
_OF_ONE_MAIL = (
    smtplib.SMTPRecipientsRefused,
    smtplib.SMTPDataError,
    smtplib.SMTPSenderRefused,
    smtplib.SMTPNotSupportedError,
)


def notices_mail(*, now: datetime) -> int:
    """Send the mails that are due, up to ``AT_ONCE``; give how many went out."""
    due = list(
        Notice.objects.filter(mail_due_at__lte=now)
        .select_related("user", "team", "submission__team", "submission__phase__challenge")
        .order_by("mail_due_at", "pk")[:AT_ONCE]
    )
    if not due:
        return 0
    connection = get_connection()
    try:
        return sum(_send(notice, connection, now) for notice in due)
    except (OSError, smtplib.SMTPException):
        logger.exception("The mail server takes nothing; mails are tried again later")
        Notice.objects.filter(mail_due_at__lte=now).update(mail_due_at=now + AWAY)
        return 0
    finally:
        _close(connection)


def _close(connection: BaseEmailBackend) -> None:
    try:
        connection.close()
    except (OSError, smtplib.SMTPException):
        logger.exception("The mail server hung up")


def _send(notice: Notice, connection: BaseEmailBackend, now: datetime) -> bool:
    """Send one mail where it is still due; raise what concerns the server."""
    tried = notice.mail_attempts
    following = now + WAITS[tried] if tried < len(WAITS) else None
    row = Notice.objects.filter(pk=notice.pk)
    taken = row.filter(mail_due_at=notice.mail_due_at).update(
        mail_due_at=following, mail_attempts=F("mail_attempts") + 1
    )
    if taken != 1:
        return False
    # Whoever signs up with the address of somebody else must not have mails sent there.
    if not mail_wanted(notice.user, notice.kind) or unconfirmed(notice.user):
        row.update(mail_due_at=None)
        return False
    try:
        _message(notice, connection).send()
    except (*_OF_ONE_MAIL, ValueError):
        logger.exception("Notice %s could not be mailed", notice.pk)
        return False
    row.update(mailed_at=now, mail_due_at=None)
    return True


def _message(notice: Notice, connection: BaseEmailBackend) -> EmailMessage:
    context = {
        "notice": notice,
        "address": settings.SITE_URL + notice_path(notice),
        "switch": settings.SITE_URL + reverse("leaderboard:account"),
        "site_name": settings.SITE_NAME,
    }
    subject = " ".join(f"{settings.SITE_NAME}: {notice_subject(notice)}".split())
    body = render_to_string("leaderboard/mail/notice.txt", context)
    return EmailMessage(subject, body, to=[notice.user.email], connection=connection)


def notice_subject(notice: Notice) -> str:
    """Give the subject of a mail: what it is about, and no value that others may read."""
    if notice.submission is not None:
        return f"{notice.submission.system_name}, {notice.get_kind_display().lower()}"
    if notice.team is not None:
        return f"{notice.team.name}, {notice.get_kind_display().lower()}"
    if notice.about:
        return notice.about
    return notice.get_kind_display()
