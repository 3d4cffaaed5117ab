"""Metrics in groups, for pages that show many of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_GROUPS = (
    ("Word sequences", ("bleu", "rouge_l", "meteor", "cider_d")),
    ("Scene graphs", ("spice", "spider", "spider_fl", "spice_plus", "spice_plus_emb")),
    ("Embeddings and fluency", ("sbert", "fluency", "fense", "bert_score")),
    ("Sound events", ("cb", "sbf")),
    ("Descriptors", ("aces",)),
    ("Corpus", ("vocab",)),
)
OTHER = "Others"
_GROUP_OF = {family: title for title, families in _GROUPS for family in families}


def group_of(family: str) -> str:
    """Name the group of a metric family."""
    return _GROUP_OF.get(family, OTHER)


def grouped(items: Iterable[T], family: Callable[[T], str]) -> Iterator[tuple[str, tuple[T, ...]]]:
    """Put items into the groups of their metric families; order within a group is kept."""
    found: dict[str, list[T]] = {}
    for item in items:
        found.setdefault(group_of(family(item)), []).append(item)
    for title in (*(title for title, _ in _GROUPS), OTHER):
        if title in found:
            yield title, tuple(found[title])
