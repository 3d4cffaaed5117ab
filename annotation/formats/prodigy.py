"""Prodigy's JSONL: one record a line, out as it came in."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from murmurhash import hash as murmurhash

from annotation.formats import word_labels
from annotation.formats.offsets import fitting_spans, read_tokens
from annotation.formats.records import (
    ExportRow,
    Record,
    RecordFault,
    SkippedLine,
    meta_in_order,
    moment,
    numbered_lines,
    require_answer,
    require_storable,
    require_text,
)
from annotation.formats.word_labels import unread_labels
from annotation.spans import PLACE, place_of, read_taken

# What has a meaning here; everything else of a record is carried along.
_OF_TASKS = {"text", "tokens", "spans", "meta", "answer"}
_OF_SESSIONS = {"_timestamp", "_view_id", "_annotator_id", "_session_id"}
# Which spans were taken from a suggestion, and whose.
SUGGESTED = "_suggested"
# From which inventory the labels were mapped: another than that of the project they stood in.
INVENTORY = "_inventory"
LONGEST_INVENTORY = 50
KNOWN = _OF_TASKS | _OF_SESSIONS | {"flagged", "comment", INVENTORY}
# A record with none of these is a plain one: all it has besides its text is meta.
_SIGNS = (_OF_TASKS - {"text"}) | _OF_SESSIONS | {"_input_hash", "_task_hash"}
_COMPACT: dict[str, Any] = {"separators": (",", ":")}
_STYLES: tuple[dict[str, Any], ...] = (
    _COMPACT,
    {},
    {**_COMPACT, "ensure_ascii": False},
    {"ensure_ascii": False},
)


def read(file: IO[bytes]) -> Iterator[Record | SkippedLine]:
    """Read a file record by record; lines that cannot be taken come with value, reason and fix."""
    for row in numbered_lines(file):
        if isinstance(row, SkippedLine):
            yield row
            continue
        number, line = row
        try:
            yield read_line(line, number)
        except RecordFault as fault:
            yield SkippedLine.because(number, fault)


def read_line(line: str, number: int = 1) -> Record:
    """Read one record, or raise ``RecordFault``."""
    row = _object(line)
    require_storable(row)
    text = require_text(row["text"] if "text" in row else row.get("caption"))
    if word_labels.has_word_labels(row):
        return word_labels.read_json_row(row, text, number)
    if _SIGNS.isdisjoint(row):
        rest = {key: value for key, value in row.items() if key not in ("text", "caption")}
        tokens = read_tokens(None, text)
        unread = [*unread_labels(rest, len(tokens))]
        return Record(number, text, tokens, rest, source=line, unread=unread)
    tokens = read_tokens(row.get("tokens"), text)
    labels = "spans" in row or "answer" in row
    spans, faults = fitting_spans(row.get("spans") or [], tokens)
    meta, unknown = row.get("meta"), _unknown(row)
    return Record(
        line=number,
        text=text,
        tokens=tokens,
        meta=meta if isinstance(meta, dict) else {},
        spans=spans if labels else None,
        answer=require_answer(row.get("answer", "accept")),
        person=_person(row),
        at=moment(row.get("_timestamp")),
        flagged=row.get("flagged") is True,
        comment=row["comment"] if isinstance(row.get("comment"), str) else "",
        source=line,
        carried=json.dumps(unknown, **_COMPACT) if unknown else "",
        taken=read_taken(row.get(SUGGESTED)) or [],
        inventory=_inventory(row),
        unread=[*unread_labels(unknown, len(tokens))],
        left_out=[SkippedLine.because(number, fault) for fault in faults],
    )


def _object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordFault(
            "The line is not valid JSON.", value=line, fix="Write one JSON object on each line."
        ) from error
    if not isinstance(row, dict):
        raise RecordFault(
            "The line is not a JSON object.", value=line, fix='Write {"text": "..."}.'
        )
    return row


def _person(row: Mapping[str, Any]) -> str:
    """Who made a record: its session, as one annotator's id may stand for several people."""
    for key in ("_session_id", "_annotator_id"):
        value = row.get(key)
        if isinstance(value, str | int) and str(value):
            return str(value)
    return ""


def _inventory(row: Mapping[str, Any]) -> str:
    value = row.get(INVENTORY)
    return value[:LONGEST_INVENTORY] if isinstance(value, str) else ""


def _unknown(row: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in row.items() if key not in KNOWN}
    # It tells of one person's work, and the others on this caption do not get it as theirs.
    if read_taken(rest.get(SUGGESTED)) is not None:
        del rest[SUGGESTED]
    return rest


def write(works: Iterable[ExportRow], dataset: str) -> Iterator[str]:
    """Write records, one line each with its line end, the same for the same data."""
    for work in works:
        yield write_line(work, dataset) + "\n"


def write_line(work: ExportRow, dataset: str) -> str:
    """Write one record: as it came where it came from a file and was not changed since."""
    if not work.line:
        return json.dumps(_own(work, dataset), **_COMPACT)
    return _changed(work) if work.changed else work.line


def says(line: str, spans: Sequence[Mapping[str, Any]], inventory: str) -> bool:
    """Whether a line has just these labels, in this order, by this inventory."""
    row = _object(line)
    labels = [span["label"] for span in row.get("spans") or ()]
    return (labels, row.get(INVENTORY) or "") == ([span["label"] for span in spans], inventory)


def _own(work: ExportRow, dataset: str) -> dict[str, Any]:
    """A record with Prodigy's keys in its order."""
    carried: dict[str, Any] = json.loads(work.carried) if work.carried else {}
    of_input = carried.pop("_input_hash", None)
    if of_input is None:
        of_input = input_hash(work.text)
    of_task = carried.pop("_task_hash", None)
    session = f"{dataset}-{work.annotator}"
    return {
        "text": work.text,
        **({"meta": meta_in_order(work)} if work.meta else {}),
        **carried,
        "_input_hash": of_input,
        "_task_hash": task_hash(of_input) if of_task is None else of_task,
        "tokens": [_in_order(token, TOKEN_KEYS) for token in work.tokens],
        "_view_id": "spans_manual",
        "spans": [_in_order(span, SPAN_KEYS) for span in work.spans],
        **_suggested(work),
        "answer": work.answer,
        **_remarks(work),
        "_timestamp": int(work.at.timestamp()),
        "_annotator_id": session,
        "_session_id": session,
    }


def _suggested(work: ExportRow) -> dict[str, Any]:
    """The spans taken from a suggestion under their key; nothing where there are none."""
    if not work.taken:
        return {}
    return {SUGGESTED: [_in_order(row, (*PLACE, "labeller")) for row in work.taken]}


TOKEN_KEYS = ("text", "start", "end", "id", "ws")
SPAN_KEYS = ("start", "end", "token_start", "token_end", "label")


def _in_order(row: Mapping[str, Any], first: tuple[str, ...]) -> dict[str, Any]:
    """Order the keys, which databases do not keep in order."""
    rest = sorted(set(row) - set(first))
    return {key: row[key] for key in (*first, *rest) if key in row}


def _remarks(work: ExportRow) -> dict[str, Any]:
    flagged = {"flagged": True} if work.flagged else {}
    return {**flagged, **({"comment": work.comment} if work.comment else {})}


def _changed(work: ExportRow) -> str:
    """The record of the file with what was changed since; all else stays."""
    row = _object(work.line)
    style = next((one for one in _STYLES if json.dumps(row, **one) == work.line.strip()), _COMPACT)
    # Spans that the file had keep all their keys.
    rows = row.get("spans") or []
    known = {place_of(span): one for one in rows for span in fitting_spans([one], work.tokens)[0]}
    row["spans"] = [known.get(place_of(one)) or _in_order(one, SPAN_KEYS) for one in work.spans]
    if read_taken(row.get(SUGGESTED)) is not None:
        del row[SUGGESTED]
    row |= _suggested(work)
    row["answer"] = work.answer
    row.pop(INVENTORY, None)
    if work.inventory:
        row[INVENTORY] = work.inventory
    for key in ("flagged", "comment"):
        row.pop(key, None)
    row |= _remarks(work)
    row["_timestamp"] = int(work.at.timestamp())
    return json.dumps(row, **style)


def input_hash(text: str) -> int:
    """Hash a text as Prodigy does."""
    return int(murmurhash("text=" + json.dumps(text)))


def task_hash(of_input: int) -> int:
    """Hash the task of labelling an input from nothing."""
    return int(murmurhash(f"{of_input}spans=[]"))
