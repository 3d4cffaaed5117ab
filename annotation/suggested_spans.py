"""What a labeller says of a caption, as spans over its own words, and what was taken of it."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean
from typing import Any

from annotation.spans import OUTSIDE, span_of
from scoring.models.descriptors import LabelledCaption

PLACE = ("token_start", "token_end", "label")


def spans_suggested(
    said: LabelledCaption, tokens: Sequence[Mapping[str, Any]], names: frozenset[str]
) -> list[dict[str, Any]]:
    """Give spans with ``confidence`` (over 0, at most 1) in the order of the words.

    The labeller splits at white space and drops punctuation, the caption's tokens may
    be cut otherwise: a token takes the label of the labeller's most certain word that
    it shares characters with. Neighbours with one label are one span; what has no such
    word, as a comma, ends it. Labels that ``names`` lacks are left out. No word stands
    in two spans.
    """
    words = _words_of_tokens(said, tokens)
    labels = [OUTSIDE if word is None else said.labels[word] for word in words]
    found = []
    for label, run in groupby(range(len(tokens)), key=labels.__getitem__):
        places = list(run)
        if label == OUTSIDE or label not in names:
            continue
        behind = {words[place] for place in places}
        sure = fmean(said.confidences[word] for word in behind if word is not None)
        span = span_of(places[0], places[-1], label, tokens)
        found.append({**span, "confidence": round(sure, 4)})
    return found


def _words_of_tokens(
    said: LabelledCaption, tokens: Sequence[Mapping[str, Any]]
) -> list[int | None]:
    """Give for each token the labeller's word that it takes its label from."""
    ends = [word.end for word in said.words]
    found: list[int | None] = []
    for token in tokens:
        start, end = int(token["start"]), int(token["end"])
        number = bisect_right(ends, start)
        shared = []
        while number < len(ends) and said.words[number].start < end:
            shared.append(number)
            number += 1
        found.append(max(shared, key=said.confidences.__getitem__, default=None))
    return found


def still_taken(
    taken: Iterable[Mapping[str, Any]], spans: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Give those spans taken from a suggestion that still stand as they were taken, each once.

    A row names its words, its label, and in ``labeller`` who suggested it.
    """
    standing = {place_of(span) for span in spans}
    found = {place_of(row): row for row in taken if place_of(row) in standing}
    return [
        {**{key: row[key] for key in PLACE}, "labeller": str(row["labeller"])}
        for _, row in sorted(found.items())
    ]


def read_taken(told: Any) -> list[dict[str, Any]] | None:
    """Read such rows from a file; None where it holds something else under that name."""
    if not isinstance(told, list) or not told or not all(map(_is_row, told)):
        return None
    return [{key: row[key] for key in (*PLACE, "labeller")} for row in told]


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or set(row) != {*PLACE, "labeller"}:
        return False
    numbers = all(type(row[key]) is int for key in PLACE[:2])
    return numbers and all(isinstance(row[key], str) for key in ("label", "labeller"))


def place_of(row: Mapping[str, Any]) -> tuple[int, int, str]:
    """Give the words and the label by which a span is known."""
    return int(row["token_start"]), int(row["token_end"]), str(row["label"])
