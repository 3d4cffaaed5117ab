"""What the metrics found in every clip of a system, cut down to what is counted.

Whoever calls has asked ``access.clips_for`` first: details tell of references.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from django.db.models import QuerySet

from leaderboard.models import ClipDetails, Submission
from leaderboard.selectors.seen import evaluations_seen

T = TypeVar("T")
logger = logging.getLogger(__name__)

# What stands for words that describe nothing.
NO_LABEL = "O"

# Events that references name, with how many of them do, and those that the caption names.
Events: TypeAlias = tuple[Mapping[str, int], frozenset[str]]
# Descriptor labels of the references, and of the caption.
Labels: TypeAlias = tuple[frozenset[str], frozenset[str]]


def slimmed(submission: Submission, family: str, slim: Callable[[Any], T]) -> list[T] | None:
    """Keep what ``slim`` takes of every clip's published details, in order.

    None where there are no details, or where another version stored them in another shape.
    """
    blocks = ClipDetails.objects.filter(
        evaluation__in=evaluations_seen(submission).filter(family=family)
    )
    return slimmed_blocks(blocks, slim)


def slimmed_blocks(blocks: QuerySet[ClipDetails], slim: Callable[[Any], T]) -> list[T] | None:
    """Do the same for the blocks of one evaluation, a block in memory at a time."""
    ordered = blocks.order_by("first_clip").iterator(chunk_size=1)
    try:
        found = [slim(clip) for block in ordered for clip in block.read()]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        logger.warning("Details of clips have another shape than %s reads", slim.__name__)
        return None
    return found or None


def slim_events(clip: Any) -> Events:
    """Keep the events of CB-score's details."""
    theirs = {str(row["event"]): int(row["references"]) for row in clip["relevance"]}
    return theirs, frozenset(str(row["event"]) for row in clip["candidate"])


def slim_tags(clip: Any) -> dict[str, Any]:
    """Keep the false alarms and misses of SBF's details, as ``sbf.profile`` takes them."""
    sides = {
        side: [
            {"class": str(row["class"]), "references": int(row["references"])} for row in clip[side]
        ]
        for side in ("false_alarms", "misses")
    }
    # Only the number of references counts; an empty one would be divided by.
    return {"reference_phrases": [()] * max(1, len(clip["reference_phrases"])), **sides}


def slim_labels(clip: Any) -> Labels:
    """Keep the descriptor labels of ACES's details."""
    theirs = frozenset(str(word["label"]) for caption in clip["references"] for word in caption)
    return theirs, frozenset(str(word["label"]) for word in clip["words"])


def slim_error(clip: Any) -> str:
    """Name the likeliest error of a flagged caption, "" for one that is not."""
    return str(clip["likeliest"]) if clip["flag"] else ""
