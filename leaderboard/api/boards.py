"""Leaderboards, and how their ranks came about."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone
from ninja import P, Query, QueryEx, Router

from leaderboard import access
from leaderboard.api.schemas.boards import (
    AllPhasesOut,
    BoardOut,
    BoardParameters,
    PhaseCellOut,
    PhaseColumnOut,
    RankHistoryOut,
)
from leaderboard.api.schemas.scores import cut, scores
from leaderboard.models import Phase
from leaderboard.selectors.board.all_phases import TeamInPhases, all_phases
from leaderboard.selectors.board.query import Sort
from leaderboard.selectors.board.rows import board_with
from leaderboard.selectors.board.table import rows_shown, select
from leaderboard.selectors.organising.rescoring import rescored_since
from leaderboard.selectors.ranking.history import History, history_of
from leaderboard.selectors.ranking.rank_intervals import ranges_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.refusals import Refused

router = Router(tags=["For everyone"], auth=ANYONE)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/leaderboard",
    response={200: BoardOut},
    operation_id="leaderboard",
    summary="Read a leaderboard",
    openapi_extra=PUBLIC,
)
def leaderboard(
    request: VisitorRequest, challenge: str, phase: str, query: Query[BoardParameters]
) -> dict[str, Any]:
    """The rows in rank order, those without a rank last, then what does not compete.

    Up to 500 rows unless ``limit`` says otherwise; ``total`` tells how many there are.
    Ranks, their intervals and ties are those of the whole table, whatever is left out.
    """
    found = _phase(request, challenge, phase)
    computed = found.computed
    if unknown := query.unknown(computed):
        raise Refused(
            f"There is no metric {unknown[0]!r} here. Choose from: {', '.join(computed)}.",
            status=404,
        )
    view = access.visibility_for(request.auth, found, timezone.now())
    selection = select(found, query.asked, view=view)
    lines = selection.rows[query.offset : query.offset + query.limit]
    keys = [line.key for line in lines]
    metrics = {found.ranking_metric, *query.metric} if query.metric else None
    board = board_with(selection.ranking, keys, metrics=metrics)
    ranges = ranges_of(selection.ranking, keys)
    ids = {line.key: line.public_id for line in selection.ranking.rows}
    exact = access.may_see_clips(request.auth, found)
    at_end = query.offset + query.limit >= len(selection.rows)
    rows = (*rows_shown(board, frozenset(), ranges), *(board.unranked if at_end else ()))
    return {
        "challenge": found.challenge.slug,
        "phase": found.slug,
        "ranking_metric": found.ranking_metric,
        "ranking_label": selection.ranking.info.label,
        "changed_metrics": rescored_since(found, board.metrics, view.until),
        "direction": found.ranking.direction,
        "precision": found.precision,
        "systems": query.systems,
        "total": len(selection.ranking.rows),
        "matching": len(selection.rows),
        "offset": query.offset,
        "rank_intervals": ranges.state,
        "resamples": ranges.resamples or None,
        "rows": [_row(row, ids, phase=found, exact=exact) for row in rows],
    }


@router.get(
    "/challenges/{slug:challenge}/leaderboards",
    response={200: AllPhasesOut},
    operation_id="all_phases",
    summary="Read the ranks of all phases side by side",
    openapi_extra=PUBLIC,
)
def all_phases_of(
    request: VisitorRequest,
    challenge: str,
    sort: QueryEx[
        str, P(max_length=60, description="Slug of a phase, best first, or @team; - turns round.")
    ] = "",
    page: QueryEx[int, P(ge=1, le=1_000_000, description="Of 100 rows each.")] = 1,
) -> dict[str, Any]:
    """Each team with its rank and deciding value in every phase whose scores you may see."""
    found = access.challenge_for(request.auth, challenge)
    phases = access.phases_with_scores(request.auth, found, timezone.now())
    table = all_phases(phases, Sort.read(sort), page=page)
    exact = [access.may_see_clips(request.auth, phase) for phase in table.columns]
    return {
        "challenge": found.slug,
        "phases": [
            PhaseColumnOut(
                slug=phase.slug,
                name=phase.name,
                ranking_metric=phase.ranking_metric,
                ranking_label=ranking.info.label,
                direction=phase.ranking.direction,
                precision=phase.precision,
            )
            for ranking in table.rankings
            for phase in [ranking.phase]
        ],
        "total": table.page.paginator.count,
        "page": table.page.number,
        "rows": [_team_row(row, table.columns, exact) for row in table.page],
    }


def _team_row(row: TeamInPhases, phases: Sequence[Phase], exact: Sequence[bool]) -> dict[str, Any]:
    cells = {
        phase.slug: PhaseCellOut(
            id=cell.public_id,
            system_name=cell.system_name,
            rank=cell.rank,
            value=cut(cell.value, None if whole else phase.precision),
        )
        for phase, cell, whole in zip(phases, row.cells, exact, strict=True)
        if cell is not None
    }
    return {"team": row.slug, "team_name": row.name, "phases": cells}


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/history",
    response={200: RankHistoryOut},
    operation_id="rank_history",
    summary="Rank history",
    openapi_extra=PUBLIC,
)
def rank_history(request: VisitorRequest, challenge: str, phase: str) -> History:
    """The ranks and scores of the best 15 teams, and of your own, after each submission.

    Replayed from the times of submission with the values of today, so that a rescoring
    changes the past, too.
    """
    found = _phase(request, challenge, phase)
    view = access.visibility_for(request.auth, found, timezone.now())
    own = frozenset(access.teams_of(request.auth).values_list("pk", flat=True))
    return history_of(found, view=view, own_teams=own)


def _phase(request: VisitorRequest, challenge: str, phase: str) -> Phase:
    found = access.phase_for(request.auth, challenge, phase)
    if not access.may_see_scores(request.auth, found):
        raise Refused("The scores of this phase are not public.", status=403)
    return found


def _row(row: RankedRow, ids: Mapping[int, str], *, phase: Phase, exact: bool) -> dict[str, Any]:
    return {
        **row._asdict(),
        "tied_with": row.range and [ids[key] for key in row.range.tied if key in ids],
        "state": row.progress.state,
        "metrics": scores(row.values, phase=phase, exact=exact),
    }
