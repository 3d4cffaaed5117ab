"""Links and lists of the leaderboard's pages."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join, urlize
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from earmark.packages.metadata_fields import characteristics_of
from earmark.registry import METRICS
from leaderboard.selectors.board.columns import Column
from leaderboard.selectors.board.query import BoardQuery
from leaderboard.selectors.board.table import AllPhases, Table
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.evaluations.waiting_time import being_scored
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.templatetags.numbers import as_number

register = template.Library()
register.filter(being_scored)

ARROWS = {"ascending": "\N{UPWARDS ARROW}", "descending": "\N{DOWNWARDS ARROW}"}


@register.simple_tag
def sort_state(table: Table, *keys: str) -> str:
    """The value of aria-sort for a column with these sort keys, empty where none is it."""
    sort = table.sort
    if sort.key not in keys:
        return ""
    info = METRICS.get(sort.key)
    descending = (info is not None and info.direction == "higher") != sort.reverse
    return "descending" if descending else "ascending"


@register.simple_tag
def sort_link(table: Table, key: str, label: str, query: BoardQuery) -> SafeString:
    """Make the link that sorts by a column, with an arrow where it does so now."""
    return _sort_link(query.query(sort=table.sort.by(key)), label, sort_state(table, key))


def _sort_link(query: str, label: str, state: str) -> SafeString:
    arrow = ARROWS.get(state, "")
    return format_html(
        '<a class="sort" href="?{}">{}{}</a>',
        query,
        label,
        format_html('&nbsp;<span aria-hidden="true">{}</span>', arrow) if arrow else "",
    )


@register.simple_tag
def all_phases_link(table: AllPhases, key: str, label: str) -> SafeString:
    """Make the link that sorts the table of all phases by a phase or by the team."""
    query = urlencode({"sort": table.sort.by(key).text})
    return _sort_link(query, label, all_phases_sort(table, key))


@register.simple_tag
def all_phases_sort(table: AllPhases, key: str) -> str:
    """The value of aria-sort for a column of the table of all phases, empty where it is none."""
    if table.sort.key != key:
        return ""
    return "descending" if table.sort.reverse else "ascending"


@register.simple_tag
def asked_query(query: BoardQuery, **changes: Any) -> str:
    """Write the address of the same leaderboard with some changes."""
    return query.query(**changes)


@register.simple_tag
def shown_value(row: RankedRow, column: Column) -> MetricValue:
    """Value of a row in a column."""
    return row.shown(column.info.name)


@register.simple_tag
def number(cell: MetricValue) -> SafeString | str:
    """Write a number of the table, or a mark that says why there is none."""
    if cell.value is not None:
        return as_number(cell.value, cell.info)
    mark, explanation = ("…", cell.reason) if cell.pending else ("n/a", f": {cell.reason}")
    return format_html(
        '<span class="none" title="{}">{}<span class="visually-hidden">{}</span></span>',
        cell.reason,
        mark,
        explanation,
    )


@register.simple_tag
def characteristic_cells(row: RankedRow) -> SafeString:
    """Write what a team says of its system; what it says nothing of is empty."""
    characteristics = characteristics_of(row.metadata)
    code = urlize(str(characteristics.get("source_code", "")), nofollow=True, autoescape=True)
    return format_html(
        '<td>{}</td><td>{}</td><td class="num">{}</td><td>{}</td><td class="board__code">{}</td>',
        characteristics.get("audio_modelling", ""),
        characteristics.get("word_modelling", ""),
        f"{characteristics['total_parameters']:,}" if "total_parameters" in characteristics else "",
        characteristics.get("external_datasets", ""),
        mark_safe(code),  # noqa: S308 - urlize escapes all but its links
    )


@register.simple_tag
def number_cells(row: RankedRow, columns: Iterable[Column]) -> SafeString:
    """Write the cells of a row; thousands of them are too many for a template each."""
    return format_html_join(
        "",
        '<td class="num"{}>{}</td>',
        (
            (format_html(' title="{}"', one.signature) if one.signature else "", number(one))
            for one in (row.shown(column.info.name) for column in columns)
        ),
    )
