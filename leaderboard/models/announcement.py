"""What organisers tell everyone."""

from django.conf import settings
from django.db import models

from leaderboard.models.challenge import Challenge


class Announcement(models.Model):
    """A dated piece of news of a challenge; ``body`` is Markdown."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="announcements")
    title = models.CharField(max_length=120)
    body = models.TextField(blank=True, max_length=10_000)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    published_at = models.DateTimeField()
    edited_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-published_at", "-id"]

    def __str__(self) -> str:
        return self.title
