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

    A span says where it is by words (``token_end`` inside), by characters (``end``
    outside), or by both, which then agree. Raises ``RecordFault``.
    """
    if not isinstance(rows, list):
        raise RecordFault(
            "Its spans are not a list.", value=rows, fix="Write [] if there are none."
        )
    starts = {token["start"]: number for number, token in enumerate(tokens)}
    ends = {token["end"]: number for number, token in enumerate(tokens)}
    return [_span(row, number, tokens, starts, ends) for number, row in enumerate(rows, 1)]


def _span(
    row: object,
    number: int,
    tokens: Sequence[Row],
    starts: Mapping[Any, int],
    ends: Mapping[Any, int],
) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise RecordFault(f"Span {number} is not an object.", value=row)
    label = row.get("label")
    if not isinstance(label, str) or not label:
        raise RecordFault(f"Span {number} has no label.", value=row, fix="Remove it or label it.")
    by_chars = _word_at(row.get("start"), starts), _word_at(row.get("end"), ends)
    first, last = whole_number(row.get("token_start")), whole_number(row.get("token_end"))
    if first is None or last is None:
        first, last = by_chars
        if first is None or last is None:
            raise RecordFault(
                f"Span {number} does not begin and end at word boundaries.",
                value=row,
                fix="Make it cover whole words.",
            )
    if not 0 <= first <= last < len(tokens):
        raise RecordFault(
            f"Span {number} runs from word {first} to {last}, but there are only {len(tokens)} "
            "words.",
            value=row,
            fix="Words are counted from 0, and token_end is the last word of the span.",
        )
    if ("start" in row or "end" in row) and by_chars != (first, last):
        raise RecordFault(
            f"The words and the characters of span {number} differ.",
            value=row,
            fix="Offsets count code points, and token_end is the last word of the span.",
        )
    return span_of(first, last, label, tokens)


def _word_at(place: object, words: Mapping[Any, int]) -> int | None:
    # Lists and objects are no keys.
    return words.get(place) if isinstance(place, int | float) else None


def whole_number(value: object) -> int | None:
    """A whole number, None for all else (bool is an int to Python and never a place)."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
