"""Parts of pages: heads of phases and systems with their tabs, fields of forms, the API's types."""

from collections.abc import Mapping
from html import escape
from typing import Any

from django import template
from django.forms import BoundField
from django.template import Context
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from leaderboard import access
from leaderboard.models import Kind, Phase
from leaderboard.selectors.documents.document import anchor_of
from leaderboard.selectors.organising.challenges import phase_state
from leaderboard.selectors.outside import host_asked
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from leaderboard.web.tabs import tabs_of

register = template.Library()

# Label, address, and the beginnings of the addresses' names that belong to the tab.
PHASE_PAGES = (
    ("Leaderboard", "board", ("board",)),
    ("Stability", "analysis", ("analysis",)),
    ("Distributions", "distributions", ("distributions",)),
    ("Two metrics", "metric-pair", ("metric-pair",)),
    ("Two systems", "compare", ("compare",)),
    ("Descriptors", "words", ()),
    ("Human judges", "judgments", ("judgments",)),
    ("Ranking lab", "lab", ("lab",)),
    ("References", "references", ()),
    ("History", "history", ("history", "snapshot")),
    ("Submit", "submission-create", ("submission-create",)),
)
PHASE_GROUPS = {
    "Analysis": (
        *("Stability", "Distributions", "Two metrics", "Two systems"),
        *("Descriptors", "Human judges", "Ranking lab"),
    ),
    "About": ("References", "History"),
}
SYSTEM_PAGES = (
    ("Scores", "system", ()),
    ("Clips", "clips", ("clip",)),
    ("Overview", "profile", ("profile",)),
    ("Descriptors", "words-system", ("words-system",)),
    ("About", "system-about", ("system-about",)),
)
SYSTEM_GROUPS = {"Profile": ("Overview", "Descriptors")}


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
        "tabs": tabs_of(context, "leaderboard", pages, args, PHASE_GROUPS),
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
        "tabs": tabs_of(context, "leaderboard", pages, [submission.public_id], SYSTEM_GROUPS),
    }


register.filter(anchor_of)


@register.filter
def as_input(field: BoundField) -> SafeString:
    """Draw a field's widget; allauth's placeholders, which repeat its labels, are left out."""
    repeats = type(field.form).__module__.startswith("allauth.")
    return field.as_widget(attrs={"placeholder": False} if repeats else None)


@register.simple_tag
def choice_boxes(field: BoundField) -> SafeString:
    """Draw a box for each choice of a field; a template for each of thousands takes too long."""
    chosen = {str(value) for value in field.value() or ()}
    boxes = (
        f'<label class="chooser__choice"><input type="checkbox" name="{field.html_name}" '
        f'value="{escape(str(value))}" id="{field.auto_id}_{place}"'
        f"{' checked' if str(value) in chosen else ''}> "
        f'<span class="chooser__text">{escape(str(text))}</span></label>'
        for place, (value, text) in enumerate(getattr(field.field, "choices", ()))
    )
    return mark_safe("".join(boxes))  # noqa: S308 - what people wrote is escaped


@register.inclusion_tag("leaderboard/challenges/_sent_outside.html")
def sent_outside(phase: Phase) -> dict[str, object]:
    """Say to which host captions and references are sent, if they are."""
    return {"host": host_asked(phase)}


_PLAIN = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
}
_FORMATS = {"date-time": "time", "binary": "file"}


@register.filter
def fields_of(schema: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The fields of an object with what they are; a field may be called "items"."""
    return list(schema.get("properties", {}).items())


@register.filter
def kind_of(schema: Mapping[str, Any]) -> SafeString:
    """What a value may be; objects with a name are links to where they are described."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return format_html('<a href="#{}">{}</a>', name, name)
    if choices := schema.get("anyOf") or schema.get("allOf"):
        return format_html_join(" or ", "{}", ((kind_of(one),) for one in choices))
    if values := schema.get("enum"):
        return format_html_join(", ", "<code>{}</code>", ((value,) for value in values))
    if schema.get("type") == "array":
        return format_html("list of {}", kind_of(schema.get("items", {})))
    if isinstance(inner := schema.get("additionalProperties"), Mapping):
        return format_html("{} by name", kind_of(inner))
    plain = _FORMATS.get(schema.get("format", "")) or _PLAIN.get(schema.get("type", ""), "anything")
    return mark_safe(plain)  # noqa: S308 one of the words above
