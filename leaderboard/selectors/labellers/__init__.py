"""Labellers of sound descriptors that this site keeps: where they lie and which is in use."""

from leaderboard.selectors.labellers.files import (
    LabellerTampered,
    LabellerUnknown,
    installation_path,
    labeller_folder,
    labeller_path,
    shipped_identity,
)
from leaderboard.selectors.labellers.use import (
    identity_in_use,
    labeller_in_use,
    labeller_path_in_use,
    new_phase_parameters,
)

__all__ = [
    "LabellerTampered",
    "LabellerUnknown",
    "identity_in_use",
    "installation_path",
    "labeller_folder",
    "labeller_in_use",
    "labeller_path",
    "labeller_path_in_use",
    "new_phase_parameters",
    "shipped_identity",
]
