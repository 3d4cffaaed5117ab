"""Announcements with what became of their mails, for organisers."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from leaderboard.models import Announcement, Challenge
from leaderboard.selectors.organising.challenges import announcements_of
from leaderboard.selectors.people.announcements import mailed_people
from leaderboard.selectors.people.participation import people_taking_part


@dataclass(frozen=True, slots=True)
class AnnouncementMails:
    """Mails of an announcement: before sending how many it would be, then what became of them.

    ``others`` take part and would get no mail.
    """

    addressed: int
    others: int
    sent: int = 0
    waiting: int = 0

    @property
    def dropped(self) -> int:
        """Mails that never went out: refused, wanted no more, or the account is gone."""
        return self.addressed - self.sent - self.waiting


def mailing_of(announcement: Announcement) -> AnnouncementMails:
    """Count the mails of an announcement."""
    if announcement.mailed_at is None:
        people = people_taking_part(announcement.challenge).count()
        addressed = mailed_people(announcement.challenge).count()
        return AnnouncementMails(addressed, people - addressed)
    counts = announcement.notices.aggregate(
        sent=Count("pk", filter=Q(mailed_at__isnull=False)),
        waiting=Count("pk", filter=Q(mail_due_at__isnull=False)),
    )
    return AnnouncementMails(announcement.mails, 0, counts["sent"], counts["waiting"])


def announcements_with_mails(challenge: Challenge) -> QuerySet[Announcement]:
    """The announcements of a challenge, the latest first, with ``mails_sent`` and ``_waiting``."""
    return announcements_of(challenge).annotate(
        mails_sent=Count("notices", filter=Q(notices__mailed_at__isnull=False)),
        mails_waiting=Count("notices", filter=Q(notices__mail_due_at__isnull=False)),
    )
