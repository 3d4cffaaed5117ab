"""Findings: places of captions that somebody should look at, and what finds them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """A place of a caption that somebody should look at, and why.

    ``start`` and ``end`` count code points of the caption's text, end exclusive;
    ``suggestions`` are replacements of that slice, best first ("" removes it), possibly none.
    """

    caption: PlacedCaption
    kind: str
    start: int
    end: int
    suggestions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The slice of the caption."""
        return self.caption.text[self.start : self.end]

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON has it; ``caption`` is the caption's text."""
        return {
            "file_name": self.caption.file_name,
            "caption": self.caption.text,
            "kind": self.kind,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "suggestions": list(self.suggestions),
        }


class FoundPlace(NamedTuple):
    """What a kind says of a caption: a slice, and replacements of it."""

    start: int
    end: int
    suggestions: tuple[str, ...] = ()


# Finds the places of one kind in a caption, which need not be of the set: that is what it is
# compared with. Takes linear time in the caption.
CaptionCheck = Callable[[PlacedCaption, CheckedCaptions], Iterable[FoundPlace]]


@dataclass(frozen=True, slots=True)
class FindingKind:
    """One kind of finding.

    ``explanation`` is a line that says what is found and why it matters. ``default`` kinds are
    looked for where nobody chooses; those that ``parses`` need every caption parsed, which takes
    most of the time. ``writing`` says whether it helps who is just writing a caption; the others
    say more of the whole set.
    """

    name: str
    explanation: str
    find: CaptionCheck
    default: bool = True
    parses: bool = False
    writing: bool = True
