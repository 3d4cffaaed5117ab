"""A caption cut into runs of words with one label each, as pages write it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from annotation.labels import Label
from annotation.suggested import place_of


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of words with the white space after it apart; ``label`` None: no label.

    ``title`` is the label's, or its name where the scheme no longer has it.
    ``suggested`` names the labeller from whose suggestion it was taken, if it was.
    """

    text: str
    gap: str
    title: str = ""
    tone: int | None = None
    suggested: str = ""


def segments(
    tokens: Sequence[Mapping[str, Any]],
    spans: Iterable[Mapping[str, Any]],
    labels: Iterable[Label],
    taken: Iterable[Mapping[str, Any]] = (),
) -> list[Segment]:
    """Cut a caption at the ends of its spans; of several spans on a word the last one counts.

    ``taken`` are the spans that were taken from a suggestion, as annotations keep them.
    """
    known = {label.name: label for label in labels}
    owner: list[int] = [-1] * len(tokens)
    drawn = list(spans)
    for number, span in enumerate(drawn):
        for word in range(int(span["token_start"]), int(span["token_end"]) + 1):
            if 0 <= word < len(owner):
                owner[word] = number
    runs = groupby(range(len(tokens)), key=owner.__getitem__)
    whose = {place_of(row): str(row["labeller"]) for row in taken}
    return [
        _segment(list(words), tokens, known, drawn[number] if number >= 0 else None, whose)
        for number, words in runs
    ]


def _segment(
    words: Sequence[int],
    tokens: Sequence[Mapping[str, Any]],
    known: Mapping[str, Label],
    span: Mapping[str, Any] | None,
    whose: Mapping[tuple[int, int, str], str],
) -> Segment:
    text = "".join(str(tokens[word]["text"]) + _gap(tokens[word]) for word in words)
    gap = _gap(tokens[words[-1]])
    text = text.removesuffix(gap) if gap else text
    if span is None:
        return Segment(text, gap)
    label, suggested = known.get(str(span["label"])), whose.get(place_of(span), "")
    if label is None:
        return Segment(text, gap, str(span["label"]), 0, suggested)
    return Segment(text, gap, label.title, label.tone, suggested)


def _gap(token: Mapping[str, Any]) -> str:
    return " " if token.get("ws") else ""
