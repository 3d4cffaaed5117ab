"""The captions of a project: to search them and to see how far each is."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotation import access
from annotation.forms.captions import CaptionFilter
from annotation.models import Role
from annotation.selectors.captions.facts import CaptionState, caption_facts, removed_facts
from annotation.selectors.captions.history import caption_history
from annotation.selectors.captions.matches import CaptionMatches, caption_matches, has_suggestions
from annotation.selectors.captions.rows import caption_rows
from annotation.selectors.projects import worker_names
from annotation.selectors.tasks import audio_addresses, audio_origins
from annotation.services.answers import agreement_note_shown
from annotation.views.pages import show_page
from leaderboard.web.file_responses import allow_media_from
from leaderboard.web.requests import SignedInRequest, signed_in_page

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
    found = access.item_to_manage(request.user, project, item_id)
    agreement_note_shown(project=found.project, user=request.user, now=timezone.now())
    names = worker_names(found.project)
    facts_of = caption_facts if found.removed_at is None else removed_facts
    facts = facts_of(found.project, only=found.pk)
    context = {
        "project": found.project,
        "removed": found.removed_at is not None,
        "row": caption_rows(found.project, facts, names)[0],
        "history": caption_history(found, names),
        "audio": audio_addresses([found]).get(found.pk, ""),
    }
    page = render(request, "annotation/captions/caption.html", context)
    return allow_media_from(request, page, audio_origins(found.project))
