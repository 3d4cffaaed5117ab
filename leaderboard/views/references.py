"""The references of a phase to its readers: statistics of the captions, and their data card."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.clips.reference_card import card_for, described_references
from leaderboard.selectors.figures.captions import caption_statistics
from leaderboard.views.pages import phase_context
from leaderboard.web.page_cache import cached_fragment


@require_safe
def references(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show what the references of a phase are like; of hidden ones only how they were made."""
    found = access.phase_for(request.user, challenge, phase)
    if found.reference_set is None:
        raise Http404
    shown = access.may_see_clips(request.user, found)
    context = {
        **phase_context(found),
        "shown": shown,
        "card": card_for(found.reference_set, shown=shown),
    }
    if shown:
        content_hash = found.reference_set.content_hash
        context["statistics"] = cached_fragment(
            request,
            "leaderboard/references/_statistics.html",
            (content_hash,),
            lambda: {"statistics": caption_statistics(described_references(content_hash))},
        )
    return render(request, "leaderboard/references/references.html", context)
