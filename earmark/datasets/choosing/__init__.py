"""Choosing clips from a pool, so that their tags are as evenly spread as they can be.

Drossos et al. 2020 (Clotho) draw many subsets at random and keep the one whose tags have the
highest entropy. Here a subset is built clip by clip and then improved by exchanging clips
until no exchange is left that improves it.
"""

from earmark.datasets.choosing.choice import (
    ChosenClips,
    choice_json,
    choose_clips,
    entropy_limit,
    tag_entropy,
)
from earmark.datasets.choosing.pool import ClipPool, PoolClip, PoolColumns, read_pool, split_tags
from earmark.datasets.choosing.request import ChoiceRejected, ChoiceRequest, request_faults

__all__ = [
    "ChoiceRejected",
    "ChoiceRequest",
    "ChosenClips",
    "ClipPool",
    "PoolClip",
    "PoolColumns",
    "choice_json",
    "choose_clips",
    "entropy_limit",
    "read_pool",
    "request_faults",
    "split_tags",
    "tag_entropy",
]
