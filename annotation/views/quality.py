"""Quality while people label: who has read the guidelines, test captions, agreement with gold."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.forms.quality import MixedInForm, QualificationFileForm, QualificationForm
from annotation.models import Project
from annotation.selectors.against_gold import gold_points
from annotation.selectors.gold_figure import gold_figure
from annotation.selectors.guidelines import guidelines_readers, newest_guidelines
from annotation.selectors.projects import names_of
from annotation.selectors.qualification import captions_known, qualifying_members, settled_to_choose
from annotation.selectors.test_captions import serving_items
from annotation.services.quality import project_set_tests
from annotation.views.manage import act_of, manage_page, managed
from annotation.views.pages import read_page
from leaderboard.selectors.figures.figure import Figure
from leaderboard.web.requests import SignedInRequest

# Captions to choose from; those of more come once these are chosen.
MOST_TO_CHOOSE = 100


@read_page
def quality(request: SignedInRequest, project: str) -> HttpResponse:
    """Show who has read the newest guidelines, and the rules."""
    return quality_page(request, managed(request, project))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tests(request: SignedInRequest, project: str) -> HttpResponse:
    """Set how often a test caption is mixed in."""
    found = managed(request, project)
    if request.method != "POST":
        return redirect("annotation:quality", project=found.slug)
    form = MixedInForm(request.POST)
    if not form.is_valid():
        return quality_page(request, found, tests_form=form)
    shuffled = project_set_tests(
        project=found, every=form.cleaned_data["every"], act=act_of(request)
    )
    said = "Test captions were set."
    if shuffled:
        said += " Captions come at random from now on."
    messages.success(request, said)
    return redirect("annotation:quality", project=found.slug)


def _as_gold(project: Project) -> Figure | None:
    day = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    points, names = gold_points(project, day), names_of(project)
    return gold_figure({name: points.get(user, []) for user, name in names.items()})


def quality_page(request: SignedInRequest, project: Project, **shown: Any) -> HttpResponse:
    """Show the page; ``shown`` are forms with faults."""
    context = {
        "newest": newest_guidelines(project),
        "readers": guidelines_readers(project),
        "serving": serving_items(project).count(),
        "captions": captions_known(project),
        "settled": settled_to_choose(project)[:MOST_TO_CHOOSE],
        "qualifying": qualifying_members(project),
        "qualification_form": QualificationForm(
            initial={
                "on": project.qualification_on,
                "pass_mark": project.pass_mark,
                "tries": project.qualification_tries,
            }
        ),
        "file_form": QualificationFileForm(),
        "as_gold": _as_gold(project),
        "tests_form": MixedInForm(initial={"every": project.test_every}),
        **shown,
    }
    return manage_page(request, project, "quality", **context)
