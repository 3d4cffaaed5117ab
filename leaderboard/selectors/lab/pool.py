"""The systems that a lab ranks, with their values over the clips that are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from earmark.registry import METRICS, MetricInfo
from leaderboard.models import Kind, Phase, Submission
from leaderboard.selectors.analysis.clip_scores import Floats, Tables, tables_of
from leaderboard.selectors.analysis.ranking_stability import telling_clips
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.lab.query import LabQuery
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visible_submissions import row_of_submission
from leaderboard.web.refusals import Refused

# Beyond as many, ranges of ranks would take too long for a page.
MOST_DRAWN = 500


@dataclass(frozen=True, slots=True)
class LabPool:
    """What may be ranked: ``values`` has shape (metrics, systems), no NaN in it.

    ``tables`` are the clip scores of the same systems, None where these are too many; ``kept``
    says which clips count, shape (clips,).
    """

    infos: tuple[MetricInfo, ...]
    lines: tuple[RankedRow, ...]
    values: Floats
    tables: Tables | None
    kept: NDArray[np.bool_]


def clip_names(phase: Phase) -> list[str]:
    """The names of a phase's clips in order; none where it has no references yet."""
    if phase.reference_set is None:
        return []
    return [clip.file_name for clip in references_of(phase.reference_set.content_hash).clips]


def whole_of(phase: Phase, rules: LabQuery) -> Ranking:
    """The present ranking of every system, with the values of the requested metrics."""
    return ranking_of(phase, every_system=True, more=rules.metrics)


def baselines_of(ranking: Ranking) -> list[RankedRow]:
    """List the baselines of a phase as if they competed, each by itself; one query."""
    values: Mapping[int, MetricValue] = ranking.values.get(ranking.phase.ranking_metric, {})
    rows = Submission.objects.eligible().filter(phase=ranking.phase, kind=Kind.BASELINE)
    return [
        row_of_submission(row, values.get(row.pk))
        for row in rows.select_related("team").order_by("pk")
    ]


def pool_of(
    ranking: Ranking, rules: LabQuery, lines: Sequence[RankedRow], kept: NDArray[np.bool_]
) -> LabPool:
    """The values of lines under the rules asked for; refused where there are none."""
    infos = tuple(ranking.phase.as_computed(METRICS[name]) for name in rules.metrics)
    known_of = [ranking.values.get(info.name, {}) for info in infos]
    ranked = [
        line
        for line in lines
        if all(line.key in known and known[line.key].value is not None for known in known_of)
    ]
    cut = not kept.all()
    # Where nothing can be drawn, clip scores are read only to leave some of them out. One metric
    # ranges over those that count, of which a team has one; a mix over all.
    most = MOST_DRAWN if rules.mixed else 4 * MOST_DRAWN
    tables = _tables(ranked, infos) if cut or 1 < len(ranked) <= most else None
    if cut:
        values = _means(tables, infos, kept)
    else:
        rows = [[known[line.key].value for line in ranked] for known in known_of]
        values = np.array(rows, np.float64).reshape(len(infos), len(ranked))
    known = ~np.isnan(values).any(axis=0)
    columns = np.flatnonzero(known).tolist()
    return LabPool(
        infos=infos,
        lines=tuple(ranked[at] for at in columns),
        values=values[:, columns],
        tables=_columns(tables, columns),
        kept=kept,
    )


def _tables(lines: Sequence[RankedRow], infos: Sequence[MetricInfo]) -> Tables:
    submissions = Submission.objects.only("pk").in_bulk([line.key for line in lines])
    return tables_of([submissions[line.key] for line in lines], [info.name for info in infos])


def _means(tables: Tables | None, infos: Sequence[MetricInfo], kept: NDArray[np.bool_]) -> Floats:
    if tables is None or not tables.systems:
        return np.empty((len(infos), 0))
    rows = []
    for info in infos:
        table = tables.metric(info.name)
        if table is None:
            why = next(
                (why for one, why in tables.left_out if one.name == info.name), "nothing was scored"
            )
            raise Refused(f"No clip can be left out under {info.label}: {why}.")
        values = table.values[kept]
        with np.errstate(invalid="ignore", divide="ignore"):
            rows.append(np.nansum(values, axis=0) / np.sum(~np.isnan(values), axis=0))
    return np.array(rows)


def _columns(tables: Tables | None, kept: Sequence[int]) -> Tables | None:
    if tables is None or len(kept) == len(tables.systems):
        return tables
    systems = tuple(tables.systems[at] for at in kept)
    return Tables(
        systems,
        tuple(
            replace(table, systems=systems, values=table.values[:, kept], corpus=table.corpus[kept])
            for table in tables.metrics
        ),
        tables.left_out,
    )


def clips_of(
    phase: Phase, rules: LabQuery, now: Sequence[RankedRow], clips: int
) -> NDArray[np.bool_]:
    """Which of a phase's clips are kept, shape (``clips``,); refused where too few would be.

    ``now`` are the lines that are ranked now, whose ``telling`` clips are left out.
    """
    kept = np.ones(clips, np.bool_)
    kept[[number - 1 for number in rules.clips if number <= clips]] = False
    if rules.telling:
        kept[[number - 1 for number in _telling(phase, now, rules.telling)]] = False
    if kept.sum() < 2:
        raise Refused("Fewer than two clips would be left. Leave out fewer.")
    return kept


def _telling(phase: Phase, now: Sequence[RankedRow], most: int) -> list[int]:
    """List the clips that separate the systems most under the phase's metric."""
    tables = _tables(now, (phase.ranking,))
    table = tables.metric(phase.ranking_metric)
    if table is None or len(table.systems) < 2:
        raise Refused(
            f"Which clips separate the systems cannot be told: not all of them have a "
            f"{phase.ranking.label} of single clips that was computed in the same way."
        )
    return [clip.number for clip in telling_clips(table, most=most)]
