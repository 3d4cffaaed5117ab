"""Names that nothing else has yet."""

from collections.abc import Callable
from itertools import chain, count


def first_free(first: str, taken: Callable[[str], bool], numbered: Callable[[int], str]) -> str:
    """A name that is not taken: the ``first``, else the next one with a number, from 2."""
    return next(name for name in chain([first], map(numbered, count(2))) if not taken(name))
