"""Words and spans of a record, checked against its text and completed."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.formats.records import RecordFault
from annotation.spans import span_of, tokenized

Row = Mapping[str, Any]


def read_tokens(rows: object, text: str) -> list[dict[str, Any]]:
    """The words of a record; where it has none, the text is split here.

    Words stand in the order of the text and do not overlap; their offsets count
    code points. Raises ``RecordFault``.
    """
    if not rows:
        words = tokenized(text)
        if not words:
            raise RecordFault("The text has no words.", value=text, fix="Leave the record out.")
        return words
    if not isinstance(rows, list):
        raise RecordFault("Its tokens are not a list.", value=rows, fix="Leave tokens out.")
    tokens: list[dict[str, Any]] = []
    at = 0
    for number, row in enumerate(rows):
        token = _token(row, number, text, at)
        tokens.append(token)
        at = token["end"]
    return tokens


def _token(row: object, number: int, text: str, at: int) -> dict[str, Any]:
    fix = (
        "Offsets count code points, and the end is exclusive. You can also leave tokens out: "
        "Earmark makes them."
    )
    if not isinstance(row, dict):
        raise RecordFault(f"Token {number} is not an object.", value=row, fix=fix)
    start, end = whole_number(row.get("start")), whole_number(row.get("end"))
    if start is None or end is None or not at <= start < end <= len(text):
        raise RecordFault(
            f"Token {number} is outside the text or overlaps the previous one.", value=row, fix=fix
        )
    if row.get("text", text[start:end]) != text[start:end]:
        raise RecordFault(
            f"Token {number} differs from the text at its position.", value=row["text"], fix=fix
        )
    if row.get("id", number) != number or isinstance(row.get("id"), bool):
        raise RecordFault(
            f"Token {number} has a wrong id.", value=row["id"], fix="Ids must count up from 0."
        )
    space = row.get("ws")
    after = space if isinstance(space, bool) else text[end : end + 1].isspace()
    plain = {"text": text[start:end], "start": start, "end": end, "id": number, "ws": after}
    return {**row, **plain}


def read_spans(rows: object, tokens: Sequence[Row]) -> list[dict[str, Any]]:
    """The spans of a record in its order, with all offsets; they may nest or coincide.

    Raises ``RecordFault`` for the first that does not fit.
    """
    spans, faults = fitting_spans(rows, tokens)
    if faults:
        raise faults[0]
    return spans


def fitting_spans(
    rows: object, tokens: Sequence[Row]
) -> tuple[list[dict[str, Any]], list[RecordFault]]:
    """The spans of a record that fit its words, and what is wrong with each of the others.

    A span says where it is by words (``token_end`` inside), by characters (``end``
    outside), or by both, which then agree. Raises ``RecordFault`` for what is no list.
    """
    if not isinstance(rows, list):
        raise RecordFault(
            "Its spans are not a list.", value=rows, fix="Write [] if there are none."
        )
    starts = {token["start"]: number for number, token in enumerate(tokens)}
    ends = {token["end"]: number for number, token in enumerate(tokens)}
    spans, faults = [], []
    for number, row in enumerate(rows, 1):
        try:
            spans.append(_span(row, number, tokens, starts, ends))
        except RecordFault as fault:
            faults.append(fault)
    return spans, faults


def _span(
    row: object,
    number: int,
    tokens: Sequence[Row],
    starts: Mapping[Any, int],
    ends: Mapping[Any, int],
) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise RecordFault(
            f"Span {number} is not an object.", value=row, fix="Write start, end and label of it."
        )
    label = row.get("label")
    if not isinstance(label, str) or not label:
        raise RecordFault(f"Span {number} has no label.", value=row, fix="Remove it or label it.")
    words, chars = _ends(row, "token_start", "token_end"), _ends(row, "start", "end")
    if words is None:
        first, last = _words_at(chars, row, number, tokens, starts, ends)
        return span_of(first, last, label, tokens)
    _require_within(words, number, "word", len(tokens) - 1, row)
    by_chars = (None, None) if chars is None else (starts.get(chars[0]), ends.get(chars[1]))
    if ("start" in row or "end" in row) and by_chars != words:
        raise RecordFault(
            f"The words and the characters of span {number} differ.",
            value=row,
            fix="Offsets count code points, and token_end is the last word of the span.",
        )
    return span_of(*words, label, tokens)


def _words_at(
    chars: tuple[int, int] | None,
    row: Row,
    number: int,
    tokens: Sequence[Row],
    starts: Mapping[Any, int],
    ends: Mapping[Any, int],
) -> tuple[int, int]:
    """The first and the last word of a span that says its characters."""
    if chars is None:
        raise RecordFault(
            f"Span {number} does not say in whole numbers where it begins and ends.",
            value=row,
            fix="Write start and end in characters, or token_start and token_end in words.",
        )
    start, end = chars
    _require_within((start, end - 1), number, "character", tokens[-1]["end"] - 1, row)
    first, last = starts.get(start), ends.get(end)
    if first is None or last is None:
        there = [one for one in tokens if one["start"] < end and one["end"] > start]
        near = f": {there[0]['start']} to {there[-1]['end']}" if there else ""
        raise RecordFault(
            f"Span {number} does not begin and end at word boundaries.",
            value=row,
            fix=f"Make it cover whole words{near}.",
        )
    return first, last


def _ends(row: Row, *keys: str) -> tuple[int, int] | None:
    """Where a span begins and ends by these two keys; None where they are no whole numbers."""
    numbers = [
        int(one) if isinstance(one, float) and one.is_integer() else one
        for one in map(row.get, keys)
    ]
    first, last = map(whole_number, numbers)
    return None if first is None or last is None else (first, last)


def _require_within(place: tuple[int, int], number: int, what: str, most: int, row: Row) -> None:
    """Refuse a span by its first and last word or character that is reversed or out of range."""
    first, last = place
    if last < first:
        raise RecordFault(
            f"Span {number} ends before it begins.",
            value=row,
            fix="end is the character after the last one, token_end the last word.",
        )
    if first < 0 or last > most:
        raise RecordFault(
            f"Span {number} runs from {what} {first} to {last}, but the last {what} is {most}.",
            value=row,
            fix="Words and characters (code points) are counted from 0; token_end is the last "
            "word, end the character after the last one.",
        )


def whole_number(value: object) -> int | None:
    """A whole number, None for all else (bool is an int to Python and never a place)."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
