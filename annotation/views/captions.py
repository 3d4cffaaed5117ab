"""The captions of a project: searching them, seeing how far each is, and acts on several at once.

Each act first says what it would do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation import access, tasks
from annotation.forms.captions import CaptionFilter, SendBackForm
from annotation.models import Item, Member, Project, Role
from annotation.selectors.captions.effects import (
    answers_wanted,
    caption_handing,
    caption_removal,
    caption_sending_back,
)
from annotation.selectors.captions.facts import CaptionState, caption_facts, removed_facts
from annotation.selectors.captions.matches import (
    CaptionMatches,
    CaptionViewer,
    caption_matches,
    has_suggestions,
)
from annotation.selectors.captions.rows import caption_history, caption_rows
from annotation.selectors.formats import ANSWERS, FORMATS, ExportSelection, download_of
from annotation.selectors.projects import worker_names
from annotation.selectors.tasks import audio_addresses, audio_origins
from annotation.services.answers import agreement_note_shown
from annotation.services.captions import (
    RESERVED_FOR,
    captions_ask_again,
    captions_bring_back,
    captions_hand_over,
    captions_remove,
    captions_send_back,
)
from annotation.views.pages import act_of, show_page, whole_number
from earmark.captions.faults import count_of
from leaderboard.web.file_responses import allow_media_from, download_response
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page

A_PAGE = 50


@signed_in_page
def captions(request: SignedInRequest, project: str) -> HttpResponse:
    """List the captions that match the address."""
    found = access.project_for(request.user, project, role=Role.ADJUDICATOR)
    viewer = access.caption_viewer_for(request.user, found)
    names = worker_names(found) if viewer.named else None
    form = CaptionFilter(request.GET, project=found, names=names, suggests=has_suggestions(found))
    context = {
        "project": found,
        "form": form,
        "manages": viewer.named,
        "removed": request.GET.get("state") == CaptionState.REMOVED,
        "filtered": any(name != "order" for name in form.address),
    }
    if not form.is_valid():
        return show_page(request, "captions/captions", context)
    # Who labels here, too, knows now what others say.
    agreement_note_shown(project=found, user=request.user, now=timezone.now())
    matches = caption_matches(found, viewer, form.query)
    page = Paginator(matches.rows, A_PAGE).get_page(request.GET.get("page"))
    context |= {
        "matches": matches,
        "states": _states(matches, form),
        "page": page,
        "query": urlencode(form.address),
        "rows": caption_rows(found, list(page), names),
    }
    return render(request, "annotation/captions/captions.html", context)


def _states(matches: CaptionMatches, form: CaptionFilter) -> list[tuple[str, int, str, bool]]:
    """Each state with how many captions are in it, the address that shows them, and if it does."""
    others = {name: value for name, value in form.address.items() if name != "state"}
    chosen = form.query.state
    present = matches.states.total() - matches.states[CaptionState.REMOVED]
    rows = [("All", present, f"?{urlencode(others)}", not chosen)]
    for state in CaptionState:
        if matches.states[state] or state == chosen:
            address = f"?{urlencode({**others, 'state': state.value})}"
            rows.append((state.label, matches.states[state], address, state == chosen))
    return rows


@signed_in_page
def caption(request: SignedInRequest, project: str, item_id: int) -> HttpResponse:
    """Show what people say of a caption now, and all that happened to it."""
    item = access.item_to_manage(request.user, project, item_id)
    agreement_note_shown(project=item.project, user=request.user, now=timezone.now())
    names = worker_names(item.project)
    facts_of = caption_facts if item.removed_at is None else removed_facts
    facts = facts_of(item.project, only=item.pk)
    answers, events = caption_history(item, names)
    context = {
        "project": item.project,
        "removed": item.removed_at is not None,
        "row": caption_rows(item.project, facts, names)[0],
        "answers": answers,
        "events": events,
        "audio": audio_addresses([item]).get(item.pk, ""),
    }
    page = render(request, "annotation/captions/caption.html", context)
    return allow_media_from(request, page, audio_origins(item.project))


# The only act on captions that were removed.
BRING_BACK = "bring-back"


@dataclass(frozen=True, slots=True)
class ChosenCaptions:
    """Chosen captions: ids in the order of the list; ``match`` is the address that lists them."""

    project: Project
    items: list[int]
    match: str
    every: bool


@dataclass(frozen=True, slots=True)
class SelectionAct:
    """What can be done with chosen captions.

    A page first says what it would do, by what is ``shown``. The form of that page has the field
    ``confirmed``, and ``do`` does it; it returns what to tell, or a page.
    """

    heading: str
    shown: Callable[[SignedInRequest, ChosenCaptions], dict[str, Any]]
    do: Callable[[SignedInRequest, ChosenCaptions], str | HttpResponseBase]
    confirmed: str = "seen"


@signed_in_form()
def selection(request: SignedInRequest, project: str) -> HttpResponseBase:
    """Say what an act would do with the chosen captions, or do it when confirmed."""
    if request.method != "POST":
        return redirect("annotation:captions", project=project)
    found = access.project_for(request.user, project, role=Role.MANAGER)
    try:
        chosen, act = _chosen(request, found), _act_asked(request)
    except Refused as error:
        messages.error(request, str(error))
        return _back(found, request.POST.get("match", ""))
    if act.confirmed not in request.POST:
        return _selection_page(request, chosen)
    try:
        done = act.do(request, chosen)
    except Refused as error:
        return _selection_page(request, chosen, status=error.status, fault=str(error))
    if isinstance(done, HttpResponseBase):
        return done
    messages.success(request, done)
    return _back(found, chosen.match)


def _chosen(request: SignedInRequest, project: Project) -> ChosenCaptions:
    """Read which captions are meant; refused where none is ticked or matches."""
    sent, match = request.POST, request.POST.get("match", "")
    if "all" not in sent:
        ticked = set(filter(None, map(whole_number, sent.getlist("item"))))
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
        raise Refused("The filter is no longer valid. Choose again.")
    rows = caption_matches(project, CaptionViewer(named=True), form.query).rows
    if not rows:
        raise Refused("No caption matches any more. Nothing was done.")
    return ChosenCaptions(project, [row.item for row in rows], match, every=True)


def _back(project: Project, match: str) -> HttpResponseBase:
    # Only what the list itself understands comes into the address.
    query = QueryDict(match).urlencode()
    address = reverse("annotation:captions", args=[project.slug])
    return redirect(f"{address}?{query}" if query else address)


def _act_asked(request: SignedInRequest) -> SelectionAct:
    act = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise Refused("Choose what to do with the captions.")
    return act


def _selection_page(
    request: SignedInRequest, chosen: ChosenCaptions, *, status: int = 200, fault: str = ""
) -> HttpResponseBase:
    act = _act_asked(request)
    shown = act.shown(request, chosen)
    to: Member | None = shown.get("to")
    captions = count_of(len(chosen.items), "caption")
    context = {
        "project": chosen.project,
        "chosen": chosen,
        "act": request.POST["act"],
        "heading": act.heading.format(captions=captions, to=to.name if to else "somebody"),
        "days": RESERVED_FOR.days,
        "members": _members(chosen.project),
        "fault": fault,
        **shown,
    }
    return render(request, "annotation/captions/selection.html", context, status=status)


def _members(project: Project) -> list[Member]:
    rows = Member.objects.filter(project=project, user__is_active=True).select_related("user")
    return list(rows.order_by("name"))


def _member(request: SignedInRequest, project: Project) -> Member | None:
    """The member who was chosen, None for nobody and for who is none."""
    wanted = request.POST.get("to", "")
    return next((row for row in _members(project) if str(row.pk) == wanted), None)


def _named(counts: dict[int, int], project: Project) -> list[tuple[str, int]]:
    names = worker_names(project)
    return sorted((names.get(user, ""), count) for user, count in counts.items())


def _handing(request: SignedInRequest, chosen: ChosenCaptions) -> dict[str, Any]:
    to = _member(request, chosen.project)
    if to is None:
        return {}
    handing = caption_handing(chosen.project, chosen.items, to.user, timezone.now())
    return {"to": to, "handing": handing, "taken": _named(handing["taken_from"], chosen.project)}


def _hand(request: SignedInRequest, chosen: ChosenCaptions) -> str | HttpResponseBase:
    to = _member(request, chosen.project)
    if to is None:
        raise Refused("Choose to whom. Nothing was done.", status=422)
    if "seen" not in request.POST:
        return _selection_page(request, chosen)
    seen, act = request.POST["seen"], act_of(request)
    done = captions_hand_over(project=chosen.project, items=chosen.items, to=to, seen=seen, act=act)
    return f"{count_of(len(done['assignments']), 'caption')} handed to {to.name}."


def _again(request: SignedInRequest, chosen: ChosenCaptions) -> str:
    to = _member(request, chosen.project)
    if request.POST["to"] and to is None:
        raise Refused("Choose a member, or whoever is next. Nothing was done.", status=422)
    if request.POST.get("count") != str(len(chosen.items)):
        raise Refused("Other captions match now. Check the number again.")
    seen, act = whole_number(request.POST.get("seen")) or 0, act_of(request)
    count = captions_ask_again(
        project=chosen.project, items=chosen.items, to=to, seen=seen, act=act
    )
    left = len(chosen.items) - count
    text = f"One more answer is asked for: {count_of(count, 'caption')}."
    if to is not None and left:
        text += f" {to.name} has already worked on {count_of(left, 'caption')}: no change there."
    return text


def _sending_back(request: SignedInRequest, chosen: ChosenCaptions) -> dict[str, Any]:
    chosen.project.refresh_from_db(fields=["closed"])
    sending = caption_sending_back(chosen.project, chosen.items)
    form = SendBackForm(request.POST if "seen" in request.POST else None)
    people = _named(sending["people"], chosen.project)
    return {"form": form, "sending": sending, "people": people}


def _send_back(request: SignedInRequest, chosen: ChosenCaptions) -> str | HttpResponseBase:
    form = SendBackForm(request.POST)
    if not form.is_valid():
        return _selection_page(request, chosen, status=422)
    done = captions_send_back(
        project=chosen.project,
        items=chosen.items,
        note=form.cleaned_data["note"],
        seen=request.POST["seen"],
        act=act_of(request),
    )
    answers = count_of(len(done["answers"]), "answer")
    return f"{answers} to {count_of(len(done['captions']), 'caption')} sent back."


def _removal(_: SignedInRequest, chosen: ChosenCaptions) -> dict[str, Any]:
    return {"removal": caption_removal(chosen.items)}


def _remove(request: SignedInRequest, chosen: ChosenCaptions) -> str:
    seen, act = request.POST["seen"], act_of(request)
    done = captions_remove(project=chosen.project, items=chosen.items, seen=seen, act=act)
    removed = count_of(done["captions"], "caption")
    return f"{removed} removed. Under Removed they can be brought back."


def _bring_back(request: SignedInRequest, chosen: ChosenCaptions) -> str:
    act = act_of(request)
    count = captions_bring_back(project=chosen.project, items=chosen.items, act=act)
    tasks.labelling_enqueue(chosen.project)
    return f"{count_of(count, 'caption')} brought back."


def _exported(_: SignedInRequest, chosen: ChosenCaptions) -> dict[str, Any]:
    names = sorted(worker_names(chosen.project).values())
    return {"formats": FORMATS.values(), "answers": ANSWERS, "names": names}


def _export(request: SignedInRequest, chosen: ChosenCaptions) -> HttpResponseBase:
    sent, items = request.POST, frozenset(chosen.items)
    choice = ExportSelection(sent.get("who") or "all", sent.get("answer", ""), items=items)
    try:
        return download_response(download_of(chosen.project, sent["format"], choice))
    except Refused as error:
        raise Refused(str(error), status=422) from error


_ACTS = {
    "hand": SelectionAct("Hand {captions} to {to}", _handing, _hand, "to"),
    "again": SelectionAct(
        "Ask for one more answer to {captions}",
        lambda _, chosen: {"wanted": answers_wanted(chosen.items)},
        _again,
        "to",
    ),
    "send-back": SelectionAct(
        "Send {captions} back to those who answered", _sending_back, _send_back
    ),
    "remove": SelectionAct("Remove {captions}", _removal, _remove),
    BRING_BACK: SelectionAct("Bring {captions} back", _removal, _bring_back),
    "export": SelectionAct("Download {captions}", _exported, _export, "format"),
}
