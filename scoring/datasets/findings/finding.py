"""Findings: places of captions that somebody should look at, and what finds them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from scoring.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption
from scoring.errors import ScoringError


class FindingIdentity(NamedTuple):
    """What makes two findings the same one, whatever is suggested."""

    file_name: str
    number: int
    kind: str
    start: int
    end: int
    text: str


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

    @property
    def identity(self) -> FindingIdentity:
        """The same for the same place of the same caption, however often it is checked."""
        place = self.caption
        return FindingIdentity(
            place.file_name, place.number, self.kind, self.start, self.end, self.text
        )

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


class CaptionCheck(Protocol):
    """Finds the places of one kind in a caption, which need not be of the set itself.

    The set is what the caption is compared with. Takes linear time in the caption.
    """

    def __call__(self, caption: PlacedCaption, captions: CheckedCaptions) -> Iterable[FoundPlace]:
        """List the places."""


@dataclass(frozen=True, slots=True)
class FindingKind:
    """One kind of finding.

    ``explanation`` is a line that says what is found and why it matters, ``suggests`` one that
    says how its suggestions are made. ``default`` kinds are looked for where nobody chooses;
    those that ``parses`` need every caption parsed, which takes most of the time. ``writing``
    says whether it helps who is just writing a caption; the others say more of the whole set.
    """

    name: str
    explanation: str
    suggests: str
    default: bool
    find: CaptionCheck
    parses: bool = False
    writing: bool = True


class UnknownFindingKind(ScoringError):
    """A name that no kind of finding has."""

    def __init__(self, name: str, known: Mapping[str, FindingKind]) -> None:
        super().__init__(
            f'There is no kind of finding "{name}". Choose from: {", ".join(known)}, all.'
        )


def placed(clips: Iterable[tuple[str, Iterable[str]]]) -> Iterator[PlacedCaption]:
    """Captions of (clip, captions) pairs with their places."""
    for file_name, texts in clips:
        for number, text in enumerate(texts, 1):
            yield PlacedCaption(file_name, number, text)
