"""Keys of a record that are not read although what stands there looks like labels."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

# Under these names other tools write labels: spaCy, doccano, Label Studio, Hugging Face.
_OF_SPANS = frozenset({"entities", "ents", "spans", "labels", "annotations", "result", "relations"})
_OF_WORDS = frozenset({"ner_tags", "tags", "ner", "iob", "bio", "labels", "word_labels"})
_LABEL = re.compile(r"labels?|tag|type|entity(_group|_type)?|class|category", re.IGNORECASE)
_START = re.compile(r"(token_)?(start|begin|from)(_?(offset|char|token))?", re.IGNORECASE)
_TAG = re.compile(r"O|[BIESLU][-_].+")
_DEEPEST = 4


def unread_labels(rest: Mapping[str, Any], words: int) -> Iterator[str]:
    """The keys, of those that are not read, whose values look like labels of a caption."""
    for key, value in rest.items():
        name, found = key.lower(), _unpacked(value)
        parallel = isinstance(found, list) and len(found) == words and _is_scalars(found)
        if (
            (name in _OF_SPANS and found and isinstance(found, list | dict))
            or (name in _OF_WORDS and parallel)
            or _looks_like_labels(found)
        ):
            yield key


def _unpacked(value: Any) -> Any:
    """The list or object that a cell of a table holds, or its words; other values as they are."""
    if not isinstance(value, str):
        return value
    if value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value.split()


def _looks_like_labels(value: Any, depth: int = 0) -> bool:
    if depth > _DEEPEST or not value:
        return False
    if isinstance(value, dict):
        return _is_span(value) or any(_looks_like_labels(one, depth + 1) for one in value.values())
    if not isinstance(value, list):
        return False
    if len(value) > 1 and all(isinstance(one, str) and _TAG.fullmatch(one) for one in value):
        return True
    return any(_is_triple(one) or _looks_like_labels(one, depth + 1) for one in value)


def _is_span(row: Mapping[str, Any]) -> bool:
    """Whether an object has a label and a place: {"start": 2, "end": 5, "label": "WHO"}."""
    starts = any(_START.fullmatch(key) and _is_number(one) for key, one in row.items())
    return starts and any(_LABEL.fullmatch(key) for key in row)


def _is_triple(row: Any) -> bool:
    """Whether a list is a place and a label: [2, 5, "WHO"]."""
    if not isinstance(row, list) or len(row) != 3:
        return False
    return sum(map(_is_number, row)) == 2 and sum(isinstance(one, str) for one in row) == 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_scalars(rows: list[Any]) -> bool:
    return all(one is None or isinstance(one, str | int) for one in rows)
