"""What managers do with several captions at once; each act first says what it would do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation import access, tasks
from annotation.file_responses import download_response
from annotation.forms.captions import CaptionFilter, SendBackForm
from annotation.models import Item, Member, Project, Role
from annotation.selectors.captions.effects import (
    answers_wanted,
    caption_handing,
    caption_removal,
    caption_sending_back,
)
from annotation.selectors.captions.matches import CaptionViewer, caption_matches, has_suggestions
from annotation.selectors.formats import ANSWERS, FORMATS, ExportSelection, download_of
from annotation.selectors.projects import worker_names
from annotation.services.captions import (
    RESERVED_FOR,
    captions_ask_again,
    captions_bring_back,
    captions_hand_over,
    captions_remove,
    captions_send_back,
)
from annotation.services.projects import ProjectAct
from annotation.views.pages import form_page
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest
from scoring.captions.faults import count_of

# The only act on captions that were removed.
BRING_BACK = "bring-back"


@dataclass(frozen=True, slots=True)
class ChosenCaptions:
    """Chosen captions: ids in the order of the list; ``match`` is the address that lists them."""

    project: Project
    items: list[int]
    match: str
    every: bool


@form_page
def selection(request: SignedInRequest, project: str) -> HttpResponseBase:
    """Say what an act would do with the chosen captions, or do it when confirmed."""
    if request.method != "POST":
        return redirect("annotation:captions", project=project)
    found = access.project_for(request.user, project, role=Role.MANAGER)
    try:
        chosen = _chosen(request, found)
    except Refused as error:
        messages.error(request, str(error))
        return _back(found, request.POST.get("match", ""))
    act = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        messages.error(request, "Choose what to do with the captions.")
        return _back(found, chosen.match)
    return act(request, chosen)


def _chosen(request: SignedInRequest, project: Project) -> ChosenCaptions:
    """Read which captions are meant; refused where none is ticked or matches."""
    sent, match = request.POST, request.POST.get("match", "")
    if "all" not in sent:
        ticked = {int(pk) for pk in sent.getlist("item") if pk.isdecimal() and len(pk) < 19}
        removed = sent.get("act") == BRING_BACK
        there = Item.with_removed.filter(project=project, removed_at__isnull=not removed)
        items = there.filter(pk__in=ticked).order_by("position")
        pks = list(items.values_list("pk", flat=True))
        if not pks:
            raise Refused("Tick captions first. Nothing was done.")
        return ChosenCaptions(project, pks, match, every=False)
    form = CaptionFilter(
        QueryDict(match),
        project=project,
        names=worker_names(project),
        suggests=has_suggestions(project),
    )
    if not form.is_valid():
        raise Refused("What was looked for is not there any more. Look again.")
    rows = caption_matches(project, CaptionViewer(named=True), form.query).rows
    if not rows:
        raise Refused("No caption matches any more. Nothing was done.")
    return ChosenCaptions(project, [row.item for row in rows], match, every=True)


def _back(project: Project, match: str) -> HttpResponseBase:
    # Only what the list itself understands comes into the address.
    asked = QueryDict(match).urlencode()
    address = reverse("annotation:captions", args=[project.slug])
    return redirect(f"{address}?{asked}" if asked else address)


_HEADINGS = {
    "hand": "Hand {captions} to {to}",
    "again": "Ask for one more answer to {captions}",
    "send-back": "Send {captions} back to those who answered",
    "remove": "Remove {captions}",
    BRING_BACK: "Bring {captions} back",
    "export": "Download {captions}",
}


def _page(
    request: SignedInRequest, chosen: ChosenCaptions, act: str, *, status: int = 200, **shown: Any
) -> HttpResponseBase:
    to: Member | None = shown.get("to")
    captions = count_of(len(chosen.items), "caption")
    context = {
        "project": chosen.project,
        "chosen": chosen,
        "act": act,
        "heading": _HEADINGS[act].format(captions=captions, to=to.name if to else "somebody"),
        "days": RESERVED_FOR.days,
        "members": _members(chosen.project),
        **shown,
    }
    return render(request, "annotation/captions/selection.html", context, status=status)


def _members(project: Project) -> list[Member]:
    """Those who can log in."""
    rows = Member.objects.filter(project=project, user__is_active=True).select_related("user")
    return list(rows.order_by("name"))


def _member(request: SignedInRequest, project: Project) -> Member | None:
    """The member who was chosen, None for nobody and for who is none."""
    wanted = request.POST.get("to", "")
    return next((row for row in _members(project) if str(row.pk) == wanted), None)


def _hand(request: SignedInRequest, chosen: ChosenCaptions) -> HttpResponseBase:
    project, to = chosen.project, _member(request, chosen.project)
    if to is None:
        fault = "Choose to whom. Nothing was done." if "to" in request.POST else ""
        return _page(request, chosen, "hand", status=422 if fault else 200, fault=fault)
    now, names = timezone.now(), worker_names(project)
    handing = caption_handing(project, chosen.items, to.user, now)
    shown: dict[str, Any] = {
        "to": to,
        "handing": handing,
        "taken": _named(handing.taken_from, names),
    }
    if "seen" not in request.POST:
        return _page(request, chosen, "hand", **shown)
    try:
        done = captions_hand_over(
            project=project,
            items=chosen.items,
            to=to,
            seen=request.POST["seen"],
            act=ProjectAct(request.user, now),
        )
    except Refused as error:
        handing = caption_handing(project, chosen.items, to.user, now)
        shown |= {"handing": handing, "taken": _named(handing.taken_from, names)}
        return _page(request, chosen, "hand", status=409, fault=str(error), **shown)
    given = count_of(len(done.assignments), "caption")
    messages.success(request, f"{given} handed to {to.name}.")
    return _back(project, chosen.match)


def _named(counts: dict[int, int], names: dict[int, str]) -> list[tuple[str, int]]:
    return sorted((names.get(user, ""), count) for user, count in counts.items())


def _again(request: SignedInRequest, chosen: ChosenCaptions) -> HttpResponseBase:
    project, wanted = chosen.project, request.POST.get("to")
    to = _member(request, project)
    if wanted is None:
        return _again_page(request, chosen)
    if wanted and to is None:
        fault = "Choose a member, or whoever is next. Nothing was done."
        return _again_page(request, chosen, status=422, fault=fault)
    if request.POST.get("count") != str(len(chosen.items)):
        fault = "Other captions match now. Look at the number again."
        return _again_page(request, chosen, status=409, fault=fault)
    act, seen = ProjectAct(request.user, timezone.now()), request.POST.get("seen", "")
    try:
        count = captions_ask_again(
            project=project,
            items=chosen.items,
            to=to,
            seen=int(seen) if seen.isdecimal() else 0,
            act=act,
        )
    except Refused as error:
        return _again_page(request, chosen, status=409, fault=str(error))
    left = len(chosen.items) - count
    text = f"One more answer is asked for: {count_of(count, 'caption')}."
    if to is not None and left:
        text += f" {to.name} has met {count_of(left, 'caption')} already, which stay as they were."
    messages.success(request, text)
    return _back(project, chosen.match)


def _send_back(request: SignedInRequest, chosen: ChosenCaptions) -> HttpResponseBase:
    project, sent = chosen.project, request.POST
    form = SendBackForm(sent if "seen" in sent else None)
    if not form.is_valid():
        return _sending_back_page(request, chosen, form, 422 if form.is_bound else 200)
    try:
        done = captions_send_back(
            project=project,
            items=chosen.items,
            note=form.cleaned_data["note"],
            seen=sent["seen"],
            act=ProjectAct(request.user, timezone.now()),
        )
    except Refused as error:
        return _sending_back_page(request, chosen, form, 409, fault=str(error))
    answers = count_of(len(done.answers), "answer")
    messages.success(request, f"{answers} to {count_of(len(done.captions), 'caption')} sent back.")
    return _back(project, chosen.match)


def _sending_back_page(
    request: SignedInRequest,
    chosen: ChosenCaptions,
    form: SendBackForm,
    status: int,
    *,
    fault: str = "",
) -> HttpResponseBase:
    chosen.project.refresh_from_db(fields=["closed"])
    sending = caption_sending_back(chosen.project, chosen.items)
    people = _named(sending.people, worker_names(chosen.project))
    shown = {"form": form, "sending": sending, "people": people, "fault": fault}
    return _page(request, chosen, "send-back", status=status, **shown)


def _remove(request: SignedInRequest, chosen: ChosenCaptions) -> HttpResponseBase:
    project, seen = chosen.project, request.POST.get("seen")
    if seen is None:
        return _page(request, chosen, "remove", removal=caption_removal(chosen.items))
    act = ProjectAct(request.user, timezone.now())
    try:
        done = captions_remove(project=project, items=chosen.items, seen=seen, act=act)
    except Refused as error:
        removal = caption_removal(chosen.items)
        return _page(request, chosen, "remove", status=409, removal=removal, fault=str(error))
    removed = count_of(done.captions, "caption")
    messages.success(request, f"{removed} removed. Under Removed they can be brought back.")
    return _back(project, chosen.match)


def _bring_back(request: SignedInRequest, chosen: ChosenCaptions) -> HttpResponseBase:
    project = chosen.project
    if "seen" not in request.POST:
        return _page(request, chosen, BRING_BACK, removal=caption_removal(chosen.items))
    act = ProjectAct(request.user, timezone.now())
    count = captions_bring_back(project=project, items=chosen.items, act=act)
    tasks.labelling_enqueue(project)
    messages.success(request, f"{count_of(count, 'caption')} brought back.")
    return _back(project, chosen.match)


def _again_page(
    request: SignedInRequest, chosen: ChosenCaptions, *, status: int = 200, fault: str = ""
) -> HttpResponseBase:
    wanted = answers_wanted(chosen.items)
    return _page(request, chosen, "again", status=status, fault=fault, wanted=wanted)


def _export(request: SignedInRequest, chosen: ChosenCaptions) -> HttpResponseBase:
    sent, project = request.POST, chosen.project
    shown: dict[str, Any] = {
        "formats": FORMATS.values(),
        "answers": ANSWERS,
        "names": sorted(worker_names(project).values()),
    }
    if "format" not in sent:
        return _page(request, chosen, "export", **shown)
    items = frozenset(chosen.items)
    choice = ExportSelection(sent.get("who") or "all", sent.get("answer", ""), items=items)
    try:
        return download_response(download_of(project, sent["format"], choice))
    except Refused as error:
        return _page(request, chosen, "export", status=422, fault=str(error), **shown)


_ACTS: dict[str, Callable[[SignedInRequest, ChosenCaptions], HttpResponseBase]] = {
    "hand": _hand,
    "again": _again,
    "send-back": _send_back,
    "remove": _remove,
    BRING_BACK: _bring_back,
    "export": _export,
}
