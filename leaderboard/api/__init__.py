"""The JSON API under ``/api/v1/``."""

from leaderboard.api.application import build

api = build()

__all__ = ["api"]
