"""Quality while people label: guidelines read, test captions, agreement with gold, qualifying."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation import access
from annotation.forms.people import MixedInForm, QualificationFileForm, QualificationForm
from annotation.models import Member, Project, QualificationCaption
from annotation.selectors.against_gold import gold_figure, gold_points
from annotation.selectors.guidelines import guidelines_readers, newest_guidelines
from annotation.selectors.labels import NO_LABEL
from annotation.selectors.projects import names_of
from annotation.selectors.qualification import (
    captions_known,
    feedback_of,
    own_qualification_answer,
    qualification_state,
    qualifying_members,
    serving_items,
    settled_to_choose,
)
from annotation.services.qualification import (
    project_set_tests,
    qualification_answer,
    qualification_choose,
    qualification_import,
    qualification_let_in,
    qualification_remove,
    qualification_set,
)
from annotation.spans import OUTSIDE
from annotation.views.pages import act_of, manage_page, managed, whole_number
from earmark.captions.faults import count_of
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.refusals import Refused, refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page

# Captions to choose from; those of more come once these are chosen.
MOST_TO_CHOOSE = 100


@signed_in_page
def quality(request: SignedInRequest, project: str) -> HttpResponse:
    """Show who has read the newest guidelines, and the rules."""
    return quality_page(request, managed(request, project))


@signed_in_form()
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
    text = "The setting for test captions was saved."
    if shuffled:
        text += " Captions are handed out at random from now on."
    messages.success(request, text)
    return redirect("annotation:quality", project=found.slug)


def quality_page(request: SignedInRequest, project: Project, **shown: Any) -> HttpResponse:
    """Show the page; ``shown`` are forms with faults."""
    day = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    points, names = gold_points(project, day), names_of(project)
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
        "as_gold": gold_figure({name: points.get(user, []) for user, name in names.items()}),
        "tests_form": MixedInForm(initial={"every": project.test_every}),
        **shown,
    }
    return manage_page(request, project, "quality", **context)


@signed_in_form()
def qualification(request: SignedInRequest, project: str) -> HttpResponse:
    """Show the next caption and what was said of the last; keep an answer."""
    member = access.membership_for(request.user, project)
    if request.method != "POST":
        return _page(request, member)
    number = whole_number(request.POST.get("caption")) or 0
    caption = member.project.qualification_captions.filter(pk=number).first()
    if not number:
        raise Http404
    if caption is None:
        return _page(
            request, member, "That caption was removed in the meantime. Continue with this one."
        )
    words = range(len(caption.tokens))
    try:
        answer = qualification_answer(
            member=member,
            caption=caption,
            labels=[request.POST.get(f"word-{word}", OUTSIDE) for word in words],
            begins=[word for word in words if f"begins-{word}" in request.POST],
            number=whole_number(request.POST.get("try")) or 0,
            now=timezone.now(),
        )
    except Refused as error:
        member.refresh_from_db()
        return _page(request, member, str(error), caption)
    address = reverse("annotation:qualification", args=[member.project.slug])
    # The keys go on from what is said of the answer, and it is read out.
    return redirect(f"{address}?after={answer.pk}#feedback")


def _page(
    request: SignedInRequest,
    member: Member,
    fault: str = "",
    answered: QualificationCaption | None = None,
) -> HttpResponse:
    """Show it; of the caption ``answered``, whose answer has a fault, as it was answered."""
    project, state = member.project, qualification_state(member)
    last = own_qualification_answer(member, whole_number(request.GET.get("after")) or 0)
    waiting = state["waiting"]
    caption = answered if answered in waiting else next(iter(waiting), None)
    sent = request.POST if caption == answered else {}
    words = [
        (str(token["text"]), sent.get(f"word-{number}", OUTSIDE), f"begins-{number}" in sent)
        for number, token in enumerate(caption.tokens if caption else ())
    ]
    context = {
        "project": project,
        "state": state,
        "caption": caption,
        "words": words,
        "choices": [(OUTSIDE, NO_LABEL), *((one.name, one.title) for one in project.labels)],
        "feedback": None if last is None else feedback_of(project, last),
        "fault": fault,
    }
    status = 422 if fault else 200
    return render(request, "annotation/quality/qualification.html", context, status=status)


@signed_in_form()
def rules(request: SignedInRequest, project: str) -> HttpResponse:
    """Set whether and how well annotators qualify."""
    found = managed(request, project)
    if request.method != "POST":
        return _back(found)
    form = QualificationForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            qualification_set(project=found, **form.cleaned_data, act=act_of(request))
            messages.success(request, "The qualification was saved.")
            return _back(found)
    return quality_page(request, found, qualification_form=form)


@signed_in_form("annotation.files", "30/m")
@reads_upload
def captions(request: SignedInRequest, project: str) -> HttpResponse:
    """Add captions: settled ones that were chosen, or those of a file."""
    found = managed(request, project)
    if request.method != "POST":
        return _back(found)
    form, count = QualificationFileForm(request.POST, request.FILES), 0
    try:
        if "file" in request.FILES and form.is_valid():
            file = form.cleaned_data["file"].open("rb")
            count = qualification_import(project=found, file=file, act=act_of(request))
        else:
            items = filter(None, map(whole_number, request.POST.getlist("item")))
            count = qualification_choose(project=found, items=items, act=act_of(request))
    except Refused as error:
        form.errors.clear()
        form.add_error("file", str(error))
        return quality_page(request, found, file_form=form)
    messages.success(request, f"{count_of(count, 'caption')} added to the qualification.")
    return _back(found)


@signed_in_form()
def remove(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Take a caption out; ask first where answers to it go, too."""
    found = managed(request, project)
    caption = get_object_or_404(found.qualification_captions, pk=pk)
    answers = caption.answers.count()
    sure = request.POST.get("remove") == "yes" or not answers
    if request.method != "POST" or not sure:
        context = {"project": found, "caption": caption, "answers": answers}
        return render(request, "annotation/quality/caption_remove.html", context)
    with refusal_told(request):
        qualification_remove(caption=caption, act=act_of(request))
    return _back(found)


@signed_in_form()
def let_in(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Let somebody label who has not passed."""
    found = managed(request, project)
    member = get_object_or_404(found.members.select_related("project"), pk=pk)
    if request.method == "POST":
        qualification_let_in(member=member, act=act_of(request))
        messages.success(request, f"{member.name} may label.")
    return _back(found)


def _back(project: Project) -> HttpResponse:
    return redirect(reverse("annotation:quality", args=[project.slug]) + "#qualification")
