"""Leaderboards, and how their ranks came about."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Literal

from django.utils import timezone
from ninja import P, Query, QueryEx, Router, Schema
from pydantic import Field, FiniteFloat

from earmark.registry import Direction
from leaderboard import access
from leaderboard.api.schemas.analysis import SystemRef
from leaderboard.api.schemas.scores import ScoreOut, cut, scores
from leaderboard.models import Kind, Phase
from leaderboard.selectors.board.query import BoardQuery, Filters, Sort
from leaderboard.selectors.board.rows import board_with
from leaderboard.selectors.board.table import (
    TEXT_KEYS,
    TeamInPhases,
    all_phases,
    rows_shown,
    select,
)
from leaderboard.selectors.evaluations.progress import State
from leaderboard.selectors.organising.rescoring import rescored_since
from leaderboard.selectors.ranking.history import History, RankMoment, history_of
from leaderboard.selectors.ranking.rank_intervals import State as RangeState
from leaderboard.selectors.ranking.rank_intervals import ranges_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.web.api_auth import ANYONE, VisitorRequest
from leaderboard.web.refusals import Refused

MOST_ROWS = 1000
USUAL_ROWS = 500


class BoardParameters(Schema):
    """What of a leaderboard is asked for; ranks are always those of the whole ranking."""

    systems: Literal["counting", "all"] = Field(
        "counting", description="counting: the system that counts for each team; all: every system."
    )
    metric: list[str] = Field(
        [], max_length=40, description="Metrics to give beside the ranking one; without: all."
    )
    sort: str = Field(
        "",
        max_length=40,
        description=f"rank, {', '.join(TEXT_KEYS)} or a metric (best first); - before it reverses "
        "the order. Without: by rank.",
    )
    q: str = Field("", max_length=80, description="Words of the names of system and team.")
    encoder: str = Field("", max_length=80, description="Words of what models the audio.")
    decoder: str = Field("", max_length=80, description="Words of what models the words.")
    smallest: FiniteFloat | None = Field(None, ge=0, description="Parameters, in millions.")
    largest: FiniteFloat | None = Field(None, ge=0, description="Parameters, in millions.")
    external: Literal["", "yes", "no"] = Field("", description="Whether external data was used.")
    limit: int = Field(USUAL_ROWS, ge=1, le=MOST_ROWS, description="Rows to give.")
    offset: int = Field(0, ge=0, le=1_000_000, description="Rows to leave out before them.")

    @property
    def asked(self) -> BoardQuery:
        """The same as the page asks it."""
        return BoardQuery(
            every_system=self.systems == "all",
            sort=Sort.read(self.sort),
            filters=Filters(**{spec.name: getattr(self, spec.name) for spec in fields(Filters)}),
        )

    def unknown(self, computed: Collection[str]) -> list[str]:
        """The names that are no metrics among those ``computed``."""
        sorts = {"", "rank", *TEXT_KEYS, *computed}
        names = [*self.metric, *([] if self.asked.sort.key in sorts else [self.asked.sort.key])]
        return [name for name in names if name not in computed]


class RankIntervalOut(Schema):
    """The ranks of the middle 95 % of resamples."""

    low: int
    high: int


class BoardRow(Schema):
    """A system of the leaderboard; ``rank`` is null where it has none."""

    rank: int | None
    rank_interval: RankIntervalOut | None = Field(
        validation_alias="range",
        description="Ranks in random draws of the clips, the same for all systems; null where "
        "unknown.",
    )
    tied_with: list[str] | None = Field(
        description="Ids of the systems that the data cannot tell it from; null where unknown."
    )
    counts: bool = Field(description="Whether this system stands for its team.")
    kind: Kind = Field(
        description="system: competes; baseline, and human (one reference against the others), "
        "have no rank."
    )
    id: str = Field(validation_alias="public_id")
    team: str = Field(validation_alias="team_slug", description="The team's slug.")
    team_name: str
    system_name: str
    submitted_at: datetime
    state: State
    metrics: dict[str, ScoreOut]


class ChangedMetricOut(Schema):
    """A metric with other parameters than the usual ones."""

    label: str
    since: datetime | None = Field(description="null: from the start of the phase.")
    reason: str = Field(description="The organisers'.")


class BoardOut(Schema):
    """A part of a leaderboard."""

    challenge: str
    phase: str
    ranking_metric: str
    ranking_label: str = Field(description="With what differs from the metric's defaults.")
    changed_metrics: list[ChangedMetricOut] = Field(
        description="Those whose parameters are not the usual ones, since when and why."
    )
    direction: Direction
    precision: int
    systems: Literal["counting", "all"]
    total: int = Field(description="Ranked and unranked systems of the table that compete.")
    matching: int = Field(description="Those of them that are what was asked for.")
    offset: int
    rank_intervals: RangeState = Field(
        description="known; pending: being computed; none: nothing to compare, or not possible."
    )
    resamples: int | None = Field(description="Draws behind the intervals; null where unknown.")
    rows: list[BoardRow] = Field(
        description="What does not compete comes after the last system, beyond the limit."
    )


class PhaseColumnOut(Schema):
    """A phase of the table of all phases."""

    slug: str = Field(validation_alias="phase.slug")
    name: str = Field(validation_alias="phase.name")
    ranking_metric: str = Field(validation_alias="phase.ranking_metric")
    ranking_label: str = Field(
        validation_alias="info.label", description="With what differs from the metric's defaults."
    )
    direction: Direction = Field(validation_alias="phase.ranking.direction")
    precision: int = Field(validation_alias="phase.precision")


class PhaseCellOut(Schema):
    """The system that counts for a team in a phase."""

    id: str
    system_name: str
    rank: int | None
    value: float | None = Field(description="Of the ranking metric of the phase.")


class TeamInPhasesOut(Schema):
    """A team in the phases in which it takes part."""

    team: str | None = Field(description="The team's slug; null where names are hidden.")
    team_name: str
    phases: dict[str, PhaseCellOut] = Field(description="By the slug of the phase.")


class AllPhasesOut(Schema):
    """The rankings of a challenge's phases side by side, those whose scores you may see."""

    challenge: str
    phases: list[PhaseColumnOut]
    total: int = Field(description="Rows of all pages.")
    page: int
    rows: list[TeamInPhasesOut] = Field(
        description="Where a phase hides names, its teams have rows of that phase alone."
    )


class RankHistoryOut(Schema):
    """Who stood where when: replayed from the times of submission with present values."""

    step: Literal["submission", "day", "week", "month"]
    teams: int = Field(description="Teams that have a rank now.")
    systems: list[SystemRef] = Field(
        validation_alias="lines", description="What counts for each of the teams shown."
    )
    moments: list[RankMoment]


router = Router(tags=["For everyone"], auth=ANYONE)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/leaderboard",
    response={200: BoardOut},
    operation_id="leaderboard",
    summary="Read a leaderboard",
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
)
def all_phases_of(
    request: VisitorRequest,
    challenge: str,
    sort: QueryEx[
        str, P(max_length=60, description="Slug of a phase, best first, or @team; - reverses it.")
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
        "phases": table.rankings,
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
