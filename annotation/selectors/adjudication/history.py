"""What was settled of a caption, when, by whom, what changed and why; the latest first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from annotation.models import Gold, GoldEnd, PastGold
from annotation.selectors.adjudication.cases import Case, by_person
from annotation.selectors.labels import LabelBook
from annotation.spans import OUTSIDE, starts_of_words
from leaderboard.models import User


class LabelledVersion(NamedTuple):
    """One label per word, and the spans that they come from."""

    labels: Sequence[str]
    spans: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class LabelChange:
    """Some words, and what was said of them before and after."""

    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class GoldEvent:
    """Something that was settled or taken back.

    ``gold`` is what stood after it, or what was taken back. ``by`` None: all agreed, or who
    did it has left. ``note`` says why, "" where nobody said.
    """

    what: str
    gold: Gold | PastGold
    by: User | None
    at: datetime
    note: str
    changes: tuple[LabelChange, ...] = ()


def gold_history(case: Case, book: LabelBook) -> list[GoldEvent]:
    """Every settling, correction and taking back of a caption, the latest first."""
    past = case.past[::-1]
    events: list[GoldEvent] = []
    for row, before in zip(past, (None, *past), strict=False):
        events += _events_of(row, before, case, book)
    if case.gold is not None:
        events += _events_of(case.gold, past[-1] if past else None, case, book)
    return events[::-1]


def _events_of(
    row: Gold | PastGold, before: PastGold | None, case: Case, book: LabelBook
) -> Iterator[GoldEvent]:
    yield GoldEvent(
        what=_what(row, before),
        gold=row,
        by=row.settled_by if by_person(row, before) else None,
        at=row.settled_at,
        note=row.note,
        changes=() if before is None else tuple(label_changes(case.words, before, row, book)),
    )
    if isinstance(row, PastGold) and row.end == GoldEnd.TAKEN_BACK:
        yield GoldEvent("Taken back", row, row.ended_by, row.ended_at, row.reason)


def _what(row: Gold | PastGold, before: PastGold | None) -> str:
    if not by_person(row, before):
        alone = any(word.get("how") == "single" for word in row.provenance)
        return "Settled as one person labelled it" if alone else "Settled because all agree"
    again = before is not None and before.end == GoldEnd.REPLACED
    return "Settled again" if again else "Settled"


def label_changes(
    words: Sequence[str],
    before: LabelledVersion | PastGold,
    after: LabelledVersion | Gold | PastGold,
    book: LabelBook,
) -> Iterator[LabelChange]:
    """What differs word by word, neighbours that changed alike together, then what of edges."""
    pairs = list(zip(before.labels, after.labels, strict=True))
    for pair, run in groupby(range(len(pairs)), key=pairs.__getitem__):
        if pair[0] != pair[1]:
            text = " ".join(words[word] for word in run)
            yield LabelChange(text, book[pair[0]].title, book[pair[1]].title)
    size = len(words)
    old, new = (starts_of_words(row.spans, size) for row in (before, after))
    for word in range(1, size):
        inside = all(OUTSIDE != row.labels[word - 1] == row.labels[word] for row in (before, after))
        if inside and old[word] != new[word]:
            ways = ("two spans", "one span") if old[word] else ("one span", "two spans")
            yield LabelChange(f"{words[word - 1]} | {words[word]}", *ways)
