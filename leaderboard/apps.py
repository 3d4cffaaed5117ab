"""The challenge app."""

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    """Challenges, teams, submissions and their evaluation."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"
