"""How ranks came about, and rankings stored as snapshots."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import Phase, RankSnapshot
from leaderboard.selectors.figures.history import history_figure
from leaderboard.selectors.ranking.history import history_of
from leaderboard.selectors.ranking.snapshots import (
    canonical,
    kept_metric,
    kept_rows,
    snapshots_of,
)
from leaderboard.views.pages import phase_context
from leaderboard.web.page_cache import cached_fragment
from leaderboard.web.visitors_cache import cached_for_visitors


@require_safe
@cached_for_visitors("show")
def history(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show how the teams came to their ranks, where everyone's scores may be seen.

    ``?show=scores`` draws their scores instead of their ranks.
    """
    found = access.phase_for(request.user, challenge, phase)
    if not access.may_see_scores(request.user, found):
        raise Http404
    own = frozenset(access.teams_of(request.user).values_list("pk", flat=True))
    view = access.visibility_for(request.user, found, timezone.now())
    ways = history_of(found, view=view, own_teams=own)
    by_score = request.GET.get("show") == "scores"
    context = {
        **phase_context(found),
        "history": ways,
        "by_score": by_score,
        "has_snapshots": view.whole and found.keeps_rankings,
        "figure": history_figure(ways, by_score=by_score) if ways.moments else None,
    }
    return render(request, "leaderboard/ranking/history.html", context)


@require_safe
def snapshot_list(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """List the kept rankings of a phase."""
    found = access.snapshots_for(request.user, challenge, phase)
    context = {
        **phase_context(found),
        "snapshots": snapshots_of(found),
        "is_organiser": access.is_organiser(request.user, found.challenge),
    }
    return render(request, "leaderboard/ranking/snapshots.html", context)


@require_safe
def snapshot(request: HttpRequest, challenge: str, phase: str, pk: int) -> HttpResponse:
    """Show one kept ranking: of the teams, or of every system."""
    found = access.snapshots_for(request.user, challenge, phase)
    kept = _snapshot(found, pk)
    every_system = request.GET.get("systems") == "all"
    info = kept_metric(kept)
    context = {
        **phase_context(found),
        "snapshot": kept,
        "ranking_label": info.label if info else kept.ranking_metric,
        "every_system": every_system,
        # It never changes, and takes a second to read where there are thousands of systems.
        "part": cached_fragment(
            request,
            "leaderboard/ranking/_kept_ranking.html",
            (kept.pk, kept.sha256, every_system),
            lambda: {
                "snapshot": kept,
                "info": info,
                "every_system": every_system,
                "rows": kept_rows(kept, every_system=every_system),
            },
        ),
    }
    return render(request, "leaderboard/ranking/snapshot.html", context)


@require_safe
def snapshot_json(request: HttpRequest, challenge: str, phase: str, pk: int) -> HttpResponse:
    """Download a kept ranking: the very bytes whose sha256 is shown."""
    found = access.snapshots_for(request.user, challenge, phase)
    kept = _snapshot(found, pk)
    name = f"{found.challenge.slug}-{found.slug}-{kept.taken_at:%Y%m%dT%H%M%SZ}.json"
    return HttpResponse(
        canonical(kept.content).encode(),
        content_type="application/json; charset=utf-8",
        headers={
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=name),
            "X-Content-Type-Options": "nosniff",
        },
    )


def _snapshot(phase: Phase, pk: int) -> RankSnapshot:
    found = snapshots_of(phase).filter(pk=pk).first()
    if found is None:
        raise Http404
    return found
