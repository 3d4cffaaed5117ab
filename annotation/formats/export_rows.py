"""What is written to files: one person's labels of one caption, as plain values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One person's labels of one caption.

    ``number`` is the caption's place in its project. ``tokens`` and ``spans`` are
    Prodigy's. ``line`` is the line of a file that it was imported from, without
    its line end, and ``changed`` tells whether it was edited since. ``carried`` is
    JSON text of the keys of an imported record that mean nothing here. ``taken`` are the
    spans that were taken from a suggestion, each with its ``labeller``. ``inventory`` is
    that from which the labels came where it is not the project's.
    """

    number: int
    text: str
    tokens: Sequence[Mapping[str, Any]]
    spans: Sequence[Mapping[str, Any]]
    annotator: str
    at: datetime
    meta: Mapping[str, Any] = field(default_factory=dict)
    answer: str = "accept"
    flagged: bool = False
    comment: str = ""
    line: str = ""
    changed: bool = False
    carried: str = ""
    taken: Sequence[Mapping[str, Any]] = ()
    inventory: str = ""


def meta_in_order(work: ExportRow) -> dict[str, Any]:
    """The caption's meta with its keys in order, which databases do not keep."""
    found: dict[str, Any] = json.loads(json.dumps(work.meta, sort_keys=True))
    return found


def winners(spans: Sequence[Mapping[str, Any]], words: int) -> list[int | None]:
    """For each word the number of the span that labels it; of several, the last."""
    found: list[int | None] = [None] * words
    for number, span in enumerate(spans):
        for word in range(int(span["token_start"]), int(span["token_end"]) + 1):
            found[word] = number
    return found
