"""Leaderboards, and how their ranks came about."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from ninja import Query, Router

from leaderboard import access
from leaderboard.api.schemas.boards import (
    BoardOut,
    BoardParameters,
    RankHistoryOut,
)
from leaderboard.api.schemas.scores import scores
from leaderboard.models import Phase
from leaderboard.selectors.board.rows import board_with
from leaderboard.selectors.board.table import rows_shown, select
from leaderboard.selectors.ranking.history import History, history_of
from leaderboard.selectors.ranking.rank_intervals import ranges_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.api_errors import ApiError

router = Router(tags=["Challenges"], auth=ANYONE)


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
        raise ApiError(
            404, f"There is no metric {unknown[0]!r} here. Choose from: {', '.join(computed)}."
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
    "/phases/{slug:challenge}/{slug:phase}/history",
    response={200: RankHistoryOut},
    operation_id="rank_history",
    summary="Read who stood where when",
    openapi_extra=PUBLIC,
)
def rank_history(request: VisitorRequest, challenge: str, phase: str) -> History:
    """The ranks of the best 15 teams, and of your own, after each submission.

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
        raise ApiError(403, "The scores of this phase are not public.")
    return found


def _row(row: RankedRow, ids: Mapping[int, str], *, phase: Phase, exact: bool) -> dict[str, Any]:
    return {
        **row._asdict(),
        "tied_with": row.range and [ids[key] for key in row.range.tied if key in ids],
        "state": row.progress.state,
        "metrics": scores(row.values, phase=phase, exact=exact),
    }
