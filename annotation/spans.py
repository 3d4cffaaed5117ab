"""Spans over words, as Prodigy writes them."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

OUTSIDE = "O"


class SpanFault(ValueError):
    """A span that does not fit its caption or its scheme; the text says which and why."""


def checked_spans(
    spans: Iterable[Mapping[str, Any]],
    tokens: Sequence[Mapping[str, Any]],
    names: frozenset[str],
) -> list[dict[str, Any]]:
    """Give spans with all their offsets, in the order of the words, or raise ``SpanFault``.

    A span says its words by ``token_start`` and ``token_end`` (inclusive); its
    characters are taken from them. No word may stand in two spans.
    """
    found = []
    for number, span in enumerate(spans, 1):
        label = span.get("label")
        if label not in names:
            known = ", ".join(sorted(names))
            raise SpanFault(f"Span {number}: there is no label {label!r}. Choose from: {known}.")
        first, last = _ends(span, number, len(tokens))
        found.append(span_of(first, last, str(label), tokens))
    found.sort(key=lambda span: (span["token_start"], span["token_end"]))
    for one, other in pairwise(found):
        if other["token_start"] <= one["token_end"]:
            word = tokens[other["token_start"]]["text"]
            raise SpanFault(f"The word {word!r} stands in two spans. A word has one label.")
    return found


def span_of(
    first: int, last: int, label: str, tokens: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Give the span from word ``first`` to ``last``, both inside."""
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
        raise SpanFault(f"Span {number}: token_start and token_end are whole numbers.")
    if not (0 <= first <= last < words):  # type: ignore[operator]
        raise SpanFault(
            f"Span {number}: it runs from word {first} to {last}, and the caption has {words} "
            "words, counted from 0."
        )
    return first, last  # type: ignore[return-value]


def labels_of_words(spans: Iterable[Mapping[str, Any]], words: int) -> list[str]:
    """Give one label per word, "O" where there is none; of several spans the last one wins."""
    labels = [OUTSIDE] * words
    for span in spans:
        first, last = int(span["token_start"]), int(span["token_end"])
        labels[first : last + 1] = [str(span["label"])] * (min(last, words - 1) - first + 1)
    return labels


if TYPE_CHECKING:
    from spacy.language import Language


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
