"""What the metrics found in the clips of a system, and choosing clips by it.

Callers must have checked ``access.clips_for``: details reveal references.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from earmark.metrics.facets import ClipFacet
from earmark.registry import FAMILIES
from leaderboard.models import ClipDetails, Evaluation
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
        results = [slim(clip) for block in ordered for clip in block.read()]
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        logger.warning("Details of clips have another shape than %s reads", slim.__name__)
        return None
    return results or None


Positions: TypeAlias = NDArray[np.int32]
# Mode -> name -> the clips, as positions in the order of the references.
Index: TypeAlias = Mapping[str, Mapping[str, Positions]]
Findings: TypeAlias = Mapping[str, Index]

FACETS: Mapping[str, ClipFacet[Any]] = {
    family.facet.name: family.facet for family in FAMILIES.values() if family.facet is not None
}


@dataclass(frozen=True, slots=True)
class ClipFilter:
    """One thing that clips must have: a facet's name, such as an event, in a mode."""

    facet: str
    mode: str
    name: str


def findings_of(evaluations: QuerySet[Evaluation]) -> Findings:
    """Read by what these evaluations of one submission let clips be chosen.

    Facets whose details are missing, or in a shape of another version, are left
    out. Costs one query once the process has read the details.
    """
    families = {facet.family: facet.name for facet in FACETS.values()}
    rows = evaluations.filter(family__in=families).values_list(
        "family", "pk", "token", "finished_at"
    )
    by_facet = {families[row[0]]: _index(families[row[0]], row[1], row[2:]) for row in rows}
    return {name: index for name in FACETS if (index := by_facet.get(name)) is not None}


@lru_cache(maxsize=128)
def _index(facet: str, evaluation: int, _attempt: tuple[object, ...]) -> Index | None:
    """Index the details of one evaluation once per process and attempt.

    About 200 kB for 1,045 clips; a new attempt has another token and time.
    """
    kind = FACETS[facet]
    clips = slimmed_blocks(ClipDetails.objects.filter(evaluation=evaluation), kind.slim)
    if clips is None:
        return None
    by_mode: dict[str, dict[str, list[int]]] = {mode: {} for mode in kind.modes}
    for position, clip in enumerate(clips):
        for mode, name in kind.findings(clip):
            by_mode[mode].setdefault(name, []).append(position)
    return {
        mode: {name: np.array(where, np.int32) for name, where in names.items()}
        for mode, names in by_mode.items()
    }


def clips_with(findings: Findings, filters: Iterable[ClipFilter], clips: int) -> NDArray[np.bool_]:
    """Whether each clip passes all filters, shape (``clips``,)."""
    wanted = np.ones(clips, np.bool_)
    for one in filters:
        here = np.zeros(clips, np.bool_)
        where = findings.get(one.facet, {}).get(one.mode, {}).get(one.name)
        if where is not None:
            here[where[where < clips]] = True
        wanted &= here
    return wanted


def choices_of(findings: Findings, facet: str, mode: str) -> list[tuple[str, int]]:
    """List what a facet has in a mode, with how many clips have it, the most frequent first."""
    names = findings.get(facet, {}).get(mode, {})
    rows = [(name, len(where)) for name, where in names.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
