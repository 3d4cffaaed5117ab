"""Data sets in the making: choosing clips, the list, a new one, what one holds, captions."""

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation import access
from annotation.forms.clip_choice import MOST_POOL, ClipChoiceForm
from annotation.forms.data_sets import CaptionsForm, NewDataSetForm
from annotation.models import DataSet, Member
from annotation.selectors.data_sets.clips import data_set_rows
from annotation.selectors.data_sets.findings import finding_counts
from annotation.selectors.data_sets.source_captions import (
    IncomingClip,
    known_source_changes,
    listed,
    taken_out,
)
from annotation.services.data_sets.clip_choice import choice_file, clip_choice, kept_choice
from annotation.services.data_sets.filling import (
    FillReport,
    captions_add,
    captions_read,
    source_add,
    source_update,
)
from annotation.services.data_sets.making import DataSetAct, data_set_create
from annotation.views.pages import show_page
from annotation.views.tasks import label
from earmark.captions.faults import count_of
from earmark.datasets.splitting.pooling import GivenFile
from leaderboard.forms.uploads import parsed_late_by
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.file_responses import attachment
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_page

# A project may have this address from before there were data sets.
OLD_PROJECT = "data-sets"
# Faults that a page lists; beyond, they are counted.
SHOWN_FAULTS = 500


def act_of(request: SignedInRequest) -> DataSetAct:
    """Who does something, now."""
    return DataSetAct(request.user, timezone.now())


@signed_in_page
def data_set_list(request: SignedInRequest) -> HttpResponse:
    """List the data sets that one works on."""
    if Member.objects.filter(project__slug=OLD_PROJECT, user=request.user).exists():
        return label(request, OLD_PROJECT)
    context = {
        "rows": data_set_rows(access.data_sets_of(request.user)),
        "may_create": access.may_create_projects(request.user),
    }
    return render(request, "annotation/data_sets/data_sets.html", context)


@signed_in_form("annotation.files", "30/m")
@parsed_late_by("MAX_REFERENCES_BYTES")
@reads_upload
def new(request: SignedInRequest) -> HttpResponse:
    """Show the form, with a project chosen (``?project=``); make a data set of it or of a file."""
    if not access.may_create_projects(request.user):
        raise Http404
    projects = access.projects_with_captions_for(request.user)
    if request.method != "POST":
        chosen = projects.filter(slug=request.GET.get("project", "")).first()
        return _new_page(request, NewDataSetForm(projects=projects, chosen=chosen))
    form = NewDataSetForm(request.POST, request.FILES, projects=projects)
    if not form.is_valid():
        return _new_page(request, form)
    try:
        made, report = _made(request, form)
    except Refused as refused:
        return _new_page(request, form, refused)
    messages.success(request, f"{made.name} is ready. {_told(report)}")
    return redirect("annotation:data-set", data_set=made.slug)


@transaction.atomic
def _made(request: SignedInRequest, form: NewDataSetForm) -> tuple[DataSet, FillReport]:
    act, source = act_of(request), form.cleaned_data["project"]
    clips = [] if source else _clips_of(form)
    made = data_set_create(name=form.cleaned_data["name"], act=act, source=source)
    if source:
        return made, source_add(data_set=made, act=act)
    return made, captions_add(data_set=made, clips=clips, act=act)


def _clips_of(form: CaptionsForm) -> list[IncomingClip]:
    table = form.cleaned_data["metadata"]
    return captions_read(_given(form.cleaned_data["file"]), _given(table) if table else None)


def _given(file: "UploadedFile[bytes]") -> GivenFile:
    return GivenFile(file.name or "captions.csv", file.read())


def _told(report: FillReport) -> str:
    came = (
        f"{count_of(report.captions, 'caption')} and {count_of(report.clips, 'clip')} added"
        if report.clips or report.captions
        else "There was nothing new"
    )
    if report.changed:
        came += f"; {count_of(report.changed, 'caption')} changed in the project, kept as here"
    return f"{came}."


def _new_page(
    request: SignedInRequest, form: NewDataSetForm, refused: Refused | None = None
) -> HttpResponse:
    context = {"form": form, **_faults_of(refused)}
    return show_page(request, "data_sets/new", context, status=422 if refused else None)


def _faults_of(refused: Refused | None) -> dict[str, object]:
    faults = refused.faults if refused else ()
    return {"faults": faults[:SHOWN_FAULTS], "fault_count": len(faults)}


def data_set_page(
    request: SignedInRequest,
    data_set: DataSet,
    template: str,
    *,
    status: int | None = None,
    **shown: object,
) -> HttpResponse:
    """Show a page of a data set; ``shown`` is what its template needs besides."""
    context = {"data_set": data_set, **shown}
    return show_page(request, f"data_sets/{template}", context, status=status)


@signed_in_page
def overview(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show what a data set holds and how far it is."""
    return _overview(request, access.data_set_for(request.user, data_set), CaptionsForm())


def _overview(
    request: SignedInRequest, data_set: DataSet, form: CaptionsForm, refused: Refused | None = None
) -> HttpResponse:
    return data_set_page(
        request,
        data_set,
        "overview",
        status=422 if refused else None,
        row=data_set_rows([data_set])[0],
        form=form,
        counts={state: count.total() for state, count in finding_counts(data_set).items()},
        last=data_set.checks.first(),
        changes=(changes := known_source_changes(data_set)),
        gone=listed(changes.gone),
        out_count=len(out := taken_out(data_set)),
        taken_out=listed(out),
        **_faults_of(refused),
    )


@signed_in_act("annotation.files", "30/m")
@parsed_late_by("MAX_REFERENCES_BYTES")
@reads_upload
def fill(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Bring captions of a file in, what the project has by now, or all up to date with it."""
    found = access.data_set_for(request.user, data_set)
    form = CaptionsForm(request.POST, request.FILES)
    wanted = request.POST.get("from") if found.source is not None else None
    from_source = wanted in {"project", "update"}
    if form.is_valid() and not from_source and not form.cleaned_data["file"]:
        form.add_error("file", "Choose the file with the captions.")
    if not form.is_valid():
        return _overview(request, found, form)
    act = act_of(request)
    try:
        if wanted == "update":
            report, out, back = source_update(data_set=found, act=act)
            messages.success(request, f"{count_of(out, 'caption')} taken out, {back:,} put back.")
        elif from_source:
            report = source_add(data_set=found, act=act)
        else:
            report = captions_add(data_set=found, clips=_clips_of(form), act=act)
    except Refused as refused:
        return _overview(request, found, form, refused)
    messages.success(request, _told(report))
    return redirect("annotation:data-set", data_set=found.slug)


SHOWN_POOL_FAULTS = 100
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@signed_in_form("annotation.choices", "10/m")
@parsed_late_by("MAX_REFERENCES_BYTES")
@reads_upload
def choose(request: SignedInRequest) -> HttpResponse:
    """Show the form; choose clips and show how even their tags are; send the list (``?list=``)."""
    if not access.may_create_projects(request.user):
        raise Http404
    sent = request.method == "POST"
    if not sent and (key := request.GET.get("list")):
        kind, chosen = request.GET.get("format", "csv"), kept_choice(key, request.user)
        if chosen is None or kind not in TYPES:
            raise Http404
        return attachment(choice_file(chosen, kind).encode(), f"chosen-clips.{kind}", TYPES[kind])
    form = ClipChoiceForm(request.POST if sent else None, request.FILES if sent else None)
    if not form.is_valid():
        return _choice_page(request, form)
    data = form.cleaned_data["pool"].read()
    try:
        choice = clip_choice(data, form.columns, form.request, most=MOST_POOL, user=request.user)
    except Refused as refused:
        shown = {"faults": refused.faults[:SHOWN_POOL_FAULTS], "fault_count": len(refused.faults)}
        return _choice_page(request, form, status=422, **shown)
    return _choice_page(request, form, choice=choice)


def _choice_page(
    request: SignedInRequest, form: ClipChoiceForm, *, status: int | None = None, **shown: object
) -> HttpResponse:
    return show_page(request, "data_sets/choose", {"form": form, **shown}, status=status)
