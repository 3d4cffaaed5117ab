"""Captions whose words people have labelled: reading Prodigy's JSONL, recognising captions."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from earmark.errors import ScoringError
from earmark.models.descriptors import OUTSIDE, inventories, words_of
from earmark.models.descriptors.words import RESOURCES

# What reading a line can raise that holds something else than a record.
_ODD = (
    *(ValueError, KeyError, TypeError, IndexError, AttributeError),
    *(OverflowError, RecursionError),
)


class DescriptorFault(ScoringError):
    """A file of labelled captions that cannot be used, with the line that is wrong."""

    def __init__(self, path: str, line: int, reason: str) -> None:
        where = f"{path}, line {line}" if line else path
        super().__init__(f"{where}: {reason}")
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True)
class AnnotatedCaption:
    """A caption with one label per word; words have no punctuation and are lower-cased.

    ``source`` is where the caption comes from (``meta.source``) and ``clip``
    the file of its sound (``meta.file_name``), or empty.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    source: str = ""
    clip: str = ""

    @property
    def key(self) -> str:
        """Key that records of one caption share, whatever their spaces and case."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Captions labelled with one inventory."""

    name: str
    labels: tuple[str, ...]
    captions: tuple[AnnotatedCaption, ...]


def read_sets(paths: Sequence[Path]) -> list[LabelSet]:
    """Read files, or every .jsonl file of folders; the inventory with most labels comes first.

    Files of one inventory are one set. A single file that names its sets, as trainings
    on the site keep their captions (``jsonl_sets``), has them in its own order. Raises
    ``DescriptorFault``.
    """
    files = [file for path_or_folder in paths for file in _files(path_or_folder)]
    if len(files) == 1 and (lines := _lines(files[0])) and _names_sets(lines):
        return jsonl_sets(lines, str(files[0]))
    merged: dict[str, LabelSet] = {}
    for path in files:
        name, labels, captions = _read(path)
        known = merged.get(name)
        merged[name] = LabelSet(name, labels, (known.captions if known else ()) + tuple(captions))
    return sorted(merged.values(), key=lambda found: -len(found.labels))


def without_source(sets: Sequence[LabelSet], source: str) -> list[LabelSet]:
    """Leave captions from a source out of all sets but the first; sets left empty go."""
    remaining = [*sets[:1]]
    for part in sets[1:]:
        captions = tuple(caption for caption in part.captions if caption.source != source)
        if captions:
            remaining.append(LabelSet(part.name, part.labels, captions))
    return remaining


def read_lines(lines: Iterable[str], path: str = "", first: int = 1) -> list[AnnotatedCaption]:
    """Read records; empty lines, and records not accepted by the annotator, are left out.

    ``first`` is the number of the first line. For a word in several spans the last
    span wins. Raises ``DescriptorFault``.
    """
    captions = []
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            caption = (
                None if record.get("answer", "accept") != "accept" else annotated_caption(record)
            )
        except _ODD as error:
            reason = "This is not a record with text, tokens and spans in Prodigy's form. " + str(
                error
            )
            raise DescriptorFault(path, number, reason) from error
        if caption is not None and caption.words:
            captions.append(caption)
    return captions


def jsonl_sets(lines: Iterable[str], path: str = "") -> list[LabelSet]:
    """Read sets written one after the other, in their order; the first is what is learned.

    Each set begins with a line ``{"set": name, "labels": [...]}`` and goes on with
    records in Prodigy's form that have its name as ``set``. O may be among the labels
    or not. A set without an accepted caption is left out. Raises ``DescriptorFault``.
    """
    labels: dict[str, tuple[str, ...]] = {}
    captions: dict[str, list[AnnotatedCaption]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = _object(line, path, number)
        name = record.get("set")
        if not isinstance(name, str) or not name:
            raise DescriptorFault(path, number, 'There is no "set" here. Name the inventory.')
        if "text" not in record:
            if name in labels:
                raise DescriptorFault(path, number, f"The set {name!r} begins a second time.")
            labels[name] = _inventory(record.get("labels"), path, number)
            captions[name] = []
        elif name not in labels:
            reason = f'The set {name!r} has no labels yet. Begin it with {{"set", "labels"}}.'
            raise DescriptorFault(path, number, reason)
        else:
            sets = read_lines([line], path, number)
            used = {label for caption in sets for label in caption.labels}
            if unknown := sorted(used - set(labels[name])):
                inventory = ", ".join(labels[name])
                reason = f"The label {unknown[0]!r} is not in this set's inventory: {inventory}"
                raise DescriptorFault(path, number, reason)
            captions[name] += sets
    return [LabelSet(name, labels[name], tuple(rows)) for name, rows in captions.items() if rows]


def _object(line: str, path: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DescriptorFault(path, number, f"This is not JSON. {error}") from error
    if not isinstance(record, dict):
        raise DescriptorFault(path, number, "This is not a JSON object.")
    return record


def _inventory(listed: object, path: str, number: int) -> tuple[str, ...]:
    if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
        raise DescriptorFault(path, number, 'A set begins with its "labels", a list of texts.')
    labels = (*(label for label in dict.fromkeys(listed) if label != OUTSIDE), OUTSIDE)
    if len(labels) < 2:
        raise DescriptorFault(path, number, "There is no label besides O.")
    return labels


def annotated_caption(record: Mapping[str, Any]) -> AnnotatedCaption:
    """Words and labels of one record.

    Without ``tokens`` the text is split at white space and spans are found by
    their characters. Raises ValueError, KeyError or TypeError.
    """
    tokens = record.get("tokens")
    if tokens is None:
        tokens = [
            {"text": w.text, "start": w.start, "end": w.end} for w in words_of(record["text"])
        ]
    labels = [OUTSIDE] * len(tokens)
    for span in record.get("spans") or ():
        for place in _covered(span, tokens):
            labels[place] = str(span["label"])
    labelled_words = [
        (word.text, label)
        for token, label in zip(tokens, labels, strict=True)
        for word in words_of(token["text"])
    ]
    meta = record.get("meta") or {}
    return AnnotatedCaption(
        tuple(word for word, _ in labelled_words),
        tuple(label for _, label in labelled_words),
        str(meta.get("source", "")),
        str(meta.get("file_name", "")).strip(),
    )


def _covered(span: Mapping[str, Any], tokens: Sequence[Mapping[str, Any]]) -> Sequence[int]:
    """List the tokens of a span; its last token is inside."""
    if "token_start" in span:
        first, last = int(span["token_start"]), int(span["token_end"])
        if not 0 <= first <= last < len(tokens):
            raise ValueError(f"A span runs from token {first} to {last} of {len(tokens)}.")
        return range(first, last + 1)
    start, end = int(span["start"]), int(span["end"])
    return [i for i, t in enumerate(tokens) if t["start"] < end and t["end"] > start]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.jsonl"))
    if not files:
        raise DescriptorFault(str(path), 0, "There is no .jsonl file in this folder.")
    return files


def _names_sets(lines: Sequence[str]) -> bool:
    """Whether the first line begins a set; other files begin with a record."""
    first = next((line for line in lines if line.strip()), "")
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "set" in record and "text" not in record


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DescriptorFault(str(path), 0, "The file is not UTF-8. Save it as UTF-8.") from error
    except OSError as error:
        reason = f"Cannot be read: {error.strerror}. Check the path."
        raise DescriptorFault(str(path), 0, reason) from error


def _read(path: Path) -> tuple[str, tuple[str, ...], list[AnnotatedCaption]]:
    captions = read_lines(_lines(path), str(path))
    if not captions:
        raise DescriptorFault(str(path), 0, "There is no labelled caption in this file.")
    name, labels = inventory_of({label for caption in captions for label in caption.labels})
    return name, labels, captions


def inventory_of(used: set[str]) -> tuple[str, tuple[str, ...]]:
    """Name the smallest shipped inventory that has all these labels; else one made of them."""
    for name, labels in sorted(inventories().items(), key=lambda item: len(item[1])):
        if used <= set(labels):
            return name, labels
    own = (*sorted(used - {OUTSIDE}), OUTSIDE)
    return f"own-{len(own)}", own


_FILE = RESOURCES / "learned.txt"


def caption_digest(caption: AnnotatedCaption) -> str:
    """Sixteen hex digits that identify a caption's words, whatever their case and spaces."""
    return hashlib.sha256(caption.key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def caption_digests(sets: Sequence[LabelSet]) -> list[str]:
    """List the digests of captions in order, each once."""
    return sorted({caption_digest(caption) for part in sets for caption in part.captions})


@lru_cache(maxsize=1)
def digests_learned_by_shipped() -> frozenset[str]:
    """Digests of the captions that the shipped labeller learned from."""
    return frozenset(_FILE.read_text(encoding="ascii").split())
