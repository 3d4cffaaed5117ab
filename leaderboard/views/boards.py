"""The leaderboard of a phase."""

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.board_asked import Asked
from leaderboard.selectors.board_columns import Column
from leaderboard.selectors.board_files import contents_of
from leaderboard.selectors.board_formats import WRITERS, Format, Style
from leaderboard.selectors.boards import Table, table_of
from leaderboard.selectors.challenges import phase_state
from leaderboard.selectors.groups import grouped
from leaderboard.selectors.presets import Preset, presets
from leaderboard.selectors.view import public_view
from leaderboard.views.board_asked import asked_of
from leaderboard.views.kept_back import kept_back


@require_safe
def board(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show who stands where, or why it is not shown."""
    found = access.phase_for(request.user, challenge, phase)
    now = timezone.now()
    context: dict[str, object] = {
        "phase": found,
        "challenge": found.challenge,
        "state": phase_state(found, now),
        "may_see_scores": access.may_see_scores(request.user, found),
        "may_see_clips": access.may_see_clips(request.user, found),
        "is_organiser": access.is_organiser(request.user, found.challenge),
    }
    if context["may_see_scores"]:
        asked = asked_of(request.GET)
        as_visitor = asked.as_visitor
        view = public_view(found, now) if as_visitor else access.view_of(request.user, found, now)
        own_teams = frozenset(access.teams_of(request.user).values_list("pk", flat=True))
        table = table_of(
            found,
            asked,
            view=view,
            own_teams=own_teams,
        )
        context |= {
            "asked": asked,
            "table": table,
            "own_teams": own_teams,
            "as_visitor": as_visitor,
            **kept_back(found, view, now),
            "has_snapshots": view.whole and found.keeps_rankings,
            "choices": _choices(table),
            "presets": _presets(asked, table),
        }
    return render(request, "leaderboard/board.html", context)


TYPES: dict[Format, tuple[str, str]] = {
    "csv": ("text/csv", "csv"),
    "latex": ("text/plain", "tex"),
    "markdown": ("text/plain", "md"),
}


@require_safe
def export(request: HttpRequest, challenge: str, phase: str) -> HttpResponseBase:
    """Give all rows and the columns that the address asks for, as a file for a paper."""
    found = access.phase_for(request.user, challenge, phase)
    if not access.may_see_scores(request.user, found):
        raise Http404
    wanted = next((name for name in TYPES if name == request.GET.get("format")), None)
    if wanted is None:
        raise Http404
    asked, now = asked_of(request.GET), timezone.now()
    view = public_view(found, now) if asked.as_visitor else access.view_of(request.user, found, now)
    contents = contents_of(
        found,
        asked,
        view=view,
        own=access.teams_of(request.user).values_list("pk", flat=True),
    )
    style = Style("intervals" in request.GET, "second" in request.GET)
    kind, ending = TYPES[wanted]
    response = StreamingHttpResponse(
        WRITERS[wanted](contents, style), content_type=f"{kind}; charset=utf-8"
    )
    name = f"{found.challenge.slug}-{found.slug}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _choices(table: Table) -> list[tuple[str, list[tuple[Column, bool]]]]:
    """Give the columns that can be chosen, in groups, each with whether it is shown."""
    shown = {column.info.name for column in table.columns}
    return [
        (title, [(column, column.info.name in shown) for column in columns])
        for title, columns in grouped(table.choices, lambda column: column.info.family)
    ]


def _presets(asked: Asked, table: Table) -> list[tuple[Preset, str, bool]]:
    """Give the presets that show something here, each with its address and whether it is on."""
    there = {column.info.name for column in (table.ranking, *table.choices)}
    return [
        (
            preset,
            asked.query(preset=preset.name, columns=None),
            asked.columns is None and asked.preset == preset.name,
        )
        for preset in presets().values()
        if not preset.metrics or there & set(preset.metrics)
    ]
