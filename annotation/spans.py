"""Spans over words, as Prodigy writes them, and those that a labeller suggests."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any

from annotation.kinds.work_kind import AnswerFault
from earmark.captions.faults import in_quotes

if TYPE_CHECKING:
    from spacy.language import Language

    from earmark.models.descriptors import LabelledCaption

OUTSIDE = "O"


def checked_spans(
    spans: Iterable[Mapping[str, Any]], tokens: Sequence[Mapping[str, Any]], names: frozenset[str]
) -> list[dict[str, Any]]:
    """Spans with all their offsets, in the order of the words, or raise ``AnswerFault``.

    A span says its words by ``token_start`` and ``token_end`` (inclusive); its
    characters are taken from them. No word may stand in two spans.
    """
    checked = []
    for number, span in enumerate(spans, 1):
        label = span.get("label")
        if label not in names:
            known = ", ".join(sorted(names))
            raise AnswerFault(
                f"Span {number}: there is no label {in_quotes(str(label))}. Choose from: {known}."
            )
        first, last = _ends(span, number, len(tokens))
        checked.append(span_of(first, last, str(label), tokens))
    checked.sort(key=lambda span: (span["token_start"], span["token_end"]))
    for one, other in pairwise(checked):
        if other["token_start"] <= one["token_end"]:
            word = tokens[other["token_start"]]["text"]
            raise AnswerFault(
                f"The word {in_quotes(word)} is in two spans. A word can have only one label."
            )
    return checked


def span_of(
    first: int, last: int, label: str, tokens: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """The span from word ``first`` to ``last``, both inside."""
    return {
        "start": int(tokens[first]["start"]),
        "end": int(tokens[last]["end"]),
        "token_start": first,
        "token_end": last,
        "label": label,
    }


def _ends(span: Mapping[str, Any], number: int, words: int) -> tuple[int, int]:
    first, last = span.get("token_start"), span.get("token_end")
    whole = isinstance(first, int) and isinstance(last, int)
    # bool is an int to Python and never a place.
    if not whole or isinstance(first, bool) or isinstance(last, bool):
        raise AnswerFault(f"Span {number}: token_start and token_end are whole numbers.")
    if not (0 <= first <= last < words):  # type: ignore[operator]
        raise AnswerFault(
            f"Span {number}: it runs from word {first} to {last}, but the caption has only "
            f"{words} words, counted from 0."
        )
    return first, last  # type: ignore[return-value]


def labels_of_words(spans: Iterable[Mapping[str, Any]], words: int) -> list[str]:
    """One label per word, "O" where there is none; of several spans the last one wins."""
    labels = [OUTSIDE] * words
    for span in spans:
        first, last = int(span["token_start"]), int(span["token_end"])
        labels[first : last + 1] = [str(span["label"])] * (min(last, words - 1) - first + 1)
    return labels


def starts_of_words(spans: Iterable[Mapping[str, Any]], words: int) -> list[bool]:
    """Whether a span begins at each word; of several spans on a word the last one counts."""
    owner: list[tuple[int, int, str] | None] = [None] * words
    for span in spans:
        first, last, _ = place = place_of(span)
        owner[first : last + 1] = [place] * (min(last, words - 1) - first + 1)
    return [
        one is not None and (word == 0 or owner[word - 1] != one) for word, one in enumerate(owner)
    ]


def spans_of_words(
    labels: Sequence[str], starts: Sequence[bool], tokens: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Spans of word labels, cut wherever the label changes and where ``starts`` begins one."""
    breaks = [0]
    for before, after in pairwise(range(len(labels))):
        if labels[before] != labels[after] or starts[after]:
            breaks.append(after)
    return [
        span_of(first, last - 1, labels[first], tokens)
        for first, last in pairwise([*breaks, len(labels)])
        if labels[first] != OUTSIDE
    ]


@lru_cache(maxsize=1)
def _english() -> "Language":
    import spacy

    return spacy.blank("en")


def tokenized(text: str) -> list[dict[str, Any]]:
    """Split a text as Prodigy does where a record has no tokens.

    Offsets count code points, ``end`` is exclusive; white space alone is no token.

    >>> [token["text"] for token in tokenized("A dog's bark, twice.")]
    ['A', 'dog', "'s", 'bark', ',', 'twice', '.']
    """
    words = [word for word in _english()(text) if not word.is_space]
    return [
        {
            "text": word.text,
            "start": word.idx,
            "end": word.idx + len(word.text),
            "id": number,
            "ws": text[word.idx + len(word.text) : word.idx + len(word.text) + 1].isspace(),
        }
        for number, word in enumerate(words)
    ]


PLACE = ("token_start", "token_end", "label")


def spans_suggested(
    caption: "LabelledCaption", tokens: Sequence[Mapping[str, Any]], names: frozenset[str]
) -> list[dict[str, Any]]:
    """Spans with ``confidence`` (over 0, at most 1) in the order of the words.

    The labeller splits at white space and drops punctuation, the caption's tokens may
    be cut otherwise: a token takes the label of the labeller's most certain word that
    it shares characters with. Neighbours with one label are one span; what has no such
    word, as a comma, ends it. Labels that ``names`` lacks are left out. No word stands
    in two spans.
    """
    words = _words_of_tokens(caption, tokens)
    labels = [OUTSIDE if word is None else caption.labels[word] for word in words]
    spans = []
    for label, run in groupby(range(len(tokens)), key=labels.__getitem__):
        places = list(run)
        if label == OUTSIDE or label not in names:
            continue
        behind = {words[place] for place in places}
        sure = fmean(caption.confidences[word] for word in behind if word is not None)
        span = span_of(places[0], places[-1], label, tokens)
        spans.append({**span, "confidence": round(sure, 4)})
    return spans


def _words_of_tokens(
    caption: "LabelledCaption", tokens: Sequence[Mapping[str, Any]]
) -> list[int | None]:
    """For each token the labeller's word that it takes its label from."""
    ends = [word.end for word in caption.words]
    words: list[int | None] = []
    for token in tokens:
        start, end = int(token["start"]), int(token["end"])
        number = bisect_right(ends, start)
        shared = []
        while number < len(ends) and caption.words[number].start < end:
            shared.append(number)
            number += 1
        words.append(max(shared, key=caption.confidences.__getitem__, default=None))
    return words


def still_taken(
    taken: Iterable[Mapping[str, Any]], spans: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Those spans taken from a suggestion that still stand as they were taken, each once.

    A row names its words, its label, and in ``labeller`` who suggested it.
    """
    present = places_of(spans)
    rows = {place_of(row): row for row in taken if place_of(row) in present}
    return [
        {**{key: row[key] for key in PLACE}, "labeller": str(row["labeller"])}
        for _, row in sorted(rows.items())
    ]


def read_taken(rows: Any) -> list[dict[str, Any]] | None:
    """Read such rows from a file; None where it holds something else under that name."""
    if not isinstance(rows, list) or not rows or not all(map(_is_row, rows)):
        return None
    return [{key: row[key] for key in (*PLACE, "labeller")} for row in rows]


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or set(row) != {*PLACE, "labeller"}:
        return False
    numbers = all(type(row[key]) is int for key in PLACE[:2])
    return numbers and all(isinstance(row[key], str) for key in ("label", "labeller"))


def place_of(row: Mapping[str, Any]) -> tuple[int, int, str]:
    """The words and the label by which a span is known: first word, last word inside, label."""
    return int(row["token_start"]), int(row["token_end"]), str(row["label"])


def places_of(spans: Iterable[Mapping[str, Any]]) -> frozenset[tuple[int, int, str]]:
    """The words and labels of spans, in no order."""
    return frozenset(map(place_of, spans))
