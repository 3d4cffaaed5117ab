"""The leaderboard of a phase."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.selectors.boards import Column, Kept, Table, table_of
from leaderboard.selectors.challenges import phase_state
from leaderboard.selectors.groups import grouped
from leaderboard.selectors.phases import board_of


@require_safe
def board(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show who stands where, or why it is not shown."""
    found = access.phase_for(request.user, challenge, phase)
    context: dict[str, object] = {
        "phase": found,
        "challenge": found.challenge,
        "state": phase_state(found, timezone.now()),
        "may_see_scores": access.may_see_scores(request.user, found),
        "may_see_clips": access.may_see_clips(request.user, found),
    }
    if context["may_see_scores"]:
        every_system = request.GET.get("systems") == "all"
        own_teams = set(access.teams_of(request.user).values_list("pk", flat=True))
        columns = request.GET.getlist("columns") if "columns" in request.GET else None
        table = table_of(
            board_of(found, every_system=every_system),
            sort=request.GET.get("sort", ""),
            columns=columns,
            own_teams=own_teams,
        )
        context |= {
            "every_system": every_system,
            "table": table,
            "kept": _kept(table, columns, every_system=every_system),
            "choices": _choices(table),
        }
    return render(request, "leaderboard/board.html", context)


def _kept(table: Table, asked: list[str] | None, *, every_system: bool) -> Kept:
    if asked is None:
        names = []
    elif "all" in asked:
        names = ["all"]
    else:
        # None chosen is a choice, too.
        names = [name for name in asked if name in {c.info.name for c in table.choices}] or [""]
    return Kept(
        systems=(("systems", "all"),) if every_system else (),
        columns=tuple(("columns", name) for name in names),
    )


def _choices(table: Table) -> list[tuple[str, list[tuple[Column, bool]]]]:
    """Give the columns that can be chosen, in groups, each with whether it is shown."""
    shown = {column.info.name for column in table.columns}
    return [
        (title, [(column, column.info.name in shown) for column in columns])
        for title, columns in grouped(table.choices, lambda column: column.info.family)
    ]
