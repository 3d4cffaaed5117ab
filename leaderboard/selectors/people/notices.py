"""What people are told: notices, announcements by e-mail, and the links that end these."""

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import signing
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from leaderboard.models import (
    Announcement,
    AnnouncementOptOut,
    Challenge,
    Notice,
    NoticeKind,
    Team,
    User,
)
from leaderboard.selectors.organising.challenges import announcements_of
from leaderboard.selectors.people.participation import people_taking_part


def notices_of(user: User) -> QuerySet[Notice]:
    """A person's notices, the latest first."""
    return Notice.objects.filter(user=user).select_related(
        "team", "submission__team", "submission__phase__challenge"
    )


def unread_count(user: User) -> int:
    """Count the notices that a person has not read, in one query of an index."""
    return Notice.objects.filter(user=user, read_at=None).count()


def mail_wanted(user: User, kind: str) -> bool:
    """Whether a person wants notices of this kind by e-mail, and has an address."""
    of_kind = {
        NoticeKind.TRAINING.value: user.mail_trainings,
        NoticeKind.NEWS.value: user.mail_announcements,
    }
    return user.mail_notices and of_kind.get(kind, True) and bool(user.email)


def notice_path(notice: Notice) -> str:
    """The page that a notice leads to."""
    if notice.path:
        return notice.path
    if notice.submission is not None:
        return reverse("leaderboard:system", args=[notice.submission.public_id])
    if notice.team is None:
        return reverse("leaderboard:notices")
    if notice.kind == NoticeKind.INVITED:
        return reverse("leaderboard:teams")
    return reverse("leaderboard:team", args=[notice.team.slug])


def notice_recipients(team: Team, *, without: User | None = None) -> list[User]:
    """Members of a team, without the one who did what the notice is about."""
    members = User.objects.filter(memberships__team=team)
    return list(members if without is None else members.exclude(pk=without.pk))


_SALT = "leaderboard.announcements.unsubscribe"


def mailed_people(challenge: Challenge) -> QuerySet[User]:
    """Of those who take part, who wants announcements by e-mail and has a confirmed address."""
    opted_out = AnnouncementOptOut.objects.filter(user=OuterRef("pk"), challenge=challenge)
    people = people_taking_part(challenge).filter(
        ~Exists(opted_out), mail_notices=True, mail_announcements=True
    )
    if settings.ACCOUNT_EMAIL_VERIFICATION != "none":
        unconfirmed = EmailAddress.objects.filter(
            user=OuterRef("pk"), email__iexact=OuterRef("email"), verified=False
        )
        people = people.filter(~Exists(unconfirmed))
    return people.exclude(email="")


def opted_out(user: User, challenge: Challenge) -> bool:
    """Whether a person wants no announcements of this challenge by e-mail."""
    return AnnouncementOptOut.objects.filter(user=user, challenge=challenge).exists()


def opt_outs_of(user: User) -> QuerySet[AnnouncementOptOut]:
    """The challenges of which a person wants no announcements by e-mail."""
    return AnnouncementOptOut.objects.filter(user=user).select_related("challenge")


def unsubscribe_address(user: User, challenge: Challenge) -> str:
    """The address that ends announcements of one challenge to one person, without a log-in."""
    token = signing.dumps([user.pk, challenge.pk], salt=_SALT)
    return f"{settings.SITE_URL}{reverse('leaderboard:unsubscribe', args=[token])}"


def unsubscribe_target(token: str) -> tuple[User, Challenge] | None:
    """Whom and what such an address is about; None where it was not made here or they are gone."""
    try:
        user, challenge = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    target = User.objects.filter(pk=user).first(), Challenge.objects.filter(pk=challenge).first()
    return None if target[0] is None or target[1] is None else (target[0], target[1])


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
