"""Metrics in groups, for pages that show many of them."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from scoring.registry import FAMILIES

T = TypeVar("T")

# For families that the scorer had once.
OTHER = "Others"


def group_of(family: str) -> str:
    """The group of a metric family."""
    return FAMILIES[family].group if family in FAMILIES else OTHER


def grouped(items: Iterable[T], family: Callable[[T], str]) -> Iterator[tuple[str, tuple[T, ...]]]:
    """Items by the groups of their metric families; order within a group is kept."""
    found: dict[str, list[T]] = {}
    for item in items:
        found.setdefault(group_of(family(item)), []).append(item)
    titles = dict.fromkeys([*(info.group for info in FAMILIES.values()), OTHER])
    for title in titles:
        if title in found:
            yield title, tuple(found[title])
