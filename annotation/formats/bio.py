"""CoNLL's columns: a word and its BIO tag a line, one file per person, in a zip archive."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from itertools import groupby

from django.utils.text import slugify

from annotation.formats.export_rows import ExportRow, winners
from annotation.spans import OUTSIDE

# Archives of the same data are the same: nothing in them tells when they were made.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write(works: Iterable[ExportRow]) -> Iterator[bytes]:
    """Write the archive piece by piece; works of one person must follow one another.

    Of spans that overlap, a word has the tag of the last.
    """
    buffer = _DownloadBuffer()
    taken: set[str] = set()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in groupby(works, key=lambda work: work.annotator):
            info = zipfile.ZipInfo(_file_name(name, taken), _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as file:
                for work in rows:
                    file.write(block(work).encode())
                    yield buffer.taken()
            yield buffer.taken()
    yield buffer.taken()


def block(work: ExportRow) -> str:
    """Write one caption: its text as JSON in a comment, its words, an empty line."""
    lines = [f"# text = {json.dumps(work.text, ensure_ascii=False)}"]
    words = (_one_word(str(token["text"])) for token in work.tokens)
    lines += [f"{word}\t{tag}" for word, tag in zip(words, tags(work), strict=True)]
    return "\n".join(lines) + "\n\n"


def tags(work: ExportRow) -> list[str]:
    """Give one tag per word: B- begins a span, I- goes on with it, O is outside."""
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


def _file_name(name: str, taken: set[str]) -> str:
    start = slugify(name) or "annotator"
    found, number = start, 1
    while found in taken:
        number += 1
        found = f"{start}-{number}"
    taken.add(found)
    return f"{found}.conll"


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
