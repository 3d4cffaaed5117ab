"""Keeping labellers of sound descriptors, and choosing the one that is in use."""

from leaderboard.services.labellers.deleting import (
    LabellerNeeded,
    labeller_delete,
    labellers_hold,
)
from leaderboard.services.labellers.refusing import LabellerRefused
from leaderboard.services.labellers.registering import labeller_register
from leaderboard.services.labellers.uploading import labeller_upload
from leaderboard.services.labellers.using import (
    ChosenMeanwhile,
    InUseAlready,
    NothingToRollBack,
    UseRefused,
    labeller_put_to_use,
    labeller_roll_back,
)

__all__ = [
    "ChosenMeanwhile",
    "InUseAlready",
    "LabellerNeeded",
    "LabellerRefused",
    "NothingToRollBack",
    "UseRefused",
    "labeller_delete",
    "labeller_put_to_use",
    "labeller_register",
    "labeller_roll_back",
    "labeller_upload",
    "labellers_hold",
]
