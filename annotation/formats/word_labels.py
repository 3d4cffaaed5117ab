"""One label for each word, in rows and columns; and what looks like labels and is not read."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.formats.offsets import read_tokens
from annotation.formats.records import (
    ExportRow,
    Record,
    RecordFault,
    SkippedLine,
    meta_in_order,
    require_answer,
)
from annotation.spans import OUTSIDE, labels_of_words, spans_of_words

_READ = frozenset({"text", "caption", "tokens", "labels", "meta", "annotator", "answer"})


def has_word_labels(row: Mapping[str, Any]) -> bool:
    """Whether a record is a line for Hugging Face: a label for each word, and words as texts."""
    tokens, labels = row.get("tokens"), row.get("labels")
    return (
        isinstance(labels, list)
        and isinstance(tokens, list)
        and all(isinstance(token, str) for token in tokens)
    )


def read_json_row(row: Mapping[str, Any], text: str, number: int) -> Record:
    """Read a line for Hugging Face; its numbers of labels are not looked at."""
    tokens = tokens_of_words(row["tokens"], text)
    labels = [OUTSIDE if label is None else label for label in row["labels"]]
    if len(labels) != len(tokens):
        raise RecordFault(
            f"It has {len(tokens)} words but {len(labels)} labels.",
            value=row["labels"],
            fix=f'Give each word a label, "{OUTSIDE}" for none.',
        )
    faults = [
        RecordFault(
            f"The label of word {at} is no text.",
            value=label,
            fix=f'Write the name of a label, "{OUTSIDE}" for none.',
        )
        for at, label in enumerate(labels, 1)
        if not isinstance(label, str) or not label
    ]
    labels = [label if isinstance(label, str) and label else OUTSIDE for label in labels]
    meta, person = row.get("meta"), row.get("annotator")
    return Record(
        line=number,
        text=text,
        tokens=tokens,
        meta=meta if isinstance(meta, dict) else {},
        spans=spans_of_words(labels, [False] * len(labels), tokens),
        answer=require_answer(row.get("answer", "accept")),
        person=person if isinstance(person, str) else "",
        unread=[*unread_labels({key: row[key] for key in row if key not in _READ}, len(tokens))],
        left_out=[SkippedLine.because(number, fault) for fault in faults],
    )


def tokens_of_words(words: Sequence[str], text: str) -> list[dict[str, Any]]:
    """The words where they first stand in a text, one after the other; raises ``RecordFault``."""
    if not words:
        raise RecordFault(
            "There are no words.", value=text, fix="Write the words of the caption below its text."
        )
    rows, at = [], 0
    for word in words:
        start = text.find(word, at)
        if start < 0 or not word:
            raise RecordFault(
                "A word is not in the text, or not at this position.",
                value=word,
                fix="Write the words exactly as in the text and in the same order.",
            )
        at = start + len(word)
        rows.append({"start": start, "end": at})
    return read_tokens(rows, text)


def write_json_lines(works: Iterable[ExportRow], names: Sequence[str]) -> Iterator[str]:
    """Write one line per work for Hugging Face's ``datasets``.

    ``label_ids`` count "O" as 0 and then the labels of the scheme in their order
    (``names``), whatever occurs, so that ids mean the same in every file.
    """
    ids = {name: number for number, name in enumerate((OUTSIDE, *names))}
    for work in works:
        labels = labels_of_words(work.spans, len(work.tokens))
        row = {
            "id": work.number,
            "text": work.text,
            "tokens": [str(token["text"]) for token in work.tokens],
            "labels": labels,
            "label_ids": [ids[label] for label in labels],
            "annotator": work.annotator,
            "answer": work.answer,
            "meta": meta_in_order(work),
        }
        yield json.dumps(row) + "\n"


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
        name, content = key.lower(), _unpacked(value)
        parallel = isinstance(content, list) and len(content) == words
        parallel = parallel and all(one is None or isinstance(one, str | int) for one in content)
        if (
            (name in _OF_SPANS and content and isinstance(content, list | dict))
            or (name in _OF_WORDS and parallel)
            or _looks_like_labels(content)
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
