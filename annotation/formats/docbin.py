"""spaCy's DocBin: documents with spans, for ``spacy train``, and captions read from them.

What is read is taken apart here, and not by spaCy: it unpacks whatever size a file claims to have,
and trusts every number in it.
"""

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from annotation.formats.offsets import fitting_spans, read_tokens
from annotation.formats.plain_text import LARGEST
from annotation.formats.records import (
    ExportRow,
    Record,
    RecordFault,
    SkippedLine,
    meta_in_order,
    require_answer,
    require_storable,
    require_text,
    winners,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab


# The key under which spaCy's span categoriser looks for spans.
SPANS_KEY = "sc"
PIECE = 65536


def write(works: Iterable[ExportRow]) -> Iterator[bytes]:
    """Write all works as one DocBin, read with ``DocBin(store_user_data=True)``.

    Its text is packed as a whole, so it is made before the first piece is given.
    """
    from spacy.lang.en import English
    from spacy.tokens import DocBin
    from spacy.vocab import create_vocab

    # The one of ``spacy.blank("en")``, without the rules by which that cuts text into words.
    vocab = create_vocab("en", English.Defaults)
    packed = DocBin(store_user_data=True)
    for work in works:
        packed.add(document(work, vocab))
    data = packed.to_bytes()
    for start in range(0, len(data), PIECE):
        yield data[start : start + PIECE]


def document(work: ExportRow, vocab: "Vocab") -> "Doc":
    """Make a document whose text is the caption's, character for character.

    All spans stand in ``doc.spans["sc"]``; ``doc.ents`` has those words of each
    that no later span covers, as entities cannot overlap. White space beyond one
    space becomes a word of its own, as spaCy has it.
    """
    from spacy.tokens import Doc, Span

    words, spaces, places = with_gaps(work)
    doc = Doc(vocab, words=words, spaces=spaces)
    doc.user_data["annotator"] = work.annotator
    doc.user_data["answer"] = work.answer
    doc.user_data["meta"] = json.loads(json.dumps(meta_in_order(work)), parse_int=_packable)
    doc.spans[SPANS_KEY] = [
        Span(doc, places[span["token_start"]], places[span["token_end"]] + 1, label=span["label"])
        for span in work.spans
    ]
    doc.ents = [
        Span(doc, places[first], places[last] + 1, label=work.spans[number]["label"])
        for first, last, number in _runs(winners(work.spans, len(work.tokens)))
    ]
    return doc


def _packable(digits: str) -> int | str:
    """A whole number that the format can hold, else its digits."""
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else digits


def with_gaps(work: ExportRow) -> tuple[list[str], list[bool], list[int]]:
    """Words that make up the whole text, whether a space follows, and each token's place."""
    words: list[str] = []
    spaces: list[bool] = []
    places: list[int] = []
    at = 0
    for token in work.tokens:
        _fill(work.text[at : int(token["start"])], words, spaces)
        places.append(len(words))
        words.append(str(token["text"]))
        spaces.append(False)
        at = int(token["end"])
    _fill(work.text[at:], words, spaces)
    return words, spaces, places


def _fill(gap: str, words: list[str], spaces: list[bool]) -> None:
    if words and gap.startswith(" "):
        spaces[-1] = True
        gap = gap[1:]
    if gap:
        words.append(gap)
        spaces.append(False)


def _runs(numbers: Sequence[int | None]) -> Iterator[tuple[int, int, int]]:
    """First word, last word and number of each run of words with the same span."""
    first = 0
    for word, number in enumerate(numbers):
        if word + 1 == len(numbers) or numbers[word + 1] != number:
            if number is not None:
                yield first, word, number
            first = word + 1


_SPAN = struct.Struct(">QQQllll")
_MOST_STRINGS = 1_000_000
_NO_DOCBIN = "The file is not a DocBin, or it is damaged."
_FIX = "Write it again with spaCy's DocBin(store_user_data=True)."
# What unpacking raises for what is no message, and what its parts raise where they do not fit.
_UNFIT = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)


def read(file: IO[bytes]) -> Iterator[Record | SkippedLine]:
    """Read a caption from each document, counted from 1 as lines are.

    Its spans are those of ``doc.spans["sc"]``; a document without them is a caption to be
    labelled. Words of white space alone are none, unless a span begins or ends with them.
    """
    try:
        documents = _Documents(_message(_unpacked(file.read(LARGEST + 1))))
    except (*_UNFIT, struct.error, zlib.error):
        yield SkippedLine.because(1, RecordFault(_NO_DOCBIN, fix=_FIX))
        return
    for number in range(len(documents)):
        try:
            yield documents.record(number)
        except RecordFault as fault:
            yield SkippedLine.because(number + 1, fault)
        except (*_UNFIT, struct.error):
            unfit = RecordFault(f"Document {number + 1} cannot be read.", fix=_FIX)
            yield SkippedLine.because(number + 1, unfit)


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(data, LARGEST)
    if not unpacker.eof:
        raise ValueError("It is too long, or it ends too early.")
    return content


def _message(data: bytes) -> Any:
    """Unpack a message of plain values: no hook of spaCy's, which builds arrays, is called."""
    from srsly import msgpack  # type: ignore[import-untyped]

    return msgpack.unpackb(data, raw=False, object_pairs_hook=dict)


class _Documents:
    """The documents of a DocBin; raises errors of many kinds where its parts do not fit."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        from spacy.attrs import ENT_TYPE, ORTH
        from spacy.strings import get_string_id

        strings: list[str] = [one for one in message["strings"] if isinstance(one, str)]
        if len(strings) > _MOST_STRINGS:
            raise ValueError
        self._strings = {int(get_string_id(one)): one for one in strings}
        attributes = list(message["attrs"])
        lengths = np.frombuffer(message["lengths"], "<i4")
        rows = np.frombuffer(message["tokens"], "<u8").reshape(-1, len(attributes))
        self._spaces = np.frombuffer(message["spaces"], np.uint8).astype(bool)
        self._words = rows[:, attributes.index(ORTH)]
        types = rows[:, attributes.index(ENT_TYPE)] if ENT_TYPE in attributes else None
        self._named = np.zeros(len(rows), bool) if types is None else types != 0
        if (lengths < 0).any() or not lengths.sum() == len(self._words) == len(self._spaces):
            raise ValueError
        self._ends = np.cumsum(lengths, dtype=np.int64)
        self._groups: Sequence[bytes] = message["span_groups"]
        self._flags: Sequence[Mapping[str, Any]] = message.get("flags", [{}] * len(lengths))
        self._told: Sequence[bytes | None] = message.get("user_data", [None] * len(lengths))

    def __len__(self) -> int:
        return len(self._ends)

    def record(self, number: int) -> Record:
        """The caption of a document, from 0."""
        first, end = int(self._ends[number - 1]) if number else 0, int(self._ends[number])
        words = [self._strings[int(word)] for word in self._words[first:end]]
        spaces = [bool(space) for space in self._spaces[first:end]]
        if self._flags[number].get("has_unknown_spaces"):
            spaces = [True] * len(words)
        text = require_text("".join(w + " " * s for w, s in zip(words, spaces, strict=True)))
        spans, faults = self._spans(number), list[RecordFault]()
        places = _places(words, spaces, spans or ())
        tokens = read_tokens(list(places.values()), text)
        if spans is not None:
            rows = [_by_characters(span, places) for span in spans]
            spans, faults = fitting_spans(rows, tokens)
        details = {} if self._told[number] is None else _message(self._told[number] or b"")
        meta = details.get("meta")
        require_storable([text, meta, spans])
        return Record(
            line=number + 1,
            text=text,
            tokens=tokens,
            meta=meta if isinstance(meta, dict) else {},
            spans=spans,
            answer=require_answer(details.get("answer", "accept")),
            person=_person(details.get("annotator")),
            unread=self._unread(number, spans),
            left_out=[SkippedLine.because(number + 1, fault) for fault in faults],
        )

    def _unread(self, number: int, spans: object) -> list[str]:
        """What else of a document looks like labels: other groups, and entities without spans."""
        packed = self._groups[number]
        groups: Mapping[bytes, Sequence[str]] = _message(packed) if packed else {}
        unread = [f"spans[{key}]" for names in groups.values() for key in names if key != SPANS_KEY]
        start = int(self._ends[number - 1]) if number else 0
        named = spans is None and self._named[start : int(self._ends[number])].any()
        return [*unread, "ents"] if named else unread

    def _spans(self, number: int) -> list[dict[str, Any]] | None:
        """Spans by their first and last word; None where a document has no group of them."""
        packed = self._groups[number]
        groups = _message(packed) if packed else []
        if not isinstance(groups, dict):
            return None
        for group, keys in groups.items():
            if SPANS_KEY in keys:
                rows = [_SPAN.unpack(row) for row in _message(group)["spans"]]
                return [
                    {"first": start, "last": end - 1, "label": self._strings.get(label)}
                    for _, _, label, start, end, _, _ in rows
                ]
        return None


def _person(name: object) -> str:
    require_storable(name)
    return name if isinstance(name, str) else ""


def _places(
    words: Sequence[str], spaces: Sequence[bool], spans: Sequence[Mapping[str, Any]]
) -> dict[int, dict[str, int]]:
    """Where the words stand in the text, by their number in the document."""
    edges = {span[edge] for span in spans for edge in ("first", "last")}
    places, at = {}, 0
    for number, (word, space) in enumerate(zip(words, spaces, strict=True)):
        if word and (number in edges or not word.isspace()):
            places[number] = {"start": at, "end": at + len(word)}
        at += len(word) + space
    return places


def _by_characters(
    span: Mapping[str, Any], places: Mapping[int, Mapping[str, int]]
) -> dict[str, Any]:
    if not {span["first"], span["last"]} <= places.keys():
        return {"token_start": span["first"], "token_end": span["last"], "label": span["label"]}
    first, last = places[span["first"]], places[span["last"]]
    return {"start": first["start"], "end": last["end"], "label": span["label"]}
