"""Judging pairs: which of two captions describes a sound better, or whether both do alike.

As the human judgments of FENSE were gathered (Zhou et al., 2022, section 3).
"""

import hashlib
from collections.abc import Callable
from typing import Any

from annotation.kinds.caption_texts import NOT_HEARD
from annotation.kinds.judge.drawing import SYSTEMS
from annotation.kinds.names import JUDGE
from annotation.kinds.work_kind import AnswerFault, ItemFields, ShownItem, Value, WorkKind, WorkTask

FIRST, SECOND, ALIKE = "a", "b", "alike"
SIDES = (FIRST, SECOND)
CHOICES = (FIRST, SECOND, ALIKE)
# What there is of a pair.
PAIR = ("facet", "captions", "sources")


class Judge(WorkKind):
    """A choice between the captions "a" and "b" of a pair, shown in an order of each person's own.

    ``item.content`` has ``captions``, the texts of a and b; where they come from (``sources``) and
    what is compared (``facet``) is kept from those who judge.
    """

    name = JUDGE
    title = "Judge pairs"
    summary = "People hear a sound and say which of two captions describes it better."
    act = "Judge"
    items = "pairs"
    people = 4
    option_labels = {"with_sound": "Pairs without a sound"}
    option_choices = {
        "with_sound": {1: "Can only be skipped", 0: "Can be judged by the captions alone"}
    }
    items_page = "pairs"
    widest = {"with_sound": 0}

    def content(self, stored: Value) -> dict[str, Any]:
        """``captions``, ``facet`` and ``sources``, as pairs are drawn."""
        facet, captions, sources = (stored.get(name) for name in PAIR)
        if stored.keys() != set(PAIR) or not (isinstance(facet, str) and facet in SYSTEMS):
            raise AnswerFault(f"A pair has {', '.join(PAIR)}, and is one of {', '.join(SYSTEMS)}.")
        if not _two(captions, lambda text: isinstance(text, str)):
            raise AnswerFault("A pair has two captions.")
        if not _two(sources, _is_source):
            raise AnswerFault("A pair says of both captions which clip or system they are of.")
        if sum("system" in source for source in sources or ()) != SYSTEMS[facet]:
            raise AnswerFault(f"A pair {facet} has {SYSTEMS[facet]} captions of systems.")
        return dict(stored)

    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """Both texts in the order in which this person sees them, each with its key."""
        texts = captions_of(item)
        captions = [{"key": key, "text": texts[key]} for key in order_for(item, user)]
        first, second = (row["text"] for row in captions)
        return ShownItem(f"First: {first} Second: {second}", content={"captions": captions})

    def options(self, stored: Value) -> Value:
        """``with_sound``: 1 where only what has a sound can be judged, as it is at first, or 0."""
        with_sound = stored.get("with_sound", 1)
        if type(with_sound) is not int or with_sound not in (0, 1):
            raise AnswerFault(f"with_sound is 0 or 1, and not {with_sound!r}.")
        return {"with_sound": with_sound}

    def checked(self, value: Value, task: WorkTask, *, complete: bool) -> dict[str, Any]:
        """``choice``, one of "a", "b" and "alike", and ``heard``: true of all that has a sound."""
        choice, heard = value.get("choice", ""), value.get("heard") is True
        if choice not in ("", *CHOICES):
            raise AnswerFault('The choice is "a", "b" or "alike". Choose one of them.')
        if complete and not choice:
            raise AnswerFault("Choose the better caption, or say that both are alike.")
        if complete and not heard and (task.options["with_sound"] or task.has_sound()):
            raise AnswerFault(NOT_HEARD.format(act="judge"))
        return {"choice": choice, "heard": heard}

    def said(self, value: Value) -> str:
        """The choice by the keys of the captions, as managers see them."""
        return {FIRST: "A is better", SECOND: "B is better", ALIKE: "Both alike"}.get(
            str(value.get("choice", "")), ""
        )

    def said_as_shown(self, value: Value, shown: ShownItem) -> str:
        """The choice by the order in which its maker saw the captions."""
        choice = value.get("choice", "")
        keys = [row["key"] for row in shown.content["captions"]]
        if choice in keys:
            return f"{('The first', 'The second')[keys.index(choice)]} is better"
        return self.said(value)


def _two(rows: object, fits: Callable[[Any], bool]) -> bool:
    return isinstance(rows, list) and len(rows) == len(SIDES) and all(fits(row) for row in rows)


def _is_source(row: object) -> bool:
    """Whether this says where a caption is from (``drawing.DrawnPair``)."""
    if not isinstance(row, dict):
        return False
    if row.keys() == {"system"}:
        return isinstance(row["system"], str)
    numbers = all(type(number) is int and number >= 0 for number in row.values())
    return row.keys() == {"clip", "reference"} and numbers


def captions_of(item: ItemFields) -> dict[str, str]:
    """The texts of a pair by their keys."""
    first, second = item.content["captions"]
    return {FIRST: str(first), SECOND: str(second)}


def order_for(item: ItemFields, user: int) -> tuple[str, str]:
    """The keys of a pair in the order in which ``user`` sees its captions: always the same one."""
    drawn = hashlib.sha256(f"{item.key}:{user}".encode()).digest()[0] % 2
    return (FIRST, SECOND) if drawn else (SECOND, FIRST)


KIND = Judge()
