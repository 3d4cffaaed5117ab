"""Parts of the tables of organisers."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.selectors.rescoring_diff import Change

register = template.Library()


@register.simple_tag
def order_head(key: str, label: str, sort: str, filters: str) -> SafeString:
    """Make the head of a column by which a list can be sorted; a second click turns it round."""
    here = sort.removeprefix("-") == key
    down = sort.startswith("-")
    # What came last is what one looks for; names are read from A.
    first = "-date" if key == "date" else key
    wanted = (key if down else f"-{key}") if here else first
    state = format_html(' aria-sort="{}"', "descending" if down else "ascending") if here else ""
    arrow = format_html('&nbsp;<span aria-hidden="true">{}</span>', "↓" if down else "↑")
    return format_html(
        '<th scope="col"{}><a href="?{}sort={}">{}{}</a></th>',
        state,
        f"{filters}&" if filters else "",
        wanted,
        label,
        arrow if here else "",
    )


@register.simple_tag
def moves(change: Change) -> SafeString | str:
    """Say in words where a system moves, with an arrow."""
    if not change.competes:
        return format_html('<span class="soft">{}</span>', "does not compete")
    if change.places:
        up = change.places > 0
        count = abs(change.places)
        return format_html(
            '<span class="{}"><span aria-hidden="true">{}</span> {} {}</span>',
            "tone-good" if up else "tone-bad",
            "↑" if up else "↓",
            "up" if up else "down",
            count,
        )
    if change.before.rank != change.after.rank:
        gone = change.after.rank is None
        return format_html("<strong>{}</strong>", "loses its rank" if gone else "gains a rank")
    if change.counts_before != change.counts_after:
        return "counts for its team" if change.counts_after else "no longer counts for its team"
    return format_html('<span class="soft">{}</span>', "stays")
