"""Splitting a data set into parts, and what came of it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from annotation import access, tasks
from annotation.forms.data_sets import SplitForm
from annotation.models import DataSet
from annotation.selectors.data_sets.clips import shared_columns
from annotation.selectors.data_sets.splits import latest_split, published_parts, split_report_page
from annotation.services.data_sets.splits import SplitRequest, split_cancel, split_start
from annotation.views.data_sets import act_of, data_set_page
from leaderboard.web.refusals import refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form, signed_in_part


@signed_in_form("annotation.splits", "20/m")
def split(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show the split of a data set and the form of another; start one."""
    found = access.data_set_for(request.user, data_set)
    form = _form(request, found)
    if not form.is_valid():
        return _page(request, found, form)
    with refusal_told(request):
        run = split_start(data_set=found, request=form.request, act=act_of(request))
        tasks.split_enqueue(run)
    return redirect("annotation:data-set-split", data_set=found.slug)


def _form(request: SignedInRequest, data_set: DataSet) -> SplitForm:
    metas = data_set.clips.order_by().values_list("meta", flat=True)
    options = data_set.split["asked"] if data_set.split else None
    return SplitForm(
        request.POST if request.method == "POST" else None,
        columns=shared_columns(metas.iterator(2000)),
        published=published_parts(data_set),
        split=SplitRequest.of(options) if options else None,
    )


def _page(request: SignedInRequest, data_set: DataSet, form: SplitForm) -> HttpResponse:
    shown: dict[str, Any] = {
        "form": form,
        "run": latest_split(data_set),
        "report": split_report_page(data_set),
        "clips": data_set.clips.count(),
    }
    return data_set_page(request, data_set, "split", **shown)


@signed_in_part("annotation:data-set-split")
def progress(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show how far the latest split is: a part of its page, which polls it."""
    found = access.data_set_for(request.user, data_set)
    latest = latest_split(found)
    if latest is None:
        raise Http404
    context = {"data_set": found, "run": latest}
    return render(request, "annotation/data_sets/_split_progress.html", context)


@signed_in_act()
def cancel(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Cancel the split that is under way."""
    found = access.data_set_for(request.user, data_set)
    latest = latest_split(found)
    if latest is None:
        raise Http404
    with refusal_told(request):
        at_once = split_cancel(run=latest, act=act_of(request))
        text = "The split is cancelled." if at_once else "The split stops at its next step."
        messages.success(request, f"{text} The parts are as they were.")
    return redirect("annotation:data-set-split", data_set=found.slug)
