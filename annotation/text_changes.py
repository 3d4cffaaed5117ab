"""Changes of a text: where a place of it is afterwards, and whether two changes go together."""

import hashlib
from typing import NamedTuple, Self


class Place(NamedTuple):
    """A slice of a text in code points, the end not included."""

    start: int
    end: int


class TextChange(NamedTuple):
    """What stands from ``start`` to ``end`` of a text becomes ``replacement``."""

    start: int
    end: int
    replacement: str

    @classmethod
    def between(cls, before: str, after: str) -> Self:
        """The one slice in which two texts differ, as short as it can be."""
        start, shorter = 0, min(len(before), len(after))
        while start < shorter and before[start] == after[start]:
            start += 1
        same = 0
        while same < shorter - start and before[-1 - same] == after[-1 - same]:
            same += 1
        return cls(start, len(before) - same, after[start : len(after) - same])

    def applied(self, text: str) -> str:
        """The text with the change."""
        return text[: self.start] + self.replacement + text[self.end :]

    def moved(self, place: Place) -> Place | None:
        """Where a place is after the change; None where the change reaches into it.

        A place that only borders on the change is not reached.
        """
        if self.end <= place.start:
            by = len(self.replacement) - (self.end - self.start)
            return Place(place.start + by, place.end + by)
        return place if place.end <= self.start else None


def merged(base: str, mine: str, theirs: str) -> str | None:
    """``base`` with the changes of two others; None where they reach into one another."""
    if base in {theirs, mine}:
        return mine if base == theirs else theirs
    my, their = TextChange.between(base, mine), TextChange.between(base, theirs)
    place = their.moved(Place(my.start, my.end))
    touching = my.start == their.end or my.end == their.start
    if place is None or touching or my.moved(Place(their.start, their.end)) is None:
        return None
    return TextChange(place.start, place.end, my.replacement).applied(theirs)


def text_stamp(text: str) -> str:
    """What changes whenever a text does."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
