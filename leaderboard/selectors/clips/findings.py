"""What the metrics found in every clip of a system, cut down to what is counted.

Whoever calls has asked ``access.clips_for`` first: details tell of references.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import QuerySet

from leaderboard.models import ClipDetails
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, visible_evaluations

T = TypeVar("T")
logger = logging.getLogger(__name__)


def slimmed(submission: AnySubmission, family: str, slim: Callable[[Any], T]) -> list[T] | None:
    """Keep what ``slim`` takes of every clip's published details, in order.

    None where there are no details, or where another version stored them in another shape.
    """
    blocks = ClipDetails.objects.filter(
        evaluation__in=visible_evaluations(submission).filter(family=family)
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
