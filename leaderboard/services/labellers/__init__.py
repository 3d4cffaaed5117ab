"""Labellers of sound descriptors: storing them, and choosing the one in use."""

from leaderboard.services.labellers.configuration import LabellerRefused
from leaderboard.services.labellers.registry import (
    labeller_delete,
    labeller_keep,
    labeller_register,
    labellers_lock,
)
from leaderboard.services.labellers.using import (
    labeller_put_to_use,
    labeller_roll_back,
)

__all__ = [
    "LabellerRefused",
    "labeller_delete",
    "labeller_keep",
    "labeller_put_to_use",
    "labeller_register",
    "labeller_roll_back",
    "labellers_lock",
]
