"""Choosing the labeller in use, going back, sending one in, deleting one."""

from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard import access
from leaderboard.forms.labellers import LabellerForm, LabellerUpload, UseForm
from leaderboard.forms.uploads import on_disk, parsed_late_by
from leaderboard.models import Labeller
from leaderboard.selectors.labellers.comparing import compared
from leaderboard.selectors.labellers.listing import Kept, kept_labellers
from leaderboard.selectors.labellers.phases import phase_labellers
from leaderboard.services.labellers import (
    LabellerNeeded,
    LabellerRefused,
    UseRefused,
    labeller_delete,
    labeller_put_to_use,
    labeller_roll_back,
    labeller_upload,
)
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest
from scoring.errors import ScoringError


@login_required
@never_cache
@rate_limited("leaderboard.labellers", "30/m")
@require_http_methods(["GET", "HEAD", "POST"])
def use(request: SignedInRequest, identity: str) -> HttpResponse:
    """Say what changes with another labeller; put it to use."""
    access.publishing_for(request.user)
    found = access.labeller_for(request.user, identity)
    if request.method != "POST":
        return _use_page(request, found, None)
    form = UseForm(request.POST)
    if not form.is_valid():
        return _use_page(request, found, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        labeller_put_to_use(
            labeller=found.row,
            reason=form.cleaned_data["reason"],
            actor=request.user,
            now=timezone.now(),
            seen=form.cleaned_data["seen"],
        )
    except (UseRefused, ScoringError) as error:
        form.add_error(None, str(error))
        return _use_page(request, found, form, status=HTTPStatus.CONFLICT)
    messages.success(request, f"{found.identity} is in use.")
    return redirect("leaderboard:labeller-phases")


def _use_page(
    request: SignedInRequest, found: Kept, form: UseForm | None, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    in_use = next(row for row in kept_labellers() if row.in_use)
    organised = phase_labellers(access.phases_to_rescore(request.user))
    context = {
        "kept": found,
        "in_use": in_use,
        "fault": found.fault,
        "comparison": compared(in_use, found),
        "other_labels": found.labels != in_use.labels,
        "behind": sum(row.differs_from(found.identity) for row in organised),
        "form": form or UseForm(),
    }
    return render(request, "leaderboard/labellers/use.html", context, status=status)


@login_required
@rate_limited("leaderboard.labellers", "30/m")
@require_POST
def roll_back(request: SignedInRequest) -> HttpResponse:
    """Put the labeller to use that was in use before."""
    access.publishing_for(request.user)
    seen = request.POST.get("seen", "")[:80] or None
    try:
        made = labeller_roll_back(actor=request.user, now=timezone.now(), seen=seen)
    except (UseRefused, ScoringError) as error:
        messages.warning(request, str(error))
        return redirect("leaderboard:labellers")
    messages.success(request, f"Rolled back: {made.identity} is in use.")
    return redirect("leaderboard:labeller-phases")


@login_required
@rate_limited("leaderboard.labellers", "30/m")
@require_POST
def delete(request: SignedInRequest, identity: str) -> HttpResponse:
    """Delete a labeller to which nothing refers."""
    access.publishing_for(request.user)
    found = access.labeller_for(request.user, identity)
    if found.row is None:
        raise Http404
    try:
        labeller_delete(labeller=found.row, actor=request.user, now=timezone.now())
    except LabellerNeeded as needed:
        messages.warning(request, str(needed))
        return redirect("leaderboard:labeller", identity=identity)
    messages.success(request, f"{found.identity} was deleted.")
    return redirect("leaderboard:labellers")


# The token is checked in ``_received``: only who may publish may send so much that it is read.
@csrf_exempt
@login_required
@rate_limited("leaderboard.labellers", "30/m")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: SignedInRequest) -> HttpResponse:
    """Take a labeller that somebody sends."""
    access.publishing_for(request.user)
    return _received(request) if request.method == "POST" else _upload_page(request, LabellerForm())


@parsed_late_by(LabellerUpload)
def _received(request: SignedInRequest) -> HttpResponse:
    form = LabellerForm(request.POST, request.FILES)
    if form.is_valid():
        known = set(Labeller.objects.values_list("pk", flat=True))
        try:
            with on_disk(form.cleaned_data["file"]) as path:
                made = labeller_upload(
                    path=path,
                    name=form.cleaned_data["name"],
                    note=form.cleaned_data["note"],
                    actor=request.user,
                    now=timezone.now(),
                )
        except LabellerRefused as refused:
            form.add_error("file", str(refused))
        else:
            was_here = "was kept here already" if made.pk in known else "is kept. It is not in use"
            messages.success(request, f"{made.identity} {was_here}.")
            return redirect("leaderboard:labeller", identity=made.identity)
    return _upload_page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _upload_page(
    request: SignedInRequest, form: LabellerForm, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    context = {"form": form, "most": f"{settings.MAX_LABELLER_BYTES / 1e6:,g}"}
    return render(request, "leaderboard/labellers/upload.html", context, status=status)
