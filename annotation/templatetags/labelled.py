"""Labels and labelled captions in templates."""

import re
from dataclasses import dataclass

from django import template

register = template.Library()

# The style sheet has this many colours and patterns; larger inventories use them again.
TONES = 12
_MARKED = re.compile(r"\[([^\[\]]+)\]")


@register.filter
def tone(number: int) -> int:
    """Give the number of the class that has a label's colour and pattern."""
    return number % TONES


@register.filter
def digit(place: int) -> int:
    """Give the digit that stands for the label in this place, from 1: the tenth has 0."""
    return place % 10


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of an example."""

    text: str
    marked: bool


@register.filter
def pieces(example: str) -> list[Piece]:
    """Cut an example at its brackets.

    >>> [(piece.text, piece.marked) for piece in pieces("a [man] talks")]
    [('a ', False), ('man', True), (' talks', False)]
    """
    found = _MARKED.split(example)
    return [Piece(text, place % 2 == 1) for place, text in enumerate(found) if text]
