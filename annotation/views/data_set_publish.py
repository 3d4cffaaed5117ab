"""Publishing a part of a data set as the references of a phase."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from annotation import access
from annotation.forms.data_set_publish import PublishForm
from annotation.models import DataSet
from annotation.selectors.data_sets.clips import parts_of
from annotation.selectors.data_sets.publication import publication_preview
from annotation.services.data_sets.publishing import data_set_publish
from annotation.views.data_sets import act_of, data_set_page
from leaderboard.views.organising.references import phase_human_row
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form

MOST_FAULTS = 20


def part_asked(data_set: DataSet, name: str | None) -> str:
    """A part of a data set by its name; "" is all of it. Raises ``Http404``."""
    if name and name not in parts_of(data_set):
        raise Http404
    return name or ""


@signed_in_form("annotation.publications", "20/m")
def publish(request: SignedInRequest, data_set: str) -> HttpResponse:
    """Show what a part (``?part=``) would become; publish it."""
    found = access.data_set_for(request.user, data_set)
    phases = access.organised_phases_for(request.user)
    if request.method != "POST":
        return _page(request, found, part_asked(found, request.GET.get("part")))
    form = PublishForm(request.POST, phases=phases)
    part = part_asked(found, request.POST.get("part"))
    if not form.is_valid():
        return _page(request, found, part, form)
    try:
        made = data_set_publish(data_set=found, choice=form.choice, act=act_of(request))
    except Refused as refused:
        for told in refused.faults[:MOST_FAULTS] or (refused,):
            form.add_error(refused.field or None, str(told))
    else:
        where = f" {made.phase} has them." if made.phase else " They are stored for later."
        messages.success(
            request,
            f"{made.reference_set.clip_count:,} clips with {made.reference_set.caption_count:,} "
            f"captions were published.{where}",
        )
        if made.phase and form.cleaned_data["human_row"]:
            phase_human_row(request, made.phase)
        address = reverse("annotation:data-set-publish", args=[found.slug])
        return redirect(f"{address}?{urlencode({'part': part})}" if part else address)
    return _page(request, found, part, form)


def _page(
    request: SignedInRequest, data_set: DataSet, part: str, form: PublishForm | None = None
) -> HttpResponse:
    preview = publication_preview(data_set, part)
    phases = access.organised_phases_for(request.user)
    looked = {"part": part, "seen": preview.content_hash}
    if form is not None:
        # What is shown now is what the next press publishes.
        form.data = dict(form.data.items()) | looked
    shown: dict[str, Any] = {
        "preview": preview,
        "parts": parts_of(data_set),
        "organised": phases,
        "form": form or PublishForm(phases=phases, initial=looked),
    }
    return data_set_page(request, data_set, "publish", **shown)
