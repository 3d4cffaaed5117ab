"""The heads of the pages of a phase and of a system: name, state, and tabs over its pages."""

from django import template
from django.template import Context
from django.utils import timezone

from leaderboard import access
from leaderboard.models import Kind, Phase
from leaderboard.selectors.organising.challenges import phase_state
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.web.tabs import tabs_of

register = template.Library()

# Label, address, and the beginnings of the addresses' names that belong to the tab.
PHASE_PAGES = (
    ("Leaderboard", "board", ("board",)),
    ("Analysis", "analysis", ("analysis",)),
    ("Distributions", "distributions", ("distributions",)),
    ("Compare", "compare", ("compare",)),
    ("Words", "words", ()),
    ("References", "references", ()),
    ("Judges", "judgments", ("judgments",)),
    ("History", "history", ("history", "snapshot")),
    ("Ranking lab", "lab", ("lab",)),
    ("Submit", "submission-create", ("submission-create",)),
)
SYSTEM_PAGES = (
    ("Scores", "system", ()),
    ("Profile", "profile", ("profile",)),
    ("Clips", "clips", ("clip",)),
    ("Words", "words-system", ("words-system",)),
    ("About", "system-about", ("system-about",)),
)


@register.simple_tag(takes_context=True)
def page_label(context: Context) -> str:
    """What the page is called among those of its phase or system, for the window's title."""
    return _label(context) + ": "


def _label(context: Context) -> str:
    match = getattr(context.get("request"), "resolver_match", None)
    here = (match.url_name or "") if match else ""
    pages = (*PHASE_PAGES, *SYSTEM_PAGES)
    exact = (label for label, name, _ in pages if name == here)
    below = (label for label, _, starts in pages if starts and here.startswith(starts))
    return next(exact, "") or next(below, "")


@register.inclusion_tag("leaderboard/challenges/_phase_head.html", takes_context=True)
def phase_head(context: Context, phase: Phase) -> dict[str, object]:
    """The name and state of a phase, and tabs over those of its pages that the person may see."""
    user, now = context["request"].user, timezone.now()
    seen = access.phase_pages_for(user, phase, now)
    challenge = phase.challenge
    args = [challenge.slug, phase.slug]
    pages = [page for page in PHASE_PAGES if page[1] in seen]
    return {
        "phase": phase,
        "challenge": challenge,
        "state": phase_state(phase, now),
        "label": _label(context),
        "is_organiser": access.is_organiser(user, challenge),
        "tabs": tabs_of(context, "leaderboard", pages, args),
    }


@register.inclusion_tag("leaderboard/submissions/_system_head.html", takes_context=True)
def system_head(context: Context, submission: AnySubmission) -> dict[str, object]:
    """The names of a system and its team, and tabs over its pages that the person may see."""
    user, phase = context["request"].user, submission.phase
    seen = access.system_pages_for(user, submission)
    view = access.visibility_for(user, phase, timezone.now())
    pages = [page for page in SYSTEM_PAGES if page[1] in seen]
    return {
        "submission": submission,
        "team_known": submission.kind != Kind.HUMAN and view.knows(submission.team_id),
        "label": _label(context),
        "tabs": tabs_of(context, "leaderboard", pages, [submission.public_id]),
    }
