"""Reading files with one label for each word: CoNLL's columns, and lines for Hugging Face."""

import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import IO, Any

from annotation.formats.offsets import read_tokens
from annotation.formats.plain_text import LARGEST, decoded, skipped_of
from annotation.formats.records import (
    Record,
    RecordFault,
    SkippedLine,
    require_answer,
    require_storable,
    require_text,
)
from annotation.formats.unread_labels import unread_labels
from annotation.spans import OUTSIDE, spans_of_words
from scoring.captions.faults import FaultLog

MOST_FILES = 1000
ENDING = ".conll"
_ENCRYPTED = 1
_COMMENT = re.compile(r"# ([a-z]+) = (.*)", re.DOTALL)
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
# The types of what comments before the words of a caption say, each in JSON.
_TOLD = {
    "text": str,
    "annotator": str,
    "answer": str,
    "meta": dict,
    "flagged": bool,
    "comment": str,
}


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


def tokens_of_words(
    words: Sequence[str], text: str, *, joined: bool = False
) -> list[dict[str, Any]]:
    """The words where they first stand in a text, one after the other.

    ``joined``: "_" in a word stands for white space, too. Raises ``RecordFault``.
    """
    if not words:
        raise RecordFault(
            "There are no words.", value=text, fix="Write the words of the caption below its text."
        )
    rows, at = [], 0
    for word in words:
        pattern = re.escape(word)
        if joined:
            pattern = pattern.replace("_", r"[_\s]")
        found = re.compile(pattern).search(text, at)
        if found is None or not word:
            raise RecordFault(
                "A word is not in the text, or not at this position.",
                value=word,
                fix="Write the words exactly as in the text and in the same order.",
            )
        rows.append({"start": found.start(), "end": found.end()})
        at = found.end()
    return read_tokens(rows, text)


def read_conll(file: IO[bytes], name: str) -> Iterator[Record | SkippedLine]:
    """Read a file of words and tags, or a zip of such, one for each person.

    Lines are counted within each file of a zip.
    """
    if PurePath(name.lower()).suffix == ENDING:
        yield from _blocks(file, PurePath(name).stem)
        return
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in _entries(archive):
                with archive.open(entry) as opened:
                    for found in _blocks(opened, PurePath(entry.filename).stem):
                        yield found if isinstance(found, Record) else _of(entry.filename, found)
    except RecordFault as fault:
        yield SkippedLine.because(1, fault)
    except _DAMAGED:
        damaged = RecordFault("The file is not a zip, or it is damaged.", fix="Make it again.")
        yield SkippedLine.because(1, damaged)


def _of(name: str, skipped: SkippedLine) -> SkippedLine:
    fault = RecordFault("", value=name)
    return SkippedLine(skipped.line, skipped.value, f"{fault.value}: {skipped.why}", skipped.fix)


def _entries(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files with words and tags, if they can all be read within the limits."""
    found = [one for one in archive.infolist() if one.filename.lower().endswith(ENDING)]
    plain = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
    if not found:
        raise RecordFault(
            f"The archive has no {ENDING} files.", fix="Choose a file exported from a project."
        )
    if len(found) > MOST_FILES or sum(one.file_size for one in found) > LARGEST:
        raise RecordFault(
            f"The archive has more than {MOST_FILES:,} files or {LARGEST // 1_000_000} MB.",
            fix="Split it.",
        )
    if any(one.flag_bits & _ENCRYPTED or one.compress_type not in plain for one in found):
        raise RecordFault(
            "The archive is encrypted or uses an unsupported compression.",
            fix="Use an ordinary zip.",
        )
    return found


def _blocks(file: IO[bytes], person: str) -> Iterator[Record | SkippedLine]:
    faults = FaultLog()
    with faults.listed():
        text, bad = decoded(file, faults)
        lines = enumerate(text.split("\n"), 1)
        for filled, block in groupby(lines, key=lambda row: bool(row[1].strip())):
            rows = list(block)
            if not filled or any(number in bad for number, _ in rows):
                continue
            try:
                yield _caption(rows, person)
            except RecordFault as fault:
                yield SkippedLine.because(rows[0][0], fault)
    yield from skipped_of(faults)


def _caption(rows: Sequence[tuple[int, str]], person: str) -> Record:
    """Read the comments, words and tags of one caption."""
    told: dict[str, Any] = {}
    words, tags = [], []
    for _, line in rows:
        comment = _COMMENT.fullmatch(line.removesuffix("\r"))
        if comment is not None:
            told |= _told(comment[1], comment[2])
        elif not line.startswith("# "):
            word, tab, tag = line.removesuffix("\r").partition("\t")
            if not tab:
                raise RecordFault(
                    "A line has no tab.", value=line, fix="Write a word, a tab and its tag."
                )
            words.append(word)
            tags.append(tag)
    text = require_text(told.get("text", " ".join(words)))
    tokens = tokens_of_words(words, text, joined=True)
    labels, starts = _read_tags(tags)
    return Record(
        line=rows[0][0],
        text=text,
        tokens=tokens,
        meta=told.get("meta", {}),
        spans=spans_of_words(labels, starts, tokens),
        answer=require_answer(told.get("answer", "accept")),
        person=told.get("annotator", person),
        flagged=told.get("flagged", False),
        comment=told.get("comment", ""),
    )


def _told(name: str, written: str) -> dict[str, Any]:
    """What a comment says, nothing where it is none that has a meaning here."""
    if name not in _TOLD:
        return {}
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, _TOLD[name]):
        raise RecordFault(
            f"The comment {name} cannot be read.", value=written, fix="Write it in JSON."
        )
    require_storable(value)
    return {name: value}


def _read_tags(tags: Sequence[str]) -> tuple[list[str], list[bool]]:
    """The label of each word, and whether a span begins there."""
    labels, starts = [], []
    for tag in tags:
        begin, _, label = tag.partition("-")
        if tag != OUTSIDE and (begin not in ("B", "I") or not label):
            raise RecordFault(
                "There is no such tag.",
                value=tag,
                fix=f"Write B- or I- and a label, or {OUTSIDE}.",
            )
        labels.append(label if label else OUTSIDE)
        starts.append(begin == "B")
    return labels, starts
