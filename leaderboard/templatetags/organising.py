"""What the pages of organisers share: tabs, local times, sortable columns, rank changes."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard import access
from leaderboard.models import Challenge, Phase, User
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.operations import site as operations
from leaderboard.selectors.operations.site import SiteProblem
from leaderboard.selectors.organising.rescoring_diff import RankChange
from leaderboard.selectors.outside import phase_judges
from leaderboard.web.tabs import tabs_of

register = template.Library()
register.filter(family_label)

# Of no use where the installation has no model for them.
OUTSIDE = "manage-outside"
# Label, address, and the beginnings of the addresses' names that belong to the tab.
PHASE_TABS = (
    ("Rules", "manage-phase", ("manage-phase",)),
    ("Captions", "manage-references", ("manage-references",)),
    ("Sound", "manage-audio", ("manage-audio",)),
    ("Ranking", "manage-ranking", ("manage-ranking",)),
    ("Rescoring", "manage-rescoring", ("manage-rescoring",)),
    ("Outside judges", OUTSIDE, (OUTSIDE,)),
)
TABS = (
    ("Checklist", "manage-overview", ("manage-overview",)),
    ("Audit log", "manage-audit", ("manage-audit",)),
    ("Phases", "manage-phases", tuple(name for _, name, _ in PHASE_TABS)),
    ("Submissions", "manage-submissions", ("manage-submission",)),
    ("Teams", "manage-participants", ("manage-participant",)),
    ("Organisers", "manage-people", ("manage-people",)),
    ("Page", "manage-text", ("manage-text",)),
    ("Announcements", "manage-announcements", ("manage-announcement",)),
)
GROUPS = {
    "Overview": ("Checklist", "Audit log"),
    "People": ("Teams", "Organisers"),
    "Text": ("Page", "Announcements"),
}
PHASE_GROUPS = {
    "References": ("Captions", "Sound"),
    "Results": ("Ranking", "Rescoring", "Outside judges"),
}


@register.inclusion_tag("_tabs.html", takes_context=True)
def manage_tabs(context: Context, challenge: Challenge) -> dict[str, object]:
    """List the pages of a challenge for its organisers."""
    tabs = tabs_of(context, "leaderboard", TABS, [challenge.slug], GROUPS)
    return {"tabs": tabs, "label": f"Managing {challenge.title}"}


@register.inclusion_tag("_tabs.html", takes_context=True)
def phase_tabs(context: Context, phase: Phase) -> dict[str, object]:
    """List the pages of a phase for its organisers."""
    judged = bool(phase_judges(phase))
    named = [tab for tab in PHASE_TABS if judged or tab[1] != OUTSIDE]
    args = [phase.challenge.slug, phase.slug]
    tabs = tabs_of(context, "leaderboard", named, args, PHASE_GROUPS)
    return {"tabs": tabs, "label": f"The phase {phase.name}"}


@register.simple_tag
def site_problems() -> list[SiteProblem]:
    """What keeps the site from its work; never on pages of visitors."""
    return operations.site_problems(timezone.now())


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
    """Whether somebody is offered the pages of organisers."""
    return isinstance(user, User) and access.sees_management_pages(user)


@register.filter
def as_limits(phase: Phase) -> str:
    """Write what a team may submit to a phase."""
    systems = "system" if phase.systems_per_team == 1 else "systems"
    limits = [
        (phase.quota_per_day, "{} a day"),
        (phase.quota_total, "{} in total"),
        (phase.systems_per_team, f"{{}} {systems} at once"),
    ]
    return ", ".join(text.format(most) for most, text in limits if most is not None) or "none"


@register.filter
def as_limits_note(phase: Phase) -> str:
    """Say whose submissions count together; empty where each team counts by itself."""
    has_quota = phase.quota_per_day is not None or phase.quota_total is not None
    shared = "Daily and total limits are shared by all teams that one person made."
    return shared if has_quota and phase.quota_shared else ""


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
        '<th role="columnheader" scope="col"{}><a href="?{}sort={}">{}{}</a></th>',
        state,
        f"{filters}&" if filters else "",
        wanted,
        label,
        arrow if here else "",
    )


@register.simple_tag
def moves(change: RankChange) -> SafeString | str:
    """Where a system moves, in words with an arrow."""
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
