"""What the clips of a system can be filtered by: events, descriptors, tags, errors.

A family that has something to filter by describes it as a ``ClipFacet``: how the
details of a clip are cut down to what is counted, and the findings in them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

S = TypeVar("S")

# A mode of a facet and a name, such as ("found", "Dog").
Finding = tuple[str, str]

# Label of words that describe nothing.
NO_LABEL = "O"

NAMED, FOUND, LEFT_OUT, IMAGINED = "named", "found", "left_out", "imagined"
BOTH_SIDES = {
    NAMED: "Named by the references",
    FOUND: "Found",
    LEFT_OUT: "Missed",
    IMAGINED: "Hallucinated",
}
# Fluency has one mode; its findings are these two and the names of errors.
WRITTEN = "written"
ANY_ERROR, NO_ERROR = "any", "none"


@dataclass(frozen=True, slots=True)
class ClipFacet(Generic[S]):
    """Findings by which clips can be chosen: ``modes`` with their titles, the first one by default.

    ``slim`` cuts the details of one clip down to what is counted, and ``findings``
    lists (mode, name) for everything in what is left. ``name`` stands in addresses.
    ``family`` is filled in by the registry.
    """

    name: str
    title: str
    modes: Mapping[str, str]
    slim: Callable[[Any], S]
    findings: Callable[[S], Iterable[Finding]]
    family: str = ""

    def mode(self, name: str) -> str:
        """The mode of this name; the first one where there is none."""
        return name if name in self.modes else next(iter(self.modes))


def both_sides(clip: tuple[Iterable[str], Iterable[str]]) -> Iterator[Finding]:
    """Findings of a clip where the references name some things and the caption others."""
    theirs, ours = ({name for name in side if name != NO_LABEL} for side in clip)
    yield from ((NAMED, name) for name in theirs)
    yield from ((FOUND, name) for name in theirs & ours)
    yield from ((LEFT_OUT, name) for name in theirs - ours)
    yield from ((IMAGINED, name) for name in ours - theirs)
