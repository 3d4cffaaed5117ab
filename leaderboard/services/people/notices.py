"""Notices about people's work, on the site and by e-mail.

The table is the outbox, so that a slow mail server delays nothing. Each try claims its row with
a conditional UPDATE that sets the next try, so that two workers never send the same mail and
none is lost with a worker.
"""

import logging
import smtplib
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.template.loader import render_to_string
from django.urls import reverse

from leaderboard.models import (
    Evaluation,
    EvaluationState,
    Membership,
    MetricResult,
    Notice,
    NoticeKind,
    Submission,
    Team,
    User,
    WaitingMail,
)
from leaderboard.selectors.evaluations.progress import Progress, progress_of
from leaderboard.selectors.people.accounts import unconfirmed
from leaderboard.selectors.people.notices import (
    mail_wanted,
    notice_path,
    notice_recipients,
    opted_out,
)
from leaderboard.services.people.announcements import announcement_message

# Submissions that were finished longer ago are no news any more.
MISSED_WITHIN = timedelta(days=1)
OPEN = (EvaluationState.PENDING, EvaluationState.RUNNING)
FREE = "Trying again uses no quota."


def notice_send(
    *,
    users: Iterable[User],
    kind: NoticeKind,
    text: str,
    now: datetime,
    submission: Submission | None = None,
    team: Team | None = None,
    page: tuple[str, str] | None = None,
) -> None:
    """Send a notice; ``text`` is one or two sentences, of which 300 characters are stored.

    Call it in the transaction of the change. Those who want e-mail get one each after the
    commit: the sweep sends it, and sooner where the entry point calls
    ``tasks.notices_enqueue``. The notice links to ``submission``, ``team`` or
    ``page``, the name and path of one that is about neither.
    Each person gets one notice of success and one of failure per submission.
    """
    about, path = page or ("", "")
    Notice.objects.bulk_create(
        [
            Notice(
                user=user,
                kind=kind,
                text=shortened(text, 300),
                submission=submission,
                team=team,
                about=shortened(about, 150),
                path=path,
                at=now,
                mail_due_at=now if mail_wanted(user, kind) else None,
            )
            for user in users
            if user.is_active
        ],
        ignore_conflicts=True,
    )


def notices_mark_read(*, user: User, now: datetime, pk: int | None = None) -> int:
    """Mark a person's notices as read, all or just one; returns how many were unread."""
    unread = Notice.objects.filter(user=user, read_at=None)
    return (unread if pk is None else unread.filter(pk=pk)).update(read_at=now)


def mail_preferences_set(*, user: User, wanted: bool, trainings: bool, announcements: bool) -> None:
    """Set which notices a person wants by e-mail; waiting mails that are unwanted are dropped."""
    User.objects.filter(pk=user.pk).update(
        mail_notices=wanted, mail_trainings=trainings, mail_announcements=announcements
    )
    waiting = Notice.objects.filter(user=user, mail_due_at__isnull=False)
    if wanted:
        chosen = {NoticeKind.TRAINING: trainings, NoticeKind.NEWS: announcements}
        waiting = waiting.filter(kind__in=[kind for kind, chose in chosen.items() if not chose])
    waiting.update(mail_due_at=None)


def scoring_notice_send(*, submission_id: int, now: datetime) -> None:
    """Notify the team once every evaluation of its submission has ended."""
    # Of two evaluations that end at once, each may not see the other's end; the lock
    # makes the later one look when the earlier is there. It leaves the rows that refer
    # to the submission alone, so that nobody waits for somebody who waits for them.
    Submission.objects.select_for_update(no_key=True).only("pk").get(pk=submission_id)
    published = Evaluation.objects.filter(submission=submission_id, published=True)
    # Most often another family is still to come, and what is there need not be read.
    if published.filter(state__in=OPEN).exists():
        return
    submission = Submission.objects.select_related("phase", "team").get(pk=submission_id)
    progress = progress_of(published.defer("detail"))
    if progress.settled:
        scored, text = _outcome(submission, progress)
        notice_send(
            users=notice_recipients(submission.team),
            kind=NoticeKind.SCORED if scored else NoticeKind.FAILED,
            text=text,
            now=now,
            submission=submission,
        )


def missed_scoring_notices_send(*, now: datetime) -> None:
    """Send notices of recent outcomes that were lost because a process went down."""
    published = Evaluation.objects.filter(submission=OuterRef("pk"), published=True)
    of_scoring = [NoticeKind.SCORED, NoticeKind.FAILED]
    sent = Notice.objects.filter(submission=OuterRef("pk"), kind__in=of_scoring)
    missed = Submission.objects.filter(
        Exists(published.filter(finished_at__gt=now - MISSED_WITHIN)),
        Exists(Membership.objects.filter(team=OuterRef("team"))),
        ~Exists(published.filter(state__in=OPEN)),
        ~Exists(sent),
    )
    for pk in missed.order_by("pk").values_list("pk", flat=True)[:100]:
        with transaction.atomic():
            scoring_notice_send(submission_id=pk, now=now)


def _outcome(submission: Submission, progress: Progress) -> tuple[bool, str]:
    """Whether the deciding metric was computed, and a sentence with the outcome, for this team."""
    name, ranking = submission.system_name, submission.phase.ranking
    reasons = {family.family: family.reason for family in progress.failed}
    if ranking.family in reasons:
        reason = shortened(reasons[ranking.family] or "no reason was recorded.", 120)
        return False, f"{name} could not be scored. {ranking.label}: {reason} {FREE}"
    value = (
        MetricResult.objects.filter(
            submission=submission, metric=ranking.name, evaluation__published=True
        )
        .values_list("value", flat=True)
        .first()
    )
    if value is None:
        text = f"{name} was scored. It has no value for {ranking.label}, so it has no rank."
    else:
        text = f"{name} was scored: {ranking.label} {value:,.{ranking.decimals}f}."
    if not reasons:
        return True, text
    what = "1 other metric family" if len(reasons) == 1 else f"{len(reasons)} other families"
    return True, f"{text} {what} could not be computed. {FREE}"


def shortened(text: str, most: int) -> str:
    """Shorten a text where it is too long for its place."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"


logger = logging.getLogger(__name__)

# Pause after each failed try; after the last there is no further one.
WAITS = tuple(timedelta(minutes=minutes) for minutes in (2, 10, 60, 360))
# Pause before a mail server that does not answer is tried again.
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
    """Send the mails that are due, up to ``AT_ONCE`` of notices; returns how many were sent."""
    WaitingMail.objects.filter(Q(expires_at__lte=now) | Q(mail_due_at=None)).delete()
    waiting = WaitingMail.objects.filter(mail_due_at__lte=now).order_by("mail_due_at", "pk")
    due: list[Notice | WaitingMail] = [
        *waiting[:AT_ONCE],
        *Notice.objects.filter(mail_due_at__lte=now)
        .select_related(
            "user",
            "team",
            "submission__team",
            "submission__phase__challenge",
            "announcement__challenge",
        )
        # What concerns one person does not wait behind an announcement to a thousand.
        .order_by(F("announcement").asc(nulls_first=True), "mail_due_at", "pk")[:AT_ONCE],
    ]
    if not due:
        return 0
    connection = get_connection()
    try:
        return sum(_send(mail, connection, now) for mail in due)
    except OSError:
        logger.exception("The mail server takes nothing; mails are tried again later")
        for kind in (WaitingMail, Notice):
            kind.objects.filter(mail_due_at__lte=now).update(mail_due_at=now + AWAY)
        return 0
    finally:
        _close(connection)


def _close(connection: BaseEmailBackend) -> None:
    try:
        connection.close()
    except OSError:
        logger.exception("The mail server hung up")


def _send(mail: Notice | WaitingMail, connection: BaseEmailBackend, now: datetime) -> bool:
    """Send one mail where it is still due; raises errors that concern the server."""
    tried = mail.mail_attempts
    following = now + WAITS[tried] if tried < len(WAITS) else None
    kind: type[Notice | WaitingMail] = type(mail)
    row = kind.objects.filter(pk=mail.pk)
    taken = row.filter(mail_due_at=mail.mail_due_at).update(
        mail_due_at=following, mail_attempts=F("mail_attempts") + 1
    )
    if taken != 1:
        return False
    # Whoever signs up with the address of somebody else must not have mails sent there.
    if isinstance(mail, Notice) and (not _wanted(mail) or unconfirmed(mail.user)):
        row.update(mail_due_at=None)
        return False
    try:
        _message(mail, connection).send()
    except (*_OF_ONE_MAIL, ValueError):
        logger.exception("%s %s could not be mailed", type(mail).__name__, mail.pk)
        return False
    if isinstance(mail, Notice):
        Notice.objects.filter(pk=mail.pk).update(mailed_at=now, mail_due_at=None)
    else:
        mail.delete()
    return True


def _wanted(notice: Notice) -> bool:
    announcement = notice.announcement
    if announcement is not None and opted_out(notice.user, announcement.challenge):
        return False
    return mail_wanted(notice.user, notice.kind)


def _message(notice: Notice | WaitingMail, connection: BaseEmailBackend) -> EmailMessage:
    if isinstance(notice, WaitingMail):
        return EmailMessage(notice.subject, notice.body, to=[notice.to], connection=connection)
    if notice.announcement is not None:
        return announcement_message(notice, connection)
    context = {
        "notice": notice,
        "address": settings.SITE_URL + notice_path(notice),
        "switch": settings.SITE_URL + reverse("leaderboard:account"),
        "site_name": settings.SITE_NAME,
    }
    # What it is about, and no value that others may read.
    kind = notice.get_kind_display()
    about = notice.about or kind
    if notice.submission is not None:
        about = f"{notice.submission.system_name}, {kind.lower()}"
    elif notice.team is not None:
        about = f"{notice.team.name}, {kind.lower()}"
    subject = " ".join(f"{settings.SITE_NAME}: {about}".split())
    body = render_to_string("leaderboard/people/notice_email.txt", context)
    return EmailMessage(subject, body, to=[notice.user.email], connection=connection)
