"""What is told of a reference set: figures of its captions, and the card that it came with."""

from typing import Any

from leaderboard.models import ReferenceSet
from leaderboard.selectors.clips.corpus import references_of
from scoring.datasets.describing import describe_captions, described_json


def described_references(content_hash: str) -> dict[str, Any]:
    """Figures of the captions of a reference set, as ``described_json`` has them."""
    clips = references_of(content_hash).clips
    return described_json(describe_captions([clip.references for clip in clips]))


def card_for(reference_set: ReferenceSet, *, shown: bool) -> dict[str, Any] | None:
    """The data card for who is ``shown`` the captions, or who is not; None where there is none."""
    cards: dict[str, Any] = reference_set.card
    return cards.get("open" if shown else "hidden")
