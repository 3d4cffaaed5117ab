"""Reading what organisers told everyone."""

from django.db.models import QuerySet

from leaderboard.models import Announcement, Challenge


def announcements_of(challenge: Challenge) -> QuerySet[Announcement]:
    """Give the announcements of a challenge, the latest first."""
    return challenge.announcements.select_related("author")
