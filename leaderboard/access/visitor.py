"""Whoever asks."""

from typing import TypeAlias

from django.contrib.auth.models import AnonymousUser

from leaderboard.models import User

Visitor: TypeAlias = User | AnonymousUser
