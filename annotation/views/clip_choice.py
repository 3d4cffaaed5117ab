"""Choosing the clips of a data set to be from a pool."""

from django.http import Http404, HttpResponse

from annotation import access
from annotation.forms.clip_choice import MOST_POOL, ClipChoiceForm
from annotation.services.data_sets.clip_choice import choice_file, clip_choice, kept_choice
from annotation.views.pages import show_page
from leaderboard.forms.uploads import parsed_late_by
from leaderboard.web.body_limits import reads_upload
from leaderboard.web.file_responses import attachment
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form

SHOWN_FAULTS = 100
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
        return _list(request, key)
    form = ClipChoiceForm(request.POST if sent else None, request.FILES if sent else None)
    if not form.is_valid():
        return _page(request, form)
    data = form.cleaned_data["pool"].read()
    try:
        found = clip_choice(data, form.columns, form.request, most=MOST_POOL, user=request.user)
    except Refused as refused:
        shown = {"faults": refused.faults[:SHOWN_FAULTS], "fault_count": len(refused.faults)}
        return _page(request, form, status=422, **shown)
    return _page(request, form, choice=found)


def _list(request: SignedInRequest, key: str) -> HttpResponse:
    kind = request.GET.get("format", "csv")
    chosen = kept_choice(key, request.user)
    if chosen is None or kind not in TYPES:
        raise Http404
    return attachment(choice_file(chosen, kind).encode(), f"chosen-clips.{kind}", TYPES[kind])


def _page(
    request: SignedInRequest, form: ClipChoiceForm, *, status: int | None = None, **shown: object
) -> HttpResponse:
    return show_page(request, "data_sets/choose", {"form": form, **shown}, status=status)
