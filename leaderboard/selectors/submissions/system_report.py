"""Reading one system: its numbers beside the best of its phase."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.models import Kind, Submission
from leaderboard.selectors.board.best_values import BestValues, Measure, extremes_of
from leaderboard.selectors.board.columns import USUAL_COLUMNS, grouped
from leaderboard.selectors.board.rows import row_of, values_of_submission
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.evaluations.progress import progress_of
from leaderboard.selectors.ranking.interval_scale import Scale
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of
from leaderboard.selectors.submissions.value_places import (
    SystemSummary,
    ValuePlace,
    summary_of,
    value_places,
)
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.selectors.visibility.visible_submissions import (
    AnySubmission,
    VisibleSubmission,
    all_visible,
    frozen_row,
    row_of_submission,
    visible_evaluations,
    visible_results,
    with_clips,
)
from scoring.registry import METRICS, MetricInfo

RANKING = "Ranking metric"
# Values that stand above the table.
LEADING = 6


@dataclass(frozen=True, slots=True)
class BestValue:
    """The best value of a metric in the phase; ``here`` where this system has it.

    Where this system has a value, only those with the same signature compete.
    """

    value: MetricValue
    system: RankedRow
    here: bool


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One metric of the system; ``best`` and the scale's ticks only where all may be seen."""

    item: MetricValue
    ranking: bool
    best: BestValue | None
    scale: Scale | None


@dataclass(frozen=True, slots=True)
class TeamRank:
    """Where a system stands among ``teams``; rank None where it has none.

    ``counts``: it is the one that counts for its team.
    """

    rank: int | None
    teams: int
    counts: bool


@dataclass(frozen=True, slots=True)
class SystemReport:
    """A system's page: its place (None where not to be seen) and its scores.

    ``leading`` are the few values that come first, the one that decides before those of the
    phase's columns, each with its place among the phase's systems where that is known.
    """

    row: RankedRow
    place: TeamRank | None
    scores: tuple[SystemScore, ...]
    leading: tuple[tuple[MetricValue, ValuePlace | None], ...]
    summary: SystemSummary | None

    @property
    def ticked(self) -> bool:
        """Whether the values of other systems are drawn."""
        return any(score.scale is not None and score.scale.ticks for score in self.scores)

    @property
    def groups(self) -> tuple[tuple[str, tuple[SystemScore, ...]], ...]:
        """The scores for reading: what decides by itself, then the others by kind.

        What is still to be computed is left to the progress.
        """
        decided = [score for score in self.scores if not score.item.pending]
        first = tuple(score for score in decided if score.ranking)
        rest = grouped(
            (score for score in decided if not score.ranking), lambda score: score.item.info.family
        )
        return (*([(RANKING, first)] if first else []), *rest)


def scored_lines(ranking: Ranking) -> list[RankedRow]:
    """The lines that have a ranking value, best first."""
    sign = 1 if ranking.phase.ranking.direction == "lower" else -1
    scored = [(sign * line.value, line) for line in ranking.rows if line.value is not None]
    scored.sort(key=lambda pair: (pair[0], pair[1].submitted_at, pair[1].key))
    return [line for _, line in scored]


def unranked_in(ranking: Ranking) -> list[VisibleSubmission]:
    """List what does not compete in a ranking and has been scored."""
    if not ranking.unranked:
        return []
    rows = with_clips(Submission.objects.filter(pk__in=ranking.unranked))
    unranked = [row for row in all_visible(rows, ranking.view) if row.kind != Kind.SYSTEM]
    scored = set(visible_results(*unranked).values_list("submission", flat=True))
    return [system for system in unranked if system.pk in scored]


def report_of(
    submission: AnySubmission, *, with_others: bool, view: Visibility = EVERYTHING
) -> SystemReport:
    """A system's numbers; without ``with_others`` nothing of other systems is in it."""
    ranking = ranking_of(submission.phase, view=view, every_system=True)
    lines = {line.key: line for line in ranking.rows}
    in_ranking = submission.pk in lines or submission.pk in ranking.unranked
    # A team sees its own live beside a frozen table.
    same_moment = (view.until is None) == (frozen_row(submission) is None)
    row = row_of(ranking, submission.pk) if in_ranking and same_moment else _row_alone(submission)
    families = {family.family: family for family in row.progress.families}
    others = extremes_of(ranking) if with_others else None
    scores = [
        _score(ranking, row, row.shown(info.name), others)
        for info in METRICS.values()
        if info.name in row.values or (info.family in families and not info.several)
    ]
    # What decides comes first; the others keep the order used everywhere.
    scores.sort(key=lambda score: not score.ranking)
    placed = lines.get(submission.pk) if with_others else None
    place = None if placed is None else _place(ranking, placed)
    places = value_places(ranking, row) if with_others else {}
    phase = submission.phase
    first = tuple(dict.fromkeys((phase.ranking_metric, *(phase.columns or USUAL_COLUMNS))))
    known = [name for name in first if name in row.values and row.values[name].value is not None]
    leading = tuple((row.values[name], places.get(name)) for name in known[:LEADING])
    return SystemReport(row, place, tuple(scores), leading, summary_of(places, first))


def _row_alone(submission: AnySubmission) -> RankedRow:
    """The row of a system that is in no table: withdrawn, or submitted since a freeze."""
    progress = progress_of(visible_evaluations(submission).defer("detail"))
    return row_of_submission(submission)._replace(
        progress=progress, values=values_of_submission(submission)
    )


def _score(
    ranking: Ranking,
    here: RankedRow,
    item: MetricValue,
    others: Mapping[Measure, BestValues] | None,
) -> SystemScore:
    info = item.info
    decides = info.name == ranking.phase.ranking_metric
    if others is None:
        whole = Scale(info.low, info.high) if math.isfinite(info.high) else None
        return SystemScore(item, decides, None, whole)
    found = _comparable(others, here, info)
    return SystemScore(item, decides, _best(found, here), found.scale if found else None)


def _comparable(
    others: Mapping[Measure, BestValues], here: RankedRow, info: MetricInfo
) -> BestValues | None:
    """The best values that may be compared with this system's value.

    Where it has none: those of the signature with the best value.
    """
    mine = here.values.get(info.name)
    if mine is not None:
        return others.get((info.name, mine.signature))
    sign = -1 if info.direction == "higher" else 1
    found = [extremes for (name, _), extremes in others.items() if name == info.name]
    return min(found, key=lambda one: sign * (one.best[0][1].value or 0.0), default=None)


def _best(found: BestValues | None, here: RankedRow) -> BestValue | None:
    """The system with the best value; of equals this system, else the one that ranks higher."""
    if found is None:
        return None
    own = [(line, cell) for line, cell in found.best if line.key == here.key]
    line, cell = (own or found.best)[0]
    return BestValue(cell, line, line.key == here.key)


def _place(ranking: Ranking, here: RankedRow) -> TeamRank:
    """Rank among those that count; ties carry over, since equals share their rank among all."""
    ranks = [line.rank for line in ranking.rows if line.counts and line.rank is not None]
    rank = None
    if here.counts and here.rank is not None:
        rank = 1 + sum(other < here.rank for other in ranks)
    return TeamRank(rank, len(ranks), here.counts)
