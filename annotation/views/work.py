"""Projects whose work is another than labelling words: making one, reading its answers."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone

from annotation import access, tasks
from annotation.forms.work import CollectForm, NewWorkForm, RefusalForm
from annotation.kinds.names import RATE
from annotation.kinds.registry import work_kinds
from annotation.models import Annotation, Project
from annotation.selectors.captions.effects import answers_wanted
from annotation.selectors.sounds import sound_coverage, sound_name
from annotation.selectors.stages.ratings import rated_captions, rater_agreement
from annotation.selectors.tasks import audio_addresses
from annotation.selectors.work_items import work_file, work_files, work_items
from annotation.services.captions import (
    RESERVED_FOR,
    answer_refuse,
    answer_send_back,
    captions_ask_again,
    refusal_take_back,
)
from annotation.services.stages import StageReport, stage_update, stages_start, work_start
from annotation.views.pages import act_of, manage_page, managed, show_page, whole_number
from earmark.captions.faults import count_of
from leaderboard.web.file_responses import download_response
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_page

AT_ONCE = 50


@signed_in_form("annotation.files", "30/m")
def new(request: SignedInRequest, kind: str) -> HttpResponse:
    """Show the form of a kind of work; make a project, and go on to what it is on."""
    wanted = work_kinds().get(kind)
    if wanted is None or wanted.has_labels or not access.may_create_projects(request.user):
        raise Http404
    sources = access.sources_for(request.user, wanted.sources)
    data = request.POST if request.method == "POST" else None
    form = NewWorkForm(data, kind=wanted, sources=sources)
    if not form.is_valid():
        context = {"form": form, "kind": wanted, "sources": sources}
        return show_page(request, "projects/new_work", context)
    with transaction.atomic():
        project = work_start(form.settings, form.work, act_of(request))
    if project.source_id is None:
        messages.success(request, f"{project.name} is ready. Import the {wanted.items}.")
        return redirect(f"annotation:{wanted.items_page}", project=project.slug)
    report = stage_update(project=project, now=timezone.now())
    messages.success(request, f"{project.name} is ready. {_told(project, report)}")
    return redirect("annotation:manage", project=project.slug)


@signed_in_form("annotation.files", "30/m")
def collect(request: SignedInRequest) -> HttpResponse:
    """Show the form that makes all stages of collecting captions; make them."""
    if not access.may_create_projects(request.user):
        raise Http404
    form = CollectForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return show_page(request, "projects/collect", {"form": form})
    first, *_ = stages_start(stages=form.stages, act=act_of(request))
    messages.success(request, "The three projects are ready. Import the sounds.")
    return redirect("annotation:sounds", project=first.slug)


@signed_in_act("annotation.files", "30/m")
def update(request: SignedInRequest, project: str) -> HttpResponse:
    """Bring a project up to date with the one that feeds it."""
    found = managed(request, project, any_kind=True)
    if found.source_id is None:
        raise Http404
    report = stage_update(project=found, now=timezone.now())
    messages.success(request, _told(found, report))
    return redirect("annotation:manage", project=found.slug)


def _told(project: Project, report: StageReport) -> str:
    items, one = project.work_kind.items, project.work_kind.items.removesuffix("s")
    done = [
        f"{count_of(count, one)} {did}"
        for count, did in (
            (report.added, "added"),
            (report.changed, "changed"),
            (report.dropped, "taken out"),
        )
        if count
    ]
    text = f"{', '.join(done)}." if done else f"No {items} to add or change."
    if report.outdated:
        text += (
            f" {count_of(report.outdated, one)} stay as they are: somebody has or answered them."
        )
    return text


@signed_in_page
def answers(request: SignedInRequest, project: str) -> HttpResponseBase:
    """List what was answered, item by item, to managers; ``?format=`` sends a file of it."""
    found = managed(request, project, any_kind=True)
    if found.work_kind.has_labels:
        raise Http404
    if wanted := request.GET.get("format"):
        if wanted not in work_files(found):
            raise Http404
        return download_response(work_file(found, wanted))
    page = Paginator(found.items.order_by("position"), AT_ONCE).get_page(request.GET.get("page"))
    return manage_page(
        request,
        found,
        "answers",
        page=page,
        rows=work_items(found, page.object_list),
        formats=work_files(found),
        sounds=sound_coverage(found),
        reads_phase=access.reads_phase_of(request.user, found),
        makes_data_sets=access.makes_data_set_of(request.user, found),
    )


@signed_in_page
def results(request: SignedInRequest, project: str) -> HttpResponse:
    """List clips with their captions as they were rated, to managers."""
    found = managed(request, project, any_kind=True)
    if found.kind != RATE:
        raise Http404
    page = Paginator(found.items.order_by("position"), AT_ONCE).get_page(request.GET.get("page"))
    items = list(page.object_list)
    sounds = audio_addresses(items)
    return manage_page(
        request,
        found,
        "results",
        page=page,
        clips=[(clip, sounds.get(clip.item.pk, "")) for clip in rated_captions(found, items)],
        agreement=rater_agreement(found),
        formats=work_files(found),
        makes_data_sets=access.makes_data_set_of(request.user, found),
    )


@signed_in_form()
def answer(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Show an answer; refuse it, send it back or take its refusal back."""
    annotation = access.answer_to_manage(request.user, project, pk)
    if request.method != "POST":
        return _answer_page(request, annotation, RefusalForm(initial={"seen": annotation.version}))
    if "take-back" in request.POST:
        return _done(request, annotation, lambda: _take_back(request, annotation))
    form = RefusalForm(request.POST)
    if not form.is_valid():
        return _answer_page(request, annotation, form)
    values = form.cleaned_data
    sends = values["act"] == "send-back"
    act = answer_send_back if sends else answer_refuse

    def do() -> str:
        act(annotation=annotation, note=values["note"], seen=values["seen"], act=act_of(request))
        return "The answer was sent back." if sends else "The answer was refused."

    return _done(request, annotation, do)


def _take_back(request: SignedInRequest, annotation: Annotation) -> str:
    counts = refusal_take_back(annotation=annotation, act=act_of(request))
    if counts:
        return "The refusal was taken back: the answer counts again."
    return "The refusal was taken back. Others have its place: it is kept without counting."


def _done(request: SignedInRequest, annotation: Annotation, do: Callable[[], str]) -> HttpResponse:
    project = annotation.item.project
    try:
        messages.success(request, do())
    except Refused as error:
        annotation.refresh_from_db()
        form = RefusalForm(initial={"seen": annotation.version})
        return _answer_page(request, annotation, form, 409, fault=str(error))
    tasks.stages_enqueue(project, sound_name(annotation.item))
    return redirect("annotation:manage-answers", project=project.slug)


def _answer_page(
    request: SignedInRequest,
    annotation: Annotation,
    form: RefusalForm,
    status: int | None = None,
    *,
    fault: str = "",
) -> HttpResponse:
    project = annotation.item.project
    [row] = work_items(project, [annotation.item])
    answer_row = next(one for one in row["answers"] if one["annotation"] == annotation)
    return manage_page(
        request,
        project,
        "answer",
        status=status,
        row=row,
        answer=answer_row,
        form=form,
        fault=fault,
        days=RESERVED_FOR.days,
    )


@signed_in_act()
def again(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Ask for one more answer to an item."""
    found = managed(request, project, any_kind=True)
    if found.work_kind.has_labels:
        raise Http404
    item = get_object_or_404(found.items.all(), pk=item_id)
    seen = whole_number(request.POST.get("seen"))
    with refusal_told(request):
        captions_ask_again(
            project=found,
            items=[item.pk],
            to=None,
            seen=-1 if seen is None else seen,
            act=act_of(request),
        )
        wanted = count_of(answers_wanted([item.pk]), "answer")
        messages.success(request, f"One more answer is asked for: {wanted} in all.")
        tasks.stages_enqueue(found, sound_name(item))
    return redirect("annotation:manage-answers", project=found.slug)
