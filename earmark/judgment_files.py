"""Files of judgments: which of two captions of a clip people prefer, as JSON or as a table.

JSON is in the form of AudioCaps-Eval: a list of items, each with "references" and pairs such as
"HC": [caption, caption, id, id, [votes]]. A table has a row for each pair, or for each vote, with
the columns of ``HEADER``. A vote is 1 for the first caption, -1 for the second, 0 for both alike.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from earmark.captions.caption_checks import check_caption
from earmark.captions.corpus import Clip
from earmark.captions.csv_rows import CsvRow, read_rows
from earmark.captions.decoding import decode
from earmark.captions.faults import FaultLog, ReadResult, in_quotes
from earmark.captions.file_layout import REFERENCE_LIMITS, Limits

FACETS = ("HC", "HI", "HM", "MM")
HEADER = "clip,kind,caption_a,caption_b,votes,reference_1,reference_2"
MOST_VOTES = 1_000
_PAIR = re.compile(r"(?:HC|HI|HM|MM)(?:_[0-9]{1,4})?")
_REFERENCE = re.compile(r"reference_[0-9]{1,4}")
_BETWEEN_VOTES = re.compile(r"[\s;/]+")
_VOTE = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{1,3})?")
_PREFERRED = {"a": 1.0, "b": -1.0, "both": 0.0}


@dataclass(frozen=True, slots=True)
class FiledPair:
    """Two captions of a clip, by its place, with what people said of them."""

    clip: int
    facet: str
    captions: tuple[str, str]
    votes: tuple[float, ...]

    @property
    def truth(self) -> float:
        """Greater than 0: the first is better; 0: people are evenly split."""
        return float(sum(self.votes))


@dataclass(frozen=True, slots=True)
class JudgmentFile:
    """The clips of a file, each once, and all pairs."""

    clips: tuple[Clip, ...]
    pairs: tuple[FiledPair, ...]


def read_judgment_file(data: bytes, limits: Limits = REFERENCE_LIMITS) -> ReadResult[JudgmentFile]:
    """Read judgments in UTF-8, or list what is wrong with them.

    ``limits.max_rows`` bounds the pairs, ``limits.max_candidates`` the references of a clip. Items
    of JSON with the same references are of one clip. Rows of a table with the same clip, kind and
    captions are votes on one pair.
    """
    faults = FaultLog()
    judgments = None
    with faults.listed():
        text = decode(data, faults, limits.max_bytes)
        if text is not None:
            filed = _Filed(limits, faults)
            read = _read_json if text.lstrip().startswith(("[", "{")) else _read_table
            read(text, filed)
            judgments = filed.file()
    return faults.reading(judgments)


def compared_references(
    facet: str, captions: tuple[str, str], references: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The references that each caption of a pair is scored against.

    HC: those other than itself; HI and HM: those other than the first caption; MM: all.
    """
    if facet == "MM":
        return references, references
    first, second = (tuple(text for text in references if text != caption) for caption in captions)
    return first, second if facet == "HC" else first


@dataclass(frozen=True, slots=True)
class _FiledAt:
    """Where something stands: what messages call it, and the line of a table."""

    where: str
    line: int | None = None


class _Filed:
    """What a file has said so far, and what is wrong with it."""

    def __init__(self, limits: Limits, faults: FaultLog) -> None:
        self.limits, self.faults = limits, faults
        self._clips: list[Clip] = []
        self._known: dict[object, int] = {}
        self._votes: dict[tuple[int, str, tuple[str, str], str], list[float]] = {}
        self._checked: set[str] = set()

    def error(self, message: str, place: _FiledAt, column: str, value: str = "") -> None:
        """Note an error at a place."""
        self.faults.error(message, place.line, column, value)

    def clip(
        self, key: object, name: str, references: tuple[str, ...], place: _FiledAt
    ) -> int | None:
        """The place of a clip, noted when it is first met; None where it cannot be used."""
        known, most = self._known.get(key), self.limits.max_candidates
        if known is not None and references in ((), self._clips[known].references):
            return known
        why = ""
        if known is not None:
            why = "The clip has other references in an earlier row. Repeat these or leave them out."
        elif not references:
            why = f"{place.where} has no list of reference captions. Add one or more."
        elif len(references) > most:
            why = (
                f"{place.where} has {len(references):,} references and the limit is {most}."
                " Remove some."
            )
        if why:
            self.error(why, place, "references", references[0] if references else "")
            return None
        for text in references:
            self._check(text, place, "references")
        self._clips.append(Clip(name, references))
        self._known[key] = len(self._clips) - 1
        return self._known[key]

    def votes(
        self,
        clip: int,
        facet: str,
        captions: tuple[str, str],
        votes: Sequence[float],
        place: _FiledAt,
        mark: str = "",
    ) -> None:
        """Note votes on a pair; ``mark`` tells pairs with the same captions apart."""
        for caption in captions:
            self._check(caption, place, "captions")
        if not all(compared_references(facet, captions, self._clips[clip].references)):
            why = f"Every reference of {place.where} is the judged caption itself. Add another."
            self.error(why, place, "references", captions[0])
        noted = self._votes.setdefault((clip, facet, captions, mark), [])
        noted.extend(votes)
        if len(noted) > MOST_VOTES:
            why = f"{place.where} has more than {MOST_VOTES:,} votes. Check the file."
            self.error(why, place, "votes")
            noted.clear()

    @property
    def full(self) -> bool:
        """Whether there are more pairs than the limit, which is noted then."""
        if len(self._votes) <= self.limits.max_rows:
            return False
        self.faults.error(f"The file has more than {self.limits.max_rows:,} pairs. Remove some.")
        return True

    def file(self) -> JudgmentFile:
        """All that was noted."""
        if not self._votes and not self.faults.failed:
            self.faults.error(f"The file has no pairs. The header of a table is {HEADER}.")
        pairs = (FiledPair(*key[:3], tuple(votes)) for key, votes in self._votes.items())
        return JudgmentFile(tuple(self._clips), tuple(pairs))

    def _check(self, text: str, place: _FiledAt, column: str) -> None:
        """Note what is wrong with a text, once."""
        if text in self._checked:
            return
        self._checked.add(text)
        own = FaultLog()
        check_caption(text, 1, column, self.limits, own)
        for fault in own.reading(None).faults:
            note = self.faults.error if fault.severity == "error" else self.faults.warning
            note(f"{place.where}: {fault.message}", place.line, column, text)


def _read_json(text: str, filed: _Filed) -> None:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        filed.faults.error(f"The file is not JSON ({error}). Write it again.")
        return
    if not isinstance(items, list) or not items:
        filed.faults.error("The judgments are not a list of items. Put the items between [ and ].")
        return
    for number, item in enumerate(items, start=1):
        _read_item(item if isinstance(item, dict) else {}, number, filed)
        if filed.full:
            return


def _read_item(item: dict[str, Any], number: int, filed: _Filed) -> None:
    place = _FiledAt(f"Item {number}")
    captions = tuple(item["references"]) if _all_texts(item.get("references")) else ()
    name = item.get("audio_id")
    shown = name if isinstance(name, str) else place.where
    clip = filed.clip(captions, shown, captions, place)
    if clip is None:
        return
    for key in sorted(key for key in item if _PAIR.fullmatch(key)):
        if item[key]:
            _read_pair(item[key], clip, key, _FiledAt(f"{key} of item {number}"), filed)


def _all_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _read_pair(row: Any, clip: int, key: str, place: _FiledAt, filed: _Filed) -> None:
    """Read a pair: two captions first, the votes last, whatever there is between them."""
    if not isinstance(row, list) or len(row) < 3 or not _all_texts(row[:2]):
        why = f"{place.where} is not a pair of captions with votes."
        filed.error(f"{why} Write [caption, caption, id, id, [votes]].", place, key, str(row)[:99])
    elif not isinstance(row[-1], list) or not all(
        isinstance(vote, int | float) and -MOST_VOTES <= vote <= MOST_VOTES for vote in row[-1]
    ):
        why = f"The votes of {place.where} are not a list of numbers."
        filed.error(f"{why} Write 1, 0 or -1 for each person.", place, key, str(row[-1])[:99])
    else:
        votes = [float(vote) for vote in row[-1]]
        filed.votes(clip, key[:2], (row[0], row[1]), votes, place, mark=place.where)


def _read_table(text: str, filed: _Filed) -> None:
    header = text.lstrip().partition("\n")[0]
    rows = read_rows(text, max(",\t;", key=header.count), filed.faults)
    first = next(rows, None)
    labels = [] if first is None else [field.strip().lower() for field in first.fields]
    missing = [name for name in ("clip", "caption_a", "caption_b") if name not in labels]
    if "votes" not in labels and "preferred" not in labels:
        missing.append("votes")
    for name in missing:
        why = f"The header has no column {in_quotes(name)}. It is {HEADER} and further references."
        filed.faults.error(why, first.line if first else 1, name, header[:99])
    if missing:
        return
    for row in rows:
        if len(row.fields) == len(labels):
            _read_row(row, labels, filed)
        elif not row.broken:
            why = f"The row has {len(row.fields)} fields and the header {len(labels)}."
            shown = ",".join(row.fields)[:99]
            filed.faults.error(f"{why} Give every row as many.", row.line, value=shown)
        if filed.full:
            return


def _read_row(row: CsvRow, labels: Sequence[str], filed: _Filed) -> None:
    cells = dict(zip(labels, (field.strip() for field in row.fields), strict=True))
    name, place = cells["clip"], _FiledAt("The row", row.line)
    references = [text for label, text in cells.items() if _REFERENCE.fullmatch(label) and text]
    facet = cells.get("kind", "").upper() or "MM"
    if not name:
        filed.error("The row has no clip. Name it.", place, "clip")
        return
    if facet not in FACETS:
        filed.error("This is no kind of pair. Use HC, HI, HM or MM.", place, "kind", facet)
        return
    clip, votes = filed.clip(name, name, tuple(references), place), _votes(cells, place, filed)
    if clip is not None and votes:
        filed.votes(clip, facet, (cells["caption_a"], cells["caption_b"]), votes, place)


def _votes(cells: dict[str, str], place: _FiledAt, filed: _Filed) -> list[float]:
    """The votes of a row; what is wrong with them is noted, and gives none."""
    written, preferred = cells.get("votes", ""), cells.get("preferred", "").lower()
    if not written and preferred in _PREFERRED:
        return [_PREFERRED[preferred]]
    parts = [part for part in _BETWEEN_VOTES.split(written) if part]
    if parts and all(map(_VOTE.fullmatch, parts)):
        return [float(part) for part in parts]
    why = "Write the votes as 1, 0 or -1 with spaces between them, or a, b or both as preferred."
    filed.error(why, place, "votes", written or preferred)
    return []
