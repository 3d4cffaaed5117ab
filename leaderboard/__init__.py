"""The Django project of Earmark and its challenge app."""

from leaderboard.celery import app as celery_app

__all__ = ["celery_app"]
