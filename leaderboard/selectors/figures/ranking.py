"""Figures of a whole phase: how firm its ranking is, and how teams came to their ranks."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta
from itertools import combinations, islice
from typing import Any

import numpy as np
from django.urls import reverse

from leaderboard.models import Phase
from leaderboard.selectors.analysis.ranking_stability import (
    MetricAgreement,
    RankingAnalysis,
    RankStability,
)
from leaderboard.selectors.figures.figure import (
    ROOM,
    SYMBOLS,
    Figure,
    LineEnd,
    Numbers,
    about,
    axis,
    base_layout,
    end_labels,
    line,
    note,
    plain,
    shortened_apart,
)
from leaderboard.selectors.figures.matrix import (
    CHANCE,
    P_CLASSES,
    SHARES,
    Key,
    lower_triangle,
    matrix_layout,
    matrix_traces,
    p_class,
    p_text,
)
from leaderboard.selectors.ranking.history import History, Step
from leaderboard.selectors.visibility.ranked_row import RankedRow

LABELLED = 6  # systems that stand out by a colour of their own
_ROW = 26
LEADING = 20  # systems of the picture of a leaderboard
_BRACKET = 12  # pixels from one bracket to the next


def scores_figure(phase: Phase, rows: Iterable[RankedRow]) -> Figure | None:
    """The best systems with their intervals, and brackets around those that are tied.

    None where fewer than two are ranked. Numbers have the decimals of the phase, as on the
    leaderboard: of hidden references nothing more is told.
    """
    ranked = [row for row in islice(rows, LEADING) if row.rank is not None]
    shown = [
        (row, score) for row in ranked if (score := row.ranking_value) and score.value is not None
    ]
    if len(shown) < 2:
        return None
    # As the values were computed: a frozen ranking may be of other parameters than today's.
    known = shown[0][0].values.get(phase.ranking_metric)
    info = known.info if known and known.signature else phase.ranking
    decimals = phase.precision
    names = shortened_apart([row.system_name for row, _ in shown])
    labels = [f"{row.rank}. {plain(name)}" for (row, _), name in zip(shown, names, strict=True)]
    numbers = [
        [None if end is None else round(end, decimals) for end in (one.value, one.low, one.high)]
        for _, one in shown
    ]
    texts = [["" if end is None else f"{end:.{decimals}f}" for end in ends] for ends in numbers]
    brackets = _brackets([row for row, _ in shown])
    width = max((column for _, column in brackets), default=-1) + 1
    title = f"{info.label} with 95 % intervals"
    return Figure(
        name="scores",
        title=f"{title}; brackets join systems that are tied" if brackets else title,
        alt="Dots with intervals, one for each system, the best at the top.",
        data=[
            line(
                info.label,
                [value for value, *_ in numbers],
                labels,
                mode="markers",
                marker={"size": 9},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [_reach(value, high) for value, _, high in numbers],
                    "arrayminus": [_reach(low, value) for value, low, _ in numbers],
                    "width": 0,
                },
                customdata=[
                    [plain(row.system_name), plain(row.team_name), *ends]
                    for (row, _), ends in zip(shown, texts, strict=True)
                ],
                hovertemplate="%{customdata[0]}, %{customdata[1]}<br>%{customdata[2]} "
                "(%{customdata[3]} to %{customdata[4]})<extra></extra>",
            )
        ],
        layout=base_layout(
            _ROW * len(shown) + 64,
            margin={"l": 140, "r": 16 + _BRACKET * width, "t": 8, "b": 56},
            xaxis=axis(f"{info.label} ({info.direction} is better)"),
            yaxis=axis("", type="category", autorange="reversed"),
            shapes=[mark for bracket in brackets for mark in _bracket(*bracket)],
        ),
        numbers=Numbers(
            ("System", "Team", "Rank", info.label, "Low", "High"),
            tuple(
                (row.system_name, row.team_name, str(row.rank), *ends)
                for (row, _), ends in zip(shown, texts, strict=True)
            ),
        ),
        links=tuple(reverse("leaderboard:system", args=[row.public_id]) for row, _ in shown),
        about=about(info.name),
        guide="reference/leaderboard#ranges-of-ranks-and-ties",
    )


def _reach(low: float | None, high: float | None) -> float:
    return 0.0 if low is None or high is None else round(high - low, 6)


def _brackets(rows: Sequence[RankedRow]) -> list[tuple[list[int], int]]:
    """Groups in which no two systems can be told apart, by row, each with its column.

    Every tied pair is in one of them; those that overlap stand beside each other.
    """
    tied = [frozenset(row.range.tied) if row.range else frozenset() for row in rows]
    groups: list[tuple[list[int], int]] = []
    for first, second in combinations(range(len(rows)), 2):
        if rows[second].key not in tied[first] or any(
            {first, second} <= set(group) for group, _ in groups
        ):
            continue
        group = [first, second]
        for at in range(len(rows)):
            if at not in group and all(rows[at].key in tied[one] for one in group):
                group.append(at)
        taken = {column for other, column in groups if min(group) <= max(other)}
        groups.append((sorted(group), min({*range(len(groups) + 1)} - taken)))
    return groups


def _bracket(group: Sequence[int], column: int) -> Iterator[dict[str, Any]]:
    """An upright line right of the plot, with a mark at each system that it joins."""
    right = 12 + _BRACKET * column
    place = {"type": "line", "xref": "paper", "xsizemode": "pixel", "xanchor": 1, "x1": right}
    style = {"line": {"dash": "solid"}}
    yield {**place, "x0": right, "y0": group[0], "y1": group[-1], **style}
    for at in group:
        yield {**place, "x0": right - 6, "y0": at, "y1": at, **style}


def bump_figure(ranking: RankingAnalysis) -> Figure:
    """Ranks of the systems under every metric, one line for each system.

    Names stand beside the first metric, which is the one that decides.
    """
    labels = [row.info.label for row in ranking.by_metric]
    ranks = np.array([row.ranks for row in ranking.by_metric]).T
    count = len(ranking.systems)
    tones: list[int | str] = [i if i < LABELLED else "soft" for i in range(count)]
    first = ranks[:, 0].tolist() if labels else []
    names = shortened_apart([system.system_name for system in ranking.systems])
    traces = [
        line(
            plain(name),
            labels,
            ranks[i].tolist(),
            marker={"size": 8, "symbol": SYMBOLS[i % len(SYMBOLS)]},
            line={"width": 2 if i < LABELLED else 1},
            meta={"tone": tones[i]},
            hovertemplate="%{fullData.name}<br>%{x}: rank %{y}<extra></extra>",
        )
        for i, name in enumerate(names)
    ]
    height = max(220, 24 * count)
    ends = [
        LineEnd(system.system_name, rank, (rank - 0.5) / count * height, tone)
        for system, rank, tone in zip(ranking.systems, first, tones, strict=True)
    ]
    return Figure(
        name="ranks-by-metric",
        title="Ranks under every metric",
        alt="Lines of ranks, one for each system; the table has the same numbers.",
        data=traces,
        layout=base_layout(
            height + 16 + 110,
            margin={"l": ROOM, "r": 48, "t": 16, "b": 110},
            xaxis=axis(
                "",
                tickangle=-45,
                type="category",
                dtick=1,
                range=[-0.4, len(labels) - 0.6],
            ),
            yaxis=axis(
                "Rank",
                range=[count + 0.5, 0.5],
                dtick=max(1, count // 10),
                tick0=1,
                side="right",
            ),
            annotations=end_labels(ends, labels[0], height, left=True) if labels else [],
        ),
        numbers=Numbers.of(
            ("System", *labels), (row.system_name for row in ranking.systems), ranks.tolist()
        ),
        about=about(*(row.info.name for row in ranking.by_metric)),
        point="metric",
    )


def rank_probability_figure(stability: RankStability) -> Figure:
    """How often each system has each rank when clips are drawn anew."""
    names = shortened_apart([system.system_name for system in stability.table.systems])
    ranks = [str(at) for at in range(1, len(names) + 1)]
    shares = stability.probabilities
    label = stability.table.info.label
    key = Key("Probability", "share", 0, 1, SHARES)
    return Figure(
        name="rank-probabilities",
        title=f"Probability of each rank under {label}",
        alt="Heatmap of systems by ranks; the table has the same numbers.",
        data=matrix_traces(shares, ranks, names, key, cell=_percent),
        layout=matrix_layout(_ROW, names, ranks, key, ("Rank", "")),
        numbers=Numbers.of(
            ("System", *(f"Rank {rank}" for rank in ranks)),
            (row.system_name for row in stability.table.systems),
            shares,
            _percent,
        ),
        about=about(stability.table.info.name),
        guide="reference/leaderboard#ranges-of-ranks-and-ties",
    )


def significance_figure(stability: RankStability) -> Figure:
    """Two-sided p-values of every pair of systems, once; what may be chance is drawn pale."""
    systems = stability.table.systems
    names = shortened_apart([system.system_name for system in systems])
    whole = stability.pairs.copy()
    np.fill_diagonal(whole, np.nan)
    values = lower_triangle(whole)
    rows, columns = names[1:], names[:-1]
    marks = tuple((at, text) for at, (_, text) in enumerate(P_CLASSES))
    key = Key("p-value", "steps", -0.5, len(P_CLASSES) - 0.5, marks, steps=len(P_CLASSES))
    return Figure(
        name="significance",
        title=f"Which systems differ beyond chance under {stability.table.info.label}",
        alt="Matrix of p-values for pairs of systems, n.s. where a difference is not "
        "significant; the table has the numbers.",
        data=matrix_traces(
            values,
            columns,
            rows,
            key,
            cell=lambda p: "n.s." if p >= CHANCE else p_text(p),
            spoken=_significance,
            z=[[None if np.isnan(p) else p_class(float(p)) for p in row] for row in values],
        ),
        layout=matrix_layout(_ROW, rows, columns, key),
        numbers=Numbers.of(
            ("p-value", *names), (row.system_name for row in systems), whole, p_text
        ),
        about=about(stability.table.info.name),
        guide="reference/leaderboard#ranges-of-ranks-and-ties",
    )


def _significance(p: float) -> str:
    return f"p {plain(p_text(p)) if p < 0.001 else f'= {p_text(p)}'}" + (
        ", not significant" if p >= CHANCE else ""
    )


def agreement_figure(matrix: MetricAgreement, name: str) -> Figure:
    """Correlation of every pair of metrics, once."""
    labels = [info.label for info in matrix.metrics]
    rows, columns = labels[1:], labels[:-1]
    coefficient = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}
    marks = ((-1, "\N{MINUS SIGN}1"), (0, "0"), (1, "1"))
    key = Key("Correlation", "diverging", -1, 1, marks)
    return Figure(
        name=name,
        title=f"{coefficient[matrix.coefficient]} correlation of the metrics over {matrix.over}",
        alt="Matrix of correlations of pairs of metrics; the table has the same numbers.",
        data=matrix_traces(
            lower_triangle(matrix.values), columns, rows, key, cell=_short, spoken=_number
        ),
        layout=matrix_layout(22, rows, columns, key),
        numbers=Numbers.of(("Metric", *labels), labels, matrix.values, _number),
        about=about(*(info.name for info in matrix.metrics)),
    )


def _percent(share: float) -> str:
    if share <= 0:
        return ""
    return "<1 %" if share < 0.01 else f"{100 * share:.0f} %"


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"


def _short(value: float) -> str:
    """A correlation as papers write it in tables: without the zero before the point."""
    return _number(value).replace("0.", ".", 1).replace("-", "\N{MINUS SIGN}")


DEEP = 30
COLOURED = 6  # teams that stand out by a colour of their own
_AFTER: dict[Step, str] = {
    "submission": "after each submission that changed them",
    "day": "at the end of each day that changed them",
    "week": "at the end of each week that changed them",
    "month": "at the end of each month that changed them",
}


def history_figure(history: History, *, by_score: bool = False) -> Figure:
    """Ranks or scores over time, one line for each team; the reader's own lines are thicker."""
    info = history.info
    times = [f"{moment.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" for moment in history.moments]
    shown = [moment.scores if by_score else moment.ranks for moment in history.moments]
    what, unit = ("Scores", info.label) if by_score else ("Ranks", "Rank")
    reach = _score_axis(history) if by_score else _rank_axis(history)
    height = max(300, 26 * len(history.lines))
    explanation = f"large open marker: first {what.lower()[:-1]} of a team"
    entrance = note(explanation, 0, xref="paper", xanchor="left", yshift=6)
    ends = [
        LineEnd(_name(history, at), y, reach.place(y) * height, _tone(at))
        for at, y in enumerate(shown[-1] if shown else ())
        if y is not None
    ]
    return Figure(
        name="score-history" if by_score else "rank-history",
        title=f"{what} of teams {_AFTER[history.step]}",
        alt=f"Lines of {what.lower()} over time, one for each team, the best at the top; the "
        "table has the same numbers.",
        data=[_line(history, at, times, by_score=by_score) for at in range(len(history.lines))],
        layout=base_layout(
            height + 28 + 56,
            margin={"l": 48, "r": ROOM, "t": 28, "b": 56},
            xaxis=axis("Time (UTC)", type="date", **_span(history)),
            yaxis=axis(unit, range=list(reach.range), **reach.ticks),
            annotations=[*end_labels(ends, times[-1] if times else "", height), entrance],
        ),
        numbers=Numbers(
            ("Time (UTC)", *(row.team_name for row in history.lines)),
            tuple(
                (
                    time.rpartition(":")[0],
                    *("" if y is None else _score(history, y) if by_score else str(y) for y in row),
                )
                for time, row in zip(times, shown, strict=True)
            ),
        ),
        about=about(history.phase.ranking_metric),
        point="change of the ranks",
        guide="reference/leaderboard#rank-history",
    )


def _span(history: History) -> dict[str, Any]:
    """From the first moment to the last: names beside the ends would make the axis longer."""
    if not history.moments:
        return {}
    first, last = (history.moments[at].at.astimezone(UTC) for at in (0, -1))
    room = max((last - first) * 0.03, timedelta(minutes=1))
    return {"range": [f"{at:%Y-%m-%d %H:%M:%S}" for at in (first - room, last + room)]}


def _line(history: History, at: int, times: list[str], *, by_score: bool) -> dict[str, Any]:
    """The way of one team, from where it enters on, which is an open and larger marker."""
    own = history.lines[at].team in history.own
    ranks = [moment.ranks[at] for moment in history.moments]
    scores = [moment.scores[at] for moment in history.moments]
    first = next((place for place, rank in enumerate(ranks) if rank is not None), len(ranks))
    symbol = SYMBOLS[at % len(SYMBOLS)]
    later = max(0, len(ranks) - first - 1)
    return line(
        plain(_name(history, at)),
        times[first:],
        (scores if by_score else ranks)[first:],
        customdata=[
            f"rank {rank}, {history.info.label} {_score(history, score)}"
            if rank is not None and score is not None
            else "not ranked"
            for rank, score in zip(ranks[first:], scores[first:], strict=True)
        ],
        text=["first ranked", *[""] * later],
        line={"width": 4 if own else 2 if at < COLOURED else 1, "shape": "hv"},
        marker={"size": [12, *[6] * later], "symbol": [f"{symbol}-open", *[symbol] * later]},
        meta={"tone": _tone(at)},
        hovertemplate="%{fullData.name} %{text}<br>%{x}: %{customdata}<extra></extra>",
    )


def _name(history: History, at: int) -> str:
    row = history.lines[at]
    return f"{row.team_name} (yours)" if row.team in history.own else row.team_name


def _tone(at: int) -> int | str:
    return at if at < COLOURED else "soft"


def _score(history: History, score: float) -> str:
    return f"{score:.{history.phase.precision}f}"


@dataclass(frozen=True, slots=True)
class _Axis:
    """An axis from its lower to its upper end, and what marks it; logarithmic where it is deep."""

    range: tuple[float, float]
    ticks: dict[str, Any]

    def place(self, y: float) -> float:
        """How far a value lies below the upper end, 0 to 1."""
        low, high = self.range
        value = math.log10(y) if self.ticks.get("type") == "log" else y
        return (high - value) / (high - low)


def _rank_axis(history: History) -> _Axis:
    """Mark the ranks; where they go deep, the first ones get the more room."""
    deepest = max(
        (rank for moment in history.moments for rank in moment.ranks if rank is not None), default=1
    )
    if deepest <= DEEP:
        return _Axis((deepest + 0.5, 0.5), {"dtick": max(1, deepest // 10), "tick0": 1})
    marks = [n * 10**power for power in range(7) for n in (1, 2, 5)]
    ticks = {"type": "log", "tickvals": [mark for mark in marks if mark <= 2 * deepest]}
    return _Axis((math.log10(deepest * 1.1), math.log10(0.9)), ticks)


def _score_axis(history: History) -> _Axis:
    """From the lowest to the highest score, the best at the top."""
    scores = [x for moment in history.moments for x in moment.scores if x is not None] or [0.0]
    low, high = min(scores), max(scores)
    room = 0.05 * (high - low) or 0.5
    ends = low - room, high + room
    return _Axis(ends if history.phase.ranking.direction == "higher" else ends[::-1], {})
