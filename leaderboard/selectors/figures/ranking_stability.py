"""Figures of a whole phase."""

import numpy as np

from leaderboard.selectors.analysis.agreement import MetricAgreement
from leaderboard.selectors.analysis.ranking_stability import RankingAnalysis, RankStability
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

LABELLED = 6  # systems that stand out by a colour of their own
_ROW = 26


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


def agreement_figure(found: MetricAgreement, name: str) -> Figure:
    """Correlation of every pair of metrics, once."""
    labels = [info.label for info in found.metrics]
    rows, columns = labels[1:], labels[:-1]
    coefficient = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}
    marks = ((-1, "\N{MINUS SIGN}1"), (0, "0"), (1, "1"))
    key = Key("Correlation", "diverging", -1, 1, marks)
    return Figure(
        name=name,
        title=f"{coefficient[found.coefficient]} correlation of the metrics over {found.over}",
        alt="Matrix of correlations of pairs of metrics; the table has the same numbers.",
        data=matrix_traces(
            lower_triangle(found.values), columns, rows, key, cell=_short, spoken=_number
        ),
        layout=matrix_layout(22, rows, columns, key),
        numbers=Numbers.of(("Metric", *labels), labels, found.values, _number),
        about=about(*(info.name for info in found.metrics)),
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
