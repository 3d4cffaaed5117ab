"""From the labels of one inventory to those of another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from annotation.services.schemes import SHIPPED


class NoMapping(ValueError):
    """Two inventories of which nobody wrote down how labels correspond."""

    def __init__(self, source: str, target: str) -> None:
        super().__init__(
            f"It is not known which labels of {target} those of {source} correspond to."
        )


@dataclass(frozen=True, slots=True)
class Relabelled:
    """Spans with the labels of another inventory, and what a person has to choose."""

    spans: tuple[dict[str, Any], ...]
    open_questions: tuple[str, ...]


Mapped = Mapping[str, tuple[str, ...]]


@cache
def mapping_between(source: str, target: str) -> Mapped:
    """Give what labels of one inventory become in another, or raise ``NoMapping``.

    Labels that are not listed keep their name; several values are those among which a
    person has to choose.
    """
    for row in yaml.safe_load((SHIPPED / "mappings.yaml").read_text()):
        if (row["from"], row["to"]) == (source, target):
            return {str(name): tuple(map(str, names)) for name, names in row["labels"].items()}
    raise NoMapping(source, target)


def relabelled(spans: Sequence[Mapping[str, Any]], mapping: Mapped, text: str) -> Relabelled:
    """Give each span its only equivalent; a span that has several is left out and asked about."""
    kept: list[dict[str, Any]] = []
    questions: list[str] = []
    for span in spans:
        names = mapping.get(span["label"], (span["label"],))
        if len(names) == 1:
            kept.append({**span, "label": names[0]})
        else:
            words = text[span["start"] : span["end"]]
            questions.append(f"\u201c{words}\u201d was {span['label']}: {' or '.join(names)}?")
    return Relabelled(tuple(kept), tuple(questions))
