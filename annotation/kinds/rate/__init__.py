"""Rating captions: listen to a sound and say how accurate and fluent each caption of it is.

As Clotho's captions were chosen (Drossos, Lipping, Virtanen, 2020, section 2.2): whole numbers
from 1 to 4 for both, by people who do not know who wrote what.
"""

import hashlib
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from annotation.kinds.caption_texts import NOT_HEARD
from annotation.kinds.names import EDIT, RATE, WRITE
from annotation.kinds.work_kind import AnswerFault, ItemFields, ShownItem, Value, WorkKind, WorkTask
from earmark.captions.faults import count_of, in_quotes

KEEP = 5
KEPT = range(1, 101)
# What a caption is rated by, in the order in which it is.
SCALES = ("accuracy", "fluency")
LOWEST, HIGHEST = 1, 4
# What everybody gives a caption that takes the place of a refused one.
GOOD_ENOUGH = 3

Ratings = Mapping[str, Mapping[str, int]]


class RateCaptions(WorkKind):
    """Two numbers for each version of the captions of a sound, by somebody who has heard it.

    The ``content`` of an item is ``captions``: each a ``text``, and in ``annotations`` the ids of
    the answers that said it.
    """

    name = RATE
    title = "Rate captions"
    summary = "People listen to sounds and rate all captions of each; the best ones are kept."
    act = "Rate"
    items = "sounds"
    option_labels = {"keep": "Captions of a sound that are kept"}
    people = 3
    sources = (EDIT, WRITE)
    widest = {"keep": KEPT[0]}

    def content(self, stored: Value) -> dict[str, Any]:
        """``captions``, each with its ``text`` and ``annotations``."""
        rows = stored.get("captions")
        if stored.keys() != {"captions"} or not isinstance(rows, list):
            raise AnswerFault("An item to rate has captions.")
        return {"captions": [_version(row) for row in rows]}

    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """A number, and the captions in an order drawn for the item and the person."""
        captions = [{"key": caption_key(text), "text": text} for text in caption_texts(item)]
        # Seeded by text: the same in every process, and whenever the person comes back.
        Random(f"{item.key}:{user}").shuffle(captions)  # noqa: S311 an order, no secret
        return ShownItem(f"Sound {item.position + 1}", content={"captions": captions})

    def options(self, stored: Value) -> Value:
        """``keep``: how many captions of a sound are kept, 5 where nothing is set."""
        keep = stored.get("keep", KEEP)
        if type(keep) is not int or keep not in KEPT:
            raise AnswerFault(
                f"{keep} captions of a sound cannot be kept. Choose a whole number from "
                f"{KEPT[0]} to {KEPT[-1]}."
            )
        return {"keep": keep}

    def checked(self, value: Value, task: WorkTask, *, complete: bool) -> dict[str, Any]:
        """``ratings`` by the keys of the captions, in the order of the item; ``heard`` true."""
        rows, heard = value.get("ratings", {}), value.get("heard") is True
        if not isinstance(rows, dict):
            raise AnswerFault(f"Ratings are an object by the keys of captions, not {rows!r:.40}.")
        texts = {caption_key(text): text for text in caption_texts(task.item)}
        ratings = {
            key: _rating(rows.get(key, {}), text, complete=complete) for key, text in texts.items()
        }
        if unknown := set(rows) - set(texts):
            raise AnswerFault(
                f"No caption of this sound has the key {in_quotes(min(unknown))}. Look at the "
                "sound again: its captions may have changed."
            )
        if complete and not heard:
            raise AnswerFault(NOT_HEARD.format(act="rate its captions"))
        return {"ratings": {key: row for key, row in ratings.items() if row}, "heard": heard}

    def said(self, value: Value) -> str:
        """How many captions were rated, and the numbers in the order of the item."""
        rows: Ratings = value.get("ratings", {})
        if not rows:
            return ""
        lists = (
            f"{scale} {', '.join(str(row.get(scale, 'none')) for row in rows.values())}"
            for scale in SCALES
        )
        return f"{count_of(len(rows), 'caption')} rated: {'; '.join(lists)}"


def caption_texts(item: ItemFields) -> list[str]:
    """The versions of captions that are rated, in the order of the item."""
    rows: Sequence[Mapping[str, Any]] = item.content.get("captions", [])
    return [str(row["text"]) for row in rows]


def caption_key(text: str) -> str:
    """What a version is known by, wherever it stands; it tells nothing of who wrote it."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _version(row: object) -> dict[str, Any]:
    """A version of an item as it is stored; raises ``AnswerFault``."""
    version = row if isinstance(row, dict) else {}
    text, answers = version.get("text"), version.get("annotations")
    numbers = isinstance(answers, list) and all(type(number) is int for number in answers)
    if len(version) != 2 or not isinstance(text, str) or not numbers:
        raise AnswerFault("A caption to rate has a text, and the numbers of answers that say it.")
    return dict(version)


def _rating(row: object, text: str, *, complete: bool) -> dict[str, int]:
    """The numbers of one caption; raises ``AnswerFault``."""
    if not isinstance(row, dict):
        raise AnswerFault(
            f"The rating of {in_quotes(text)} cannot be {row!r:.40}. Give {' and '.join(SCALES)}."
        )
    rating: dict[str, int] = {}
    for scale in SCALES:
        number = row.get(scale)
        if number is None and not complete:
            continue
        if type(number) is not int or not LOWEST <= number <= HIGHEST:
            fault = "is missing" if number is None else f"cannot be {number!r:.40}"
            raise AnswerFault(
                f"The {scale} of {in_quotes(text)} {fault}. Rate it with a whole number from "
                f"{LOWEST} to {HIGHEST}."
            )
        rating[scale] = number
    return rating


KIND = RateCaptions()
