"""Reading what people were told."""

from django.db.models import QuerySet
from django.urls import reverse

from leaderboard.models import Notice, NoticeKind, Team, User


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
