"""What the pages of organisers share: their tabs, and times on the clock of a challenge."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard import access
from leaderboard.models import Challenge, Phase, User

register = template.Library()

# Label, address, and the beginnings of the addresses' names that belong to the tab.
TABS = (
    ("Overview", "manage-overview", ("manage-overview", "manage-publish")),
    ("Text", "manage-text", ("manage-text",)),
    (
        "Phases",
        "manage-phases",
        ("manage-phase", "manage-references", "manage-audio", "manage-rescoring"),
    ),
    ("Submissions", "manage-submissions", ("manage-submission", "manage-judge")),
    ("Announcements", "manage-announcements", ("manage-announcement",)),
    ("People", "manage-people", ("manage-people", "manage-person", "manage-invitation")),
    ("Audit", "manage-audit", ("manage-audit",)),
)
PHASE_TABS = (
    ("Rules", "manage-phase", ("manage-phase",)),
    ("References", "manage-references", ("manage-references",)),
    ("Audio", "manage-audio", ("manage-audio",)),
    ("Ranking", "manage-reveal", ("manage-reveal", "manage-freeze")),
    ("Rescoring", "manage-rescoring", ("manage-rescoring",)),
)


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab; ``current`` is "page" on its own page, "true" on those below it, else empty."""

    label: str
    address: str
    current: str


@register.inclusion_tag("leaderboard/manage/_tabs.html", takes_context=True)
def manage_tabs(context: Context, challenge: Challenge) -> dict[str, object]:
    """List the pages of a challenge for its organisers."""
    return {
        "tabs": _tabs(context, TABS, [challenge.slug]),
        "label": f"Managing {challenge.title}",
    }


@register.inclusion_tag("leaderboard/manage/_tabs.html", takes_context=True)
def phase_tabs(context: Context, phase: Phase) -> dict[str, object]:
    """List the pages of a phase for its organisers."""
    return {
        "tabs": _tabs(context, PHASE_TABS, [phase.challenge.slug, phase.slug]),
        "label": f"The phase {phase.name}",
    }


def _tabs(context: Context, tabs: Any, args: list[str]) -> list[Tab]:
    match = getattr(context.get("request"), "resolver_match", None)
    here = match.url_name if match else ""
    found = []
    for label, name, beginnings in tabs:
        try:
            address = reverse(f"leaderboard:{name}", args=args)
        except NoReverseMatch:
            continue
        below = "true" if here.startswith(beginnings) else ""
        found.append(Tab(label, address, "page" if here == name else below))
    return found


@register.simple_tag
def local_moment(at: datetime | None, challenge: Challenge) -> str | SafeString:
    """Write a moment on the clock of a challenge, with UTC after it."""
    if at is None:
        return ""
    utc, local = at.astimezone(UTC), at.astimezone(ZoneInfo(challenge.time_zone))
    shown = f"{local.day} {local:%b %Y, %H:%M}"
    if challenge.time_zone == "UTC":
        beside = "UTC"
    else:
        day = "" if utc.date() == local.date() else f"{utc.day} {utc:%b}, "
        beside = f"{challenge.time_zone} ({day}{utc:%H:%M} UTC)"
    return format_html(
        '<time datetime="{}">{}</time> {}', utc.isoformat(timespec="seconds"), shown, beside
    )


@register.filter
def organises(user: object) -> bool:
    """Tell whether a page leads someone to the pages of organisers."""
    return isinstance(user, User) and access.has_to_do_with_managing(user)


@register.filter
def as_limits(phase: Phase) -> str:
    """Write what a team may submit to a phase."""
    limits = [
        (phase.quota_per_day, "{} a day"),
        (phase.quota_total, "{} in total"),
        (phase.systems_per_team, "{} standing at once"),
    ]
    return ", ".join(text.format(most) for most, text in limits if most is not None) or "none"
