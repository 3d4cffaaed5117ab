"""The ranking of a phase under other rules beside the present one, and as CSV."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from earmark.metrics.composite.formula import NAME, Term, formula_text
from earmark.registry import Direction, MetricInfo
from earmark.statistics import rank_intervals, ranks, resampled_means
from leaderboard.models import Phase
from leaderboard.ranking import RankingEntry, counting_entries, place
from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.analysis.ranking_stability import RESAMPLES, correlation
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.lab.composite import terms_of
from leaderboard.selectors.lab.pool import (
    MOST_DRAWN,
    LabPool,
    baselines_of,
    clips_of,
    pool_of,
    whole_of,
)
from leaderboard.selectors.lab.query import LabQuery, Mix
from leaderboard.selectors.ranking.rank_intervals import ranges_of
from leaderboard.selectors.ranking.ranking import Ranking, rank_lines, rules_key
from leaderboard.selectors.visibility.ranked_row import RankedRow, RankRange
from leaderboard.web.csv_cells import csv_line, csv_text
from leaderboard.web.version_cache import kept_for_version


def direction_of(infos: Sequence[MetricInfo], mix: Mix) -> Direction:
    """The better direction: of one metric its own, of mixed ranks the lower."""
    if len(infos) == 1:
        return infos[0].direction
    return "lower" if mix == "ranks" else "higher"


def mixed(
    columns: Sequence[Floats], infos: Sequence[MetricInfo], weights: Sequence[float], mix: Mix
) -> Floats:
    """The value that ranks, shape (..., systems), from one column for each metric.

    One metric stands for itself. Of several, the weighted mean over the metrics of each
    system's value (better is higher), its z-score (likewise) or its rank among all the
    systems of its row.
    """
    if len(columns) == 1:
        return columns[0]
    on_one_scale = {"z": _z_scores, "values": _raised, "ranks": _ranks}[mix]
    parts = [
        weight * on_one_scale(column, info)
        for column, info, weight in zip(columns, infos, weights, strict=True)
    ]
    total: Floats = np.sum(parts, axis=0)
    return total / sum(weights)


def _z_scores(column: Floats, info: MetricInfo) -> Floats:
    spread = column.std(axis=-1, keepdims=True)
    centred = column - column.mean(axis=-1, keepdims=True)
    # Where all are equal, none is ahead.
    scores: Floats = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return _raised(scores, info)


def _raised(column: Floats, info: MetricInfo) -> Floats:
    return column if info.direction == "higher" else -column


def _ranks(column: Floats, info: MetricInfo) -> Floats:
    higher = info.direction == "higher"
    rows = column.reshape(-1, column.shape[-1])
    ranked = ranks(rows, higher_is_better=higher)
    return ranked.reshape(column.shape).astype(np.float64)


NO_RANGES = "No rank intervals are shown: "


@dataclass(frozen=True, slots=True)
class LabReportRow:
    """A team, or a baseline, now and then; None where it is not ranked.

    ``line`` is the system of then, or else of now; ``why`` says why it is not ranked then.
    """

    line: RankedRow
    baseline: bool
    now: RankedRow | None
    then: RankedRow | None
    why: str = ""

    @property
    def change(self) -> int | None:
        """By how many ranks it rises; None where it is not ranked both times."""
        ranks = [side.rank for side in (self.now, self.then) if side and side.rank is not None]
        return ranks[0] - ranks[1] if len(ranks) == 2 else None

    @property
    def fall(self) -> int:
        """By how many ranks it falls; 0 where it does not."""
        return max(0, -(self.change or 0))

    @property
    def other_system(self) -> bool:
        """Whether another system of the team counts then."""
        return bool(self.now and self.then and self.now.key != self.then.key)


@dataclass(frozen=True, slots=True)
class LabReport:
    """The rows in the order of then, those that are not ranked then last.

    ``tau``: Kendall's tau-b between both, over those ranked both times; NaN where
    it is not defined. ``clips_left_out`` are numbered from 1. ``note`` says why there
    are no ranges, ``counted`` which metrics are no means of clips. ``terms`` is what is ranked
    by then as a formula, none where it has none.
    """

    asked: LabQuery
    rows: tuple[LabReportRow, ...]
    tau: float
    clips: int
    clips_left_out: tuple[int, ...]
    note: str
    counted: tuple[str, ...]
    terms: tuple[Term, ...]

    @property
    def formula(self) -> str:
        """What is ranked by as a formula; empty where it has none."""
        return formula_text(self.terms)

    @property
    def clips_kept(self) -> int:
        """How many clips count."""
        return self.clips - len(self.clips_left_out)

    @property
    def both(self) -> list[LabReportRow]:
        """The rows that are ranked now and then."""
        return [row for row in self.rows if row.change is not None]

    @property
    def moved(self) -> int:
        """How many of these have another rank."""
        return sum(bool(row.change) for row in self.both)

    @property
    def first_now(self) -> list[RankedRow]:
        """The systems that are first now."""
        return [row.now for row in self.rows if row.now is not None and row.now.rank == 1]

    @property
    def first_then(self) -> list[RankedRow]:
        """Who would be first."""
        return [row.then for row in self.rows if row.then is not None and row.then.rank == 1]

    @property
    def new_first(self) -> bool:
        """Whether others would be first; another system of the same team is no other."""
        now = [row for row in self.rows if row.now is not None and row.now.rank == 1]
        then = [row for row in self.rows if row.then is not None and row.then.rank == 1]
        return now != then


def report_of(phase: Phase, rules: LabQuery, *, clips: int) -> LabReport:
    """Rank a phase of so many clips as asked; refused where the rules leave no ranking.

    Computed once for each change of the results.
    """
    key = report_key(phase, rules, clips=clips)
    return kept_for_version(key, lambda: _report(phase, rules, clips))


def report_key(phase: Phase, rules: LabQuery, *, clips: int) -> tuple[object, ...]:
    """What tells a report apart from others, for what is kept of it."""
    return ("lab", *rules_key(phase), str(phase.parameters.get(NAME)), rules, clips)


def _report(phase: Phase, rules: LabQuery, clips: int) -> LabReport:
    whole = whole_of(phase, rules)
    baselines = baselines_of(whole) if rules.baselines else []
    now = _now(whole)
    kept = clips_of(phase, rules, list(now.values()), clips)
    everyone = [*whole.rows, *baselines]
    lines = [line for line in everyone if not _left_out(line, rules)]
    pool = pool_of(whole, rules, lines, kept)
    apart = frozenset(line.key for line in baselines)
    then, note = _then(pool, rules, apart)
    rows = _rows(now, then, _reasons(everyone, rules, apart), apart)
    pairs = [(row.now.rank, row.then.rank) for row in rows if row.now and row.then]
    one, other = np.array(pairs, np.float64).reshape(-1, 2).T
    tables = pool.tables.metrics if pool.tables else ()
    return LabReport(
        asked=rules,
        rows=tuple(rows),
        tau=correlation(one, other, "kendall") if len(pairs) > 1 else float("nan"),
        clips=clips,
        clips_left_out=tuple((np.flatnonzero(~kept) + 1).tolist()),
        note=note,
        counted=tuple(table.info.label for table in tables if table.counted),
        terms=terms_of(phase, pool, rules),
    )


def _left_out(line: RankedRow, rules: LabQuery) -> bool:
    return line.team_slug in rules.teams or line.public_id in rules.systems


def _now(whole: Ranking) -> dict[Hashable, RankedRow]:
    """The present placement of each team, with its estimated rank interval."""
    lines = rank_lines(whole.phase, whole.rows, every_system=False)
    ranked = [line for line in lines if line.rank is not None]
    ranking = Ranking(whole.phase, every_system=False, rows=lines)
    ranges = ranges_of(ranking, [line.key for line in ranked]).by_key
    return {_who(line, frozenset()): line._replace(range=ranges.get(line.key)) for line in ranked}


def _who(line: RankedRow, apart: frozenset[int]) -> Hashable:
    """What a row ranks: its team, or for a baseline the system itself."""
    return ("baseline", line.key) if line.key in apart else line.team


def _then(
    pool: LabPool, rules: LabQuery, apart: frozenset[int]
) -> tuple[dict[Hashable, RankedRow], str]:
    """Rank the pool; say why there are no ranges where there are none."""
    if not pool.lines:
        return {}, ""
    weights = [weight for _, weight in rules.weights]
    worth = mixed(list(pool.values), pool.infos, weights, rules.mix)
    direction = direction_of(pool.infos, rules.mix)
    entries = [
        RankingEntry(
            at, _who(line, apart), float(worth[at]), line.submitted_at, line.key, line.chosen
        )
        for at, line in enumerate(pool.lines)
    ]
    counting = counting_entries(entries, counting=rules.counting, direction=direction)
    placed = place(counting, direction=direction, precision=rules.precision)
    columns = [one.key for one in placed]
    ranges, note = _ranges(pool, rules, columns)
    ranked = {}
    for one in placed:
        line, value = pool.lines[one.key], MetricValue("", float(worth[one.key]))
        ranked[_who(line, apart)] = line._replace(
            rank=one.rank, ranking_value=value, range=ranges.get(one.key)
        )
    return ranked, note


def _ranges(
    pool: LabPool, rules: LabQuery, columns: Sequence[int]
) -> tuple[Mapping[int, RankRange], str]:
    """Draw ranges of ranks for the systems of some columns, by random subsets of the clips."""
    if len(columns) < 2:
        return {}, ""
    drawn = list(range(len(pool.lines))) if rules.mixed else list(columns)
    if len(drawn) > MOST_DRAWN or pool.tables is None:
        return {}, f"{NO_RANGES}more than {MOST_DRAWN} systems."
    tables = [pool.tables.metric(info.name) for info in pool.infos]
    draws = []
    for info, table in zip(pool.infos, tables, strict=True):
        if table is None:
            why = next(
                (why for one, why in pool.tables.left_out if one.name == info.name), "no scores"
            )
            return {}, f"{NO_RANGES}{info.label}: {why}."
        values = table.values[pool.kept][:, drawn]
        draws.append(resampled_means(values, resamples=RESAMPLES))
    return _intervals(pool, rules, draws, [drawn.index(at) for at in columns], columns), ""


def _intervals(
    pool: LabPool, rules: LabQuery, draws: list[Floats], at: Sequence[int], columns: Sequence[int]
) -> dict[int, RankRange]:
    weights = [weight for _, weight in rules.weights]
    # Of a handful of clips some subsets have none, on which all are equal.
    some = ~np.any([np.isnan(drawn).all(axis=1) for drawn in draws], axis=0)
    worth = mixed([drawn[some] for drawn in draws], pool.infos, weights, rules.mix)[:, at]
    higher = direction_of(pool.infos, rules.mix) == "higher"
    ends = rank_intervals(ranks(worth, higher_is_better=higher)).tolist()
    return {column: RankRange(low, high) for column, (low, high) in zip(columns, ends, strict=True)}


def _reasons(
    everyone: Sequence[RankedRow], rules: LabQuery, apart: frozenset[int]
) -> dict[Hashable, str]:
    """Why each team or baseline would not be ranked, if it is not."""
    left = {_who(line, apart) for line in everyone if not _left_out(line, rules)}
    return {
        who: "no value" if who in left else "left out"
        for who in (_who(line, apart) for line in everyone)
    }


def _rows(
    now: Mapping[Hashable, RankedRow],
    then: Mapping[Hashable, RankedRow],
    reasons: Mapping[Hashable, str],
    apart: frozenset[int],
) -> list[LabReportRow]:
    rows = []
    for who in dict.fromkeys((*then, *now)):
        side = then.get(who) or now[who]
        why = "" if who in then else reasons.get(who, "")
        baseline = side.key in apart
        rows.append(LabReportRow(side, baseline, now.get(who), then.get(who), why))
    return rows


_SIDE = ("system", "id", "rank", "rank_low", "rank_high", "value")


def lab_csv(report: LabReport) -> str:
    """Write one line for each team or baseline: now, then, and by how much it rises."""
    names = [f"{name}_{when}" for when in ("now", "then") for name in _SIDE]
    head = ["team", "kind", *names, "change", "why_not_ranked"]
    rows = (
        [
            csv_text(row.line.team_name),
            "baseline" if row.baseline else "team",
            *_csv_side(row.now),
            *_csv_side(row.then),
            "" if row.change is None else str(row.change),
            row.why,
        ]
        for row in report.rows
    )
    return "".join(map(csv_line, [head, *rows]))


def _csv_side(side: RankedRow | None) -> list[str]:
    if side is None:
        return [""] * len(_SIDE)
    ends = [side.range.low, side.range.high] if side.range else ["", ""]
    return [
        csv_text(side.system_name),
        side.public_id,
        str(side.rank),
        *map(str, ends),
        f"{side.value:.6f}",
    ]
