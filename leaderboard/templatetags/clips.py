"""What the metrics say of one clip, as readers see it."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django import template
from django.template.loader import get_template, select_template
from django.utils.safestring import SafeString

from earmark.metrics.facets import ANY_ERROR, NO_ERROR
from earmark.registry import FAMILIES
from leaderboard.selectors.clips.corpus import ClipFamily, ClipLine
from leaderboard.selectors.words.label_names import label_name

register = template.Library()
register.filter(label_name)
logger = logging.getLogger(__name__)

PLAIN = "leaderboard/clips/details/_other.html"

BAR_WIDTH, BAR_HEIGHT = 72, 8
MOST_ROWS = 200
NOTHING = "O"

# What the fluency detector looks for, in words.
FLUENCY_CLASSES = {
    "add_tail": "a dangling end",
    "repeat_event": "an event said twice",
    "repeat_adv": "an adverb said twice",
    "remove_conj": "a missing conjunction",
    "remove_verb": "a missing verb",
    "other": "words out of place",
    "error": "any error",
}

# What clips can be chosen by beside a single class.
FLUENCY_CHOICES = {ANY_ERROR: "with any error", NO_ERROR: "without an error"}


@register.simple_tag
def family_details(family: ClipFamily, line: ClipLine) -> SafeString:
    """Show a family's details by the fragment made for it, else as plain names and values.

    Details that another version of the scorer stored may have another shape;
    they too are shown as names and values.
    """
    own = [f"leaderboard/clips/details/_{family.name}.html"] if family.name in FAMILIES else []
    context: dict[str, object] = {"details": family.details, "family": family, "line": line}
    try:
        return SafeString(select_template([*own, PLAIN]).render(context))
    except (TypeError, ValueError, AttributeError):
        logger.warning("Details of %s have an unknown shape", family.name, exc_info=True)
        return SafeString(get_template(PLAIN).render(context))


@register.inclusion_tag("leaderboard/clips/details/_bar.html")
def share_bar(value: Any, most: float = 1.0) -> dict[str, object]:
    """Draw a share of ``most`` as a bar beside its number."""
    share = value / most if isinstance(value, int | float) and most > 0 else 0.0
    return {
        "width": BAR_WIDTH,
        "height": BAR_HEIGHT,
        "filled": round(BAR_WIDTH * min(1.0, max(0.0, share)), 1),
    }


@register.filter
def three(value: Any) -> str:
    """Write a number with three decimals; nothing for what is none."""
    return f"{value:.3f}" if isinstance(value, int | float) else ""


@register.filter
def slots(row: Any) -> str:
    """Write a tuple of a scene graph."""
    return ", ".join(map(str, row)) if isinstance(row, list | tuple) else str(row)


@register.filter
def at(values: Any, index: Any) -> Any:
    """The item at an index, from 0, or nothing."""
    if isinstance(values, Sequence) and isinstance(index, int) and 0 <= index < len(values):
        return values[index]
    return ""


@register.filter
def fluency_class(name: Any) -> str:
    """What a class of the fluency detector stands for."""
    return FLUENCY_CLASSES.get(str(name), str(name).replace("_", " "))


@register.filter
def alarms_alone(details: Mapping[str, Any]) -> list[Any]:
    """SBF's false alarms of sounds that are no hits as well."""
    sides = [
        [row for row in details.get(side) or () if isinstance(row, Mapping)]
        for side in ("hits", "false_alarms")
    ]
    hits = [row.get("class") for row in sides[0]]
    return [row for row in sides[1] if row.get("class") not in hits]


@register.filter
def finding(name: Any, facet: str) -> str:
    """What clips are filtered by, in words."""
    if facet == "error":
        return FLUENCY_CHOICES.get(str(name)) or fluency_class(name)
    return label_name(name) if facet == "label" else str(name)


@register.filter
def label_slug(label: Any) -> str:
    """The part of a class name that stands for a descriptor."""
    return "".join(char if char.isalnum() else "-" for char in str(label).lower())


@register.filter
def label_names(labels: Iterable[Any]) -> str:
    """List descriptors by their short names."""
    return ", ".join(map(label_name, labels))


@register.filter
def spans(words: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Put runs of words with one label together; words that describe nothing have none."""
    for label, run in groupby(words or (), key=lambda word: str(word.get("label", ""))):
        text = " ".join(str(word.get("text", "")) for word in run)
        yield ("" if label == NOTHING else label), text


@register.filter
def highest(rows: Iterable[Mapping[str, Any]], key: str) -> float:
    """The highest value of a column, 0 where there is none."""
    values = [row.get(key) for row in rows or ()]
    return max((value for value in values if isinstance(value, int | float)), default=0.0)


@register.filter
def column(rows: Iterable[Mapping[str, Any]], key: str) -> list[Any]:
    """One column of rows."""
    return [row.get(key) for row in rows or ()]


@register.filter
def plain_rows(details: Any) -> list[tuple[str, str]]:
    """Lay nested details out as names and values, at most ``MOST_ROWS`` of them."""
    rows: list[tuple[str, str]] = []
    for row in _flat("", details):
        if len(rows) == MOST_ROWS:
            rows.append(("...", "there is more; the API gives all of it"))
            break
        rows.append(row)
    return rows


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name}, {key}" if name else str(key).replace("_", " "), inner)
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for number, inner in enumerate(value, start=1):
            yield from _flat(f"{name} {number}", inner)
    else:
        yield name, _text(value)


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "none"
    return str(value)
