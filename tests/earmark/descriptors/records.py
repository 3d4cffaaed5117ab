"""Labelled captions for tests, in Prodigy's form."""

import json
from collections.abc import Sequence
from typing import Any

SOUNDS = {
    "dog": "WHAT",
    "bird": "WHAT",
    "car": "WHAT",
    "man": "WHO",
    "woman": "WHO",
    "barks": "HOW",
    "sings": "HOW",
    "talks": "HOW",
    "street": "WHERE",
    "room": "WHAT/WHERE",
}


def record(text: str, spans: Sequence[tuple[int, int, str]], **more: Any) -> dict[str, Any]:
    """Make a record from a text and (first token, last token, label)."""
    tokens: list[dict[str, Any]] = []
    start = 0
    for number, word in enumerate(text.split()):
        start = text.index(word, start)
        tokens.append({"text": word, "start": start, "end": start + len(word), "id": number})
        start += len(word)
    listed = [
        {
            "start": tokens[first]["start"],
            "end": tokens[last]["end"],
            "token_start": first,
            "token_end": last,
            "label": label,
        }
        for first, last, label in spans
    ]
    return {"text": text, "spans": listed, "tokens": tokens, **more}


def by_word(text: str, **more: Any) -> dict[str, Any]:
    """Make a record whose words are labelled as in ``SOUNDS``."""
    spans = [(i, i, SOUNDS[w]) for i, w in enumerate(text.split()) if w in SOUNDS]
    return record(text, spans, **more)


def lines(records: Sequence[dict[str, Any]]) -> str:
    """Write records as JSON lines."""
    return "".join(json.dumps(one) + "\n" for one in records)


def filled(form: str) -> str:
    """Write a caption for each sound, way and place; they are near one another."""
    return lines(
        [
            by_word(form.format(who=who, how=how, where=where))
            for who in ("dog", "bird", "man", "woman")
            for how in ("barks", "sings", "talks")
            for where in ("street", "room")
        ]
    )


SMALL = filled("a {who} {how} in the {where}")
OTHER_WORDS = filled("from one {where} nearby some kind of {who} {how} again")
