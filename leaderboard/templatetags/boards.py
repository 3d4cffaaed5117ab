"""Links and lists of the leaderboard's pages."""

from collections.abc import Iterator
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.models.submission import METADATA
from leaderboard.selectors.boards import Kept, Table
from scoring.registry import METRICS

register = template.Library()

# People's names and addresses are for the organisers, not for a page.
PRIVATE = {"authors", "author", "email", "e-mail", "phone"}
ARROWS = {"ascending": "\N{UPWARDS ARROW}", "descending": "\N{DOWNWARDS ARROW}"}


@register.simple_tag
def sort_state(table: Table, *keys: str) -> str:
    """Give the value of aria-sort for a column with these sort keys, empty where none is it."""
    sort = table.sort
    if sort.key not in keys:
        return ""
    info = METRICS.get(sort.key)
    descending = (info is not None and info.direction == "higher") != sort.reverse
    return "descending" if descending else "ascending"


@register.simple_tag
def sort_link(table: Table, key: str, label: str, kept: Kept) -> SafeString:
    """Make the link that sorts by a column, with an arrow where it does so now."""
    arrow = ARROWS.get(sort_state(table, key), "")
    return format_html(
        '<a class="sort" href="?{}">{}{}</a>',
        kept.query(("sort", table.sort.link(key))),
        label,
        format_html('&nbsp;<span aria-hidden="true">{}</span>', arrow) if arrow else "",
    )


@register.simple_tag
def metadata_rows(metadata: Any) -> list[tuple[str, str]]:
    """Lay nested metadata out as names and values, without what is private or empty."""
    return list(_rows("", metadata))


# DCASE's own nesting, which says nothing to a reader.
WRAPPERS = {"submission", "system", "description"}


def _rows(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        # The database keeps no order of keys, so that the page needs one of its own.
        for key, inner in sorted(value.items(), key=_place):
            if str(key).lower() not in PRIVATE:
                yield from _rows(_joined(name, str(key), inner), inner)
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for position, inner in enumerate(value, start=1):
            yield from _rows(f"{name} {position}", inner)
    elif value not in (None, "", []):
        yield _title(name), _text(value)


def _place(item: tuple[str, Any]) -> tuple[int, str]:
    known = list(METADATA)
    key = str(item[0])
    return (known.index(key) if key in METADATA else len(known), key)


def _joined(name: str, key: str, value: Any) -> str:
    if key in WRAPPERS and isinstance(value, dict):
        return name
    return f"{name}, {key}" if name else key


def _title(name: str) -> str:
    title = METADATA.get(name) or name.replace("_", " ") or "Metadata"
    return title[0].upper() + title[1:]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_text(inner) for inner in value)
    return f"{value:,}" if isinstance(value, int) else str(value)
