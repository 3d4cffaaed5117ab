"""A caption cut into runs of words with one label each, as pages write it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from annotation.labels import Label


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of words with the white space after it apart; ``label`` None: no label.

    ``title`` is the label's, or its name where the scheme no longer has it.
    """

    text: str
    gap: str
    title: str = ""
    tone: int | None = None


def segments(
    tokens: Sequence[Mapping[str, Any]],
    spans: Iterable[Mapping[str, Any]],
    labels: Iterable[Label],
) -> list[Segment]:
    """Cut a caption at the ends of its spans; of several spans on a word the last one counts."""
    known = {label.name: label for label in labels}
    owner: list[int] = [-1] * len(tokens)
    names: list[str] = []
    for number, span in enumerate(spans):
        names.append(str(span["label"]))
        for word in range(int(span["token_start"]), int(span["token_end"]) + 1):
            if 0 <= word < len(owner):
                owner[word] = number
    runs = groupby(range(len(tokens)), key=owner.__getitem__)
    return [_segment(list(words), tokens, names, known, number) for number, words in runs]


def _segment(
    words: Sequence[int],
    tokens: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    known: Mapping[str, Label],
    number: int,
) -> Segment:
    text = "".join(str(tokens[word]["text"]) + _gap(tokens[word]) for word in words)
    gap = _gap(tokens[words[-1]])
    text = text.removesuffix(gap) if gap else text
    if number < 0:
        return Segment(text, gap)
    label = known.get(names[number])
    if label is None:
        return Segment(text, gap, names[number], 0)
    return Segment(text, gap, label.title, label.tone)


def _gap(token: Mapping[str, Any]) -> str:
    return " " if token.get("ws") else ""
