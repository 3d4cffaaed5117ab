"""Files with one label for each word: CoNLL's columns, and JSON lines for Hugging Face.

Of spans that overlap, a word has the label of the last.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from django.utils.text import slugify

from annotation.formats.export_rows import ExportRow, meta_in_order, winners
from annotation.spans import OUTSIDE, labels_of_words

# Archives of the same data are the same: nothing in them tells when they were made.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_bio(works: Iterable[ExportRow]) -> Iterator[bytes]:
    """Write a zip archive with a file for each person: a word and its BIO tag a line.

    It comes piece by piece; works of one person must follow one another.
    """
    buffer = _DownloadBuffer()
    taken: set[str] = set()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in groupby(works, key=lambda work: work.annotator):
            stem = _file_stem(name, taken)
            info = zipfile.ZipInfo(f"{stem}.conll", _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as file:
                for work in rows:
                    file.write(block(work, stem).encode())
                    yield buffer.taken()
            yield buffer.taken()
    yield buffer.taken()


def block(work: ExportRow, stem: str) -> str:
    """Write one caption: comments in JSON, its words, an empty line.

    The first comment is the text; others say what is not as usual: who labelled it, where
    the file is not called so (``stem``), an answer other than accept, meta, flag, comment.
    """
    told = {
        "text": work.text,
        "annotator": "" if work.annotator == stem else work.annotator,
        "answer": "" if work.answer == "accept" else work.answer,
        "meta": meta_in_order(work),
        "flagged": work.flagged,
        "comment": work.comment,
    }
    lines = [
        f"# {name} = {json.dumps(value, ensure_ascii=False)}"
        for name, value in told.items()
        if value
    ]
    words = (_one_word(str(token["text"])) for token in work.tokens)
    lines += [f"{word}\t{tag}" for word, tag in zip(words, tags(work), strict=True)]
    return "\n".join(lines) + "\n\n"


def tags(work: ExportRow) -> list[str]:
    """One tag per word: B- begins a span, I- goes on with it, O is outside."""
    found: list[str] = []
    before: int | None = None
    for number in winners(work.spans, len(work.tokens)):
        if number is None:
            found.append(OUTSIDE)
        else:
            found.append(f"{'I' if number == before else 'B'}-{work.spans[number]['label']}")
        before = number
    return found


def _one_word(text: str) -> str:
    """Keep white space within a word, which only foreign tokens have, from ending the column."""
    return "".join("_" if char.isspace() or char == "\x00" else char for char in text)


def _file_stem(name: str, taken: set[str]) -> str:
    start = slugify(name) or "annotator"
    found, number = start, 1
    while found in taken:
        number += 1
        found = f"{start}-{number}"
    taken.add(found)
    return found


class _DownloadBuffer(io.RawIOBase):
    """Collects what is written until it is taken; it cannot be sought in, as a download."""

    def __init__(self) -> None:
        super().__init__()
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        self._held += bytes(data)  # type: ignore[call-overload]
        return len(bytes(data))  # type: ignore[call-overload]

    def taken(self) -> bytes:
        found = bytes(self._held)
        self._held.clear()
        return found


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
