"""The sound of the clips: taking it in, keeping it, letting it go."""

from leaderboard.services.audio.adding import (
    AudioOfOthers,
    audio_add_folder,
    audio_add_zip,
    audio_base_url_set,
    audio_remove,
)
from leaderboard.services.audio.address import AddressRefused, address_checked
from leaderboard.services.audio.archive import ArchiveRefused
from leaderboard.services.audio.report import AudioReport, Refusal

__all__ = [
    "AddressRefused",
    "ArchiveRefused",
    "AudioOfOthers",
    "AudioReport",
    "Refusal",
    "address_checked",
    "audio_add_folder",
    "audio_add_zip",
    "audio_base_url_set",
    "audio_remove",
]
