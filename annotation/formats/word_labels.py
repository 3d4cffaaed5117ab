"""JSON lines for Hugging Face: words, and one label for each.

Of spans that overlap, a word has the label of the last.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.formats.export_rows import ExportRow, meta_in_order
from annotation.formats.offsets import read_tokens
from annotation.formats.records import Record, RecordFault, SkippedLine, require_answer
from annotation.formats.unread_labels import unread_labels
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
