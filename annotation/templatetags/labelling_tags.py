"""Labels, labelled captions, numbers of agreement and the site's header in templates."""

import re
from dataclasses import dataclass

from django import template

from annotation.selectors.agreement.figures import between, three
from annotation.selectors.people import SiteHeader, site_header_of
from leaderboard.models import User

register = template.Library()

# The style sheet has this many colours and patterns; larger inventories use them again.
TONES = 12
_MARKED = re.compile(r"\[([^\[\]]+)\]")


@register.filter
def tone(number: int) -> int:
    """The number of the class that has a label's colour and pattern."""
    return number % TONES


@register.filter
def digit(place: int) -> int:
    """The digit that stands for the label in this place, from 1: the tenth has 0."""
    return place % 10


@dataclass(frozen=True, slots=True)
class ExamplePart:
    """Some words of an example."""

    text: str
    marked: bool


@register.filter
def pieces(example: str) -> list[ExamplePart]:
    """Cut an example at its brackets.

    >>> [(piece.text, piece.marked) for piece in pieces("a [man] talks")]
    [('a ', False), ('man', True), (' talks', False)]
    """
    parts = _MARKED.split(example)
    return [ExamplePart(text, place % 2 == 1) for place, text in enumerate(parts) if text]


register.filter("three_decimals", three)
register.filter("interval_of", between)


@register.simple_tag
def site_header(user: object) -> SiteHeader:
    """What the header of a page shows to somebody; error pages may have no user."""
    return site_header_of(user) if isinstance(user, User) else SiteHeader()
