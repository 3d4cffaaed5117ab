"""JSON lines for Hugging Face's ``datasets``: words and one label for each."""

import json
from collections.abc import Iterable, Iterator, Sequence

from annotation.formats.export_rows import ExportRow, meta_in_order, word_labels
from annotation.spans import OUTSIDE


def write(works: Iterable[ExportRow], names: Sequence[str]) -> Iterator[str]:
    """Write one line per work; of spans that overlap, a word has the label of the last.

    ``label_ids`` count "O" as 0 and then the labels of the scheme in their order
    (``names``), whatever occurs, so that ids mean the same in every file.
    """
    ids = {name: number for number, name in enumerate((OUTSIDE, *names))}
    for work in works:
        labels = word_labels(work)
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
