"""Labels, labelled captions, numbers of agreement, tabs and the site's header in templates."""

import re

from django import template
from django.forms import BoundField
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotation import label_rules
from annotation.kinds.work_kind import SOUNDS_PAGE
from annotation.models import DataSet, Project
from annotation.selectors.agreement.report import between
from annotation.selectors.people import site_header_of
from annotation.selectors.projects import open_work
from leaderboard.models import User
from leaderboard.selectors.figures.figure import three
from leaderboard.web.tabs import tabs_of

register = template.Library()

# The style sheet has this many colours and patterns; larger inventories use them again.
TONES = len(label_rules.TONES)
_MARKED = re.compile(r"\[([^\[\]]+)\]")


@register.filter
def tone(number: int) -> int:
    """The number of the class that has a label's colour and pattern."""
    return number % TONES


@register.filter
def digit(place: int) -> int:
    """The digit that stands for the label in this place, from 1: the tenth has 0."""
    return place % 10


@register.simple_tag
def tone_choices(field: BoundField) -> SafeString:
    """Draw a radio for each colour; a template for each, a dozen for each label, takes too long."""
    chosen = str(field.value())
    return format_html_join(
        "",
        '<label class="label-tone-{place}" for="{id}_{place}" title="{title}">'
        '<input type="radio" name="{name}" value="{place}" id="{id}_{place}"{checked}>'
        '<span class="visually-hidden">{title}</span>'
        '<span class="word__bar" aria-hidden="true"></span></label>',
        (
            {
                "place": place,
                "title": title,
                "name": field.html_name,
                "id": field.auto_id,
                "checked": mark_safe(" checked") if str(place) == chosen else "",
            }
            for place, title in enumerate(label_rules.TONES)
        ),
    )


@register.filter
def pieces(example: str) -> list[tuple[str, bool]]:
    """Cut an example at its brackets; with each piece, whether it stood in them.

    >>> pieces("a [man] talks")
    [('a ', False), ('man', True), (' talks', False)]
    """
    parts = _MARKED.split(example)
    return [(text, place % 2 == 1) for place, text in enumerate(parts) if text]


register.filter("three_decimals", three)
register.filter("interval_of", between)


@register.simple_tag
def site_header(user: object) -> dict[str, object]:
    """What the header of a page shows to somebody; error pages may have no user."""
    return site_header_of(user) if isinstance(user, User) else {}


@register.simple_tag
def open_work_of(user: User) -> list[dict[str, object]]:
    """The projects in which something is left for somebody who is logged in."""
    return open_work(user, timezone.now())


# The pages on which a project is managed: label, name of the address, and the beginnings of the
# names of pages that belong to the tab. Of two with one label the first with an address is shown.
TABS = (
    ("Overview", "manage", ()),
    ("People", "people", ("member-", "people-")),
    ("Captions", "captions", ("captions", "manage-fill")),
    ("Captions", "manage-fill", ()),
    ("Results", "judging", ("judging-",)),
    ("Answers", "manage-answers", ("answers-",)),
    ("Labels", "scheme", ("scheme-",)),
    ("Sounds", "sounds", ("sounds-",)),
    ("Pairs", "pairs", ()),
    ("Agreement", "agreement", ("agreement-",)),
    ("Quality", "quality", ("quality-",)),
    ("Import and export", "manage-files", ("import",)),
    ("Settings", "manage-settings", ("manage-state",)),
)

GROUPS = {
    "Items": ("Captions", "Sounds", "Pairs", "Import and export"),
    "Review": ("Answers", "Results", "Agreement", "Quality"),
}

# Where words are labelled, and where they are not.
_OF_LABELS = {"Captions", "Labels", "Agreement", "Quality", "Import and export"}
_OF_OTHER_WORK = {"Answers"}
# Where items come in otherwise than as sounds, and where they do not.
_OF_SOUNDS, _OF_PAIRS = {"Sounds"}, {"Pairs", "Results"}


@register.simple_tag
def items_address(project: Project) -> str:
    """The address on which items come into a project whose work is not on labels."""
    return reverse(f"annotation:{project.work_kind.items_page}", args=[project.slug])


@register.inclusion_tag("_tabs.html", takes_context=True)
def project_tabs(context: Context, project: Project) -> dict[str, object]:
    """List the pages on which managers run a project."""
    kind = project.work_kind
    left_out = _OF_OTHER_WORK if kind.has_labels else _OF_LABELS
    left_out = left_out | (_OF_PAIRS if kind.items_page == SOUNDS_PAGE else _OF_SOUNDS)
    shown = [tab for tab in TABS if tab[0] not in left_out]
    tabs = tabs_of(context, "annotation", shown, [project.slug], GROUPS)
    return {"tabs": tabs, "label": f"Managing {project.name}"}


# The pages of a data set, as TABS has those of a project.
DATA_SET_TABS = (
    ("Overview", "data-set", ("data-set-captions",)),
    ("Findings", "data-set-findings", ("data-set-finding",)),
    ("Statistics", "data-set-statistics", ()),
    ("Split", "data-set-split", ("data-set-split-",)),
    ("Data card", "data-set-card", ()),
    ("Files", "data-set-files", ()),
    ("Challenge", "data-set-publish", ("data-set-publish-",)),
)
DATA_SET_GROUPS = {"Publish": ("Data card", "Files", "Challenge")}


@register.inclusion_tag("_tabs.html", takes_context=True)
def data_set_tabs(context: Context, data_set: DataSet) -> dict[str, object]:
    """List the pages of a data set."""
    args = [data_set.slug]
    tabs = tabs_of(context, "annotation", DATA_SET_TABS, args, DATA_SET_GROUPS)
    return {"tabs": tabs, "label": f"Data set {data_set.name}"}
