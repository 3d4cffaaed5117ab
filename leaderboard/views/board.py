"""The leaderboard of a phase: the page and its files, its history and its stored rankings."""

import math
from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from earmark.packages.metadata_fields import CHARACTERISTICS
from earmark.registry import METRICS
from leaderboard import access
from leaderboard.models import Phase, RankSnapshot
from leaderboard.selectors.analysis.tricks import false_sound_share, tricks_that_raise
from leaderboard.selectors.board.columns import Column, Preset, grouped, presets
from leaderboard.selectors.board.files import WRITERS, FileStyle, Format, contents_of
from leaderboard.selectors.board.query import BoardQuery, External, Filters, Sort
from leaderboard.selectors.board.table import Table, table_key, table_of
from leaderboard.selectors.figures.drawing import drawn
from leaderboard.selectors.figures.figure import Figure, Numbers
from leaderboard.selectors.figures.ranking import history_figure, scores_figure
from leaderboard.selectors.lab.composite import ranking_formula, terms_in_use
from leaderboard.selectors.organising.challenges import phase_state
from leaderboard.selectors.organising.rescoring import rescored_since
from leaderboard.selectors.ranking.history import history_of
from leaderboard.selectors.ranking.snapshots import canonical, kept_metric, kept_rows, snapshots_of
from leaderboard.selectors.visibility.visibility import Visibility, public_view
from leaderboard.views.pages import phase_context
from leaderboard.web.page_cache import cached_fragment
from leaderboard.web.version_cache import kept_for_version
from leaderboard.web.visitors_cache import cached_for_visitors

# All that ``asked_of`` reads.
PARAMETERS = (
    *("systems", "columns", "preset", "sort", "page", "own", "as"),
    *("q", "encoder", "decoder", "smallest", "largest", "external"),
)


@require_safe
@cached_for_visitors(*PARAMETERS)
def board(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show who stands where, or why it is not shown."""
    found = access.phase_for(request.user, challenge, phase)
    now = timezone.now()
    context: dict[str, object] = {
        **phase_context(found),
        "state": phase_state(found, now),
        "may_see_scores": access.may_see_scores(request.user, found),
        "may_see_clips": access.may_see_clips(request.user, found),
    }
    if context["may_see_scores"]:
        query = asked_of(request.GET)
        view = _view(request, found, query, now)
        own_teams = frozenset(access.teams_of(request.user).values_list("pk", flat=True))
        table = table_of(found, query, view=view, own_teams=own_teams)
        may_compare = bool(context["may_see_clips"]) and table.total > 1
        formula = ranking_formula(found)
        context |= {
            "asked": query,
            "table": table,
            "figure": _picture(table),
            "table_html": _table_html(table, query, view, own_teams, may_compare=may_compare),
            "may_compare": may_compare,
            "own_teams": own_teams,
            "as_visitor": query.as_visitor,
            # What this reader sees, and what others do.
            "view": view,
            "names_hidden": not public_view(found, now).names,
            "has_snapshots": view.whole and found.keeps_rankings,
            "choices": _choices(table),
            "presets": _presets(query, table),
            "changed": rescored_since(
                found, [column.info for column in (table.ranking, *table.columns)], view.until
            ),
            "formula": formula,
            # They were measured with the defaults.
            **(
                {}
                if table.ranking.info.differences and not formula
                else {
                    "tricks": tricks_that_raise(terms_in_use(found)),
                    "false_sounds": false_sound_share(found.ranking_metric),
                }
            ),
        }
    return render(request, "leaderboard/board/board.html", context)


def _picture(table: Table) -> Figure | None:
    """The best systems with their intervals; the table under it has the numbers."""
    if table.sort != Sort() or table.page.number > 1:
        return None
    figure = scores_figure(table.phase, table.rows)
    return figure and replace(figure, numbers=Numbers((), ()))


@require_safe
@cached_for_visitors()
def board_picture(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Draw the best systems for sites that show a link, as a visitor sees them, whoever asks."""
    visitor = AnonymousUser()
    found = access.phase_for(visitor, challenge, phase)
    if not access.may_see_scores(visitor, found):
        raise Http404
    table = table_of(found, BoardQuery(), view=public_view(found, timezone.now()))
    figure = scores_figure(found, table.rows)
    if figure is None:
        raise Http404
    return HttpResponse(drawn(figure, "png"), content_type="image/png")


def _table_html(
    table: Table,
    query: BoardQuery,
    view: Visibility,
    own_teams: frozenset[int],
    *,
    may_compare: bool,
) -> str:
    """The table as HTML: a hundred rows take longer than all else of the page."""
    key = table_key(table.phase, query, view=view, own_teams=own_teams)
    context = {
        "phase": table.phase,
        "table": table,
        "asked": query,
        "may_compare": may_compare,
        "characteristics": list(CHARACTERISTICS.values()),
    }
    return kept_for_version(
        ("table html", may_compare, *key),
        lambda: render_to_string("leaderboard/board/_table.html", context),
    )


def _view(request: HttpRequest, phase: Phase, query: BoardQuery, now: datetime) -> Visibility:
    if query.as_visitor:
        return public_view(phase, now)
    return access.visibility_for(request.user, phase, now)


TYPES: dict[Format, tuple[str, str]] = {
    "csv": ("text/csv", "csv"),
    "latex": ("text/plain", "tex"),
}


@require_safe
def export(request: HttpRequest, challenge: str, phase: str) -> HttpResponseBase:
    """Send all rows and the requested columns as a file for a paper."""
    found = access.phase_for(request.user, challenge, phase)
    if not access.may_see_scores(request.user, found):
        raise Http404
    wanted = next((name for name in TYPES if name == request.GET.get("format")), None)
    if wanted is None:
        raise Http404
    query = asked_of(request.GET)
    contents = contents_of(
        found,
        query,
        view=_view(request, found, query, timezone.now()),
        own=access.teams_of(request.user).values_list("pk", flat=True),
    )
    style = FileStyle("intervals" in request.GET, "second" in request.GET)
    kind, ending = TYPES[wanted]
    response = StreamingHttpResponse(
        WRITERS[wanted](contents, style), content_type=f"{kind}; charset=utf-8"
    )
    name = f"{found.challenge.slug}-{found.slug}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _choices(table: Table) -> list[tuple[str, list[tuple[Column, bool]]]]:
    """The columns that can be chosen, in groups, each with whether it is shown."""
    shown = {column.info.name for column in table.columns}
    return [
        (title, [(column, column.info.name in shown) for column in columns])
        for title, columns in grouped(table.choices, lambda column: column.info.family)
    ]


def _presets(query: BoardQuery, table: Table) -> list[tuple[Preset, str, bool]]:
    """The presets that show something here, each with its address and whether it is on.

    Where there is no metric beside the one that decides they would all show the same.
    """
    there = {column.info.name for column in (table.ranking, *table.choices) if table.choices}
    return [
        (
            preset,
            query.query(preset=preset.name, columns=None),
            query.columns is None and query.preset == preset.name,
        )
        for preset in presets().values()
        if not preset.metrics or there & set(preset.metrics)
    ]


LONGEST = 80
_EXTERNAL: tuple[External, ...] = ("yes", "no")


def asked_of(query: QueryDict) -> BoardQuery:
    """Read an address."""
    preset = query.get("preset", "")
    return BoardQuery(
        every_system=query.get("systems") == "all",
        columns=_columns(query),
        preset=preset if preset in presets() else "",
        sort=Sort.read(query.get("sort", "")),
        own=query.get("own") == "1",
        filters=_filters(query),
        page=page_number(query.get("page", "")),
        as_visitor=query.get("as") == "visitor",
    )


def _columns(query: QueryDict) -> tuple[str, ...] | None:
    if "columns" not in query:
        return None
    names = set(query.getlist("columns"))
    return ("all",) if "all" in names else tuple(name for name in METRICS if name in names)


def _filters(query: QueryDict) -> Filters:
    external = query.get("external", "")
    return Filters(
        q=_words(query.get("q", "")),
        encoder=_words(query.get("encoder", "")),
        decoder=_words(query.get("decoder", "")),
        smallest=_millions(query.get("smallest", "")),
        largest=_millions(query.get("largest", "")),
        external=next((name for name in _EXTERNAL if name == external), ""),
    )


def _words(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())[:LONGEST].rstrip()


def _millions(text: str) -> float | None:
    try:
        number = float(text[:20])
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def page_number(text: str) -> int:
    """Read the number of a page; nonsense means the first."""
    return int(text[:9]) if text.isascii() and text.isdigit() else 1


@require_safe
@cached_for_visitors("show")
def history(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show how the teams came to their ranks, and the rankings that were kept.

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
        "may_see_kept": view.whole,
        "snapshots": snapshots_of(found) if view.whole and found.keeps_rankings else None,
        "is_organiser": access.is_organiser(request.user, found.challenge),
        "figure": history_figure(ways, by_score=by_score) if ways.moments else None,
    }
    return render(request, "leaderboard/ranking/history.html", context)


@require_safe
def snapshot(request: HttpRequest, challenge: str, phase: str, pk: int) -> HttpResponse:
    """Show or download one kept ranking: of the teams, or of every system."""
    found = access.snapshots_for(request.user, challenge, phase)
    kept = get_object_or_404(snapshots_of(found), pk=pk)
    if request.GET.get("format") == "json":
        return _snapshot_file(found, kept)
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


def _snapshot_file(phase: Phase, kept: RankSnapshot) -> HttpResponse:
    """The very bytes whose sha256 is shown."""
    name = f"{phase.challenge.slug}-{phase.slug}-{kept.taken_at:%Y%m%dT%H%M%SZ}.json"
    return HttpResponse(
        canonical(kept.content).encode(),
        content_type="application/json; charset=utf-8",
        headers={
            "Content-Disposition": content_disposition_header(as_attachment=True, filename=name),
            "X-Content-Type-Options": "nosniff",
        },
    )
