"""Figures of a whole phase."""

import numpy as np

from leaderboard.selectors.analysis.agreement import MetricAgreement
from leaderboard.selectors.analysis.ranking_stability import RankingAnalysis, RankStability
from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    plain,
    shortened,
)

LABELLED = 6  # systems that stand out by a colour of their own
_ROW = 26
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")


def bump_figure(ranking: RankingAnalysis) -> Figure:
    """Ranks of the systems under every metric, one line for each system."""
    labels = [row.info.label for row in ranking.by_metric]
    ranks = np.array([row.ranks for row in ranking.by_metric]).T
    count = len(ranking.systems)
    traces = []
    for i, system in enumerate(ranking.systems):
        tone = i if i < LABELLED else "soft"
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(shortened(system.system_name)),
                "x": labels,
                "y": ranks[i].tolist(),
                "marker": {"size": 8, "symbol": _SYMBOLS[i % len(_SYMBOLS)]},
                "line": {"width": 2 if i < LABELLED else 1},
                "meta": {"tone": tone},
                "hovertemplate": "%{fullData.name}<br>%{x}: rank %{y}<extra></extra>",
            }
        )
    return Figure(
        name="ranks-by-metric",
        title="Ranks under every metric",
        alt="Lines of ranks, one for each system; the table has the same numbers.",
        data=traces,
        layout=base_layout(
            max(320, 150 + _ROW * count),
            showlegend=True,
            legend={"orientation": "v", "x": 1.01, "y": 1, "traceorder": "normal"},
            margin={"l": 48, "r": 16, "t": 16, "b": 110},
            xaxis=axis("Metric", tickangle=-45, type="category"),
            yaxis=axis("Rank", autorange="reversed", dtick=max(1, count // 10), tick0=1),
        ),
        numbers=Numbers(
            ("System", *labels),
            tuple(
                (system.system_name, *(str(rank) for rank in ranks[i].tolist()))
                for i, system in enumerate(ranking.systems)
            ),
        ),
        about=about(*(row.info.name for row in ranking.by_metric)),
        point="metric",
    )


def rank_probability_figure(stability: RankStability) -> Figure:
    """How often each system has each rank when clips are drawn anew."""
    names = [shortened(system.system_name) for system in stability.table.systems]
    shares = stability.probabilities
    label = stability.table.info.label
    return Figure(
        name="rank-probabilities",
        title=f"Probability of each rank under {label}",
        alt="Heatmap of systems by ranks; the table has the same numbers.",
        data=[_heatmap(shares, [str(i + 1) for i in range(len(names))], names, "share", "%")],
        layout=base_layout(
            90 + _ROW * len(names),
            margin={"l": 150, "r": 16, "t": 16, "b": 48},
            xaxis=axis("Rank", type="category", showgrid=False),
            yaxis=axis("System", type="category", autorange="reversed", showgrid=False),
        ),
        numbers=Numbers(
            ("System", *(f"Rank {i + 1}" for i in range(len(names)))),
            tuple(
                (system.system_name, *(_percent(share) for share in shares[i]))
                for i, system in enumerate(stability.table.systems)
            ),
        ),
        about=about(stability.table.info.name),
    )


def significance_figure(stability: RankStability) -> Figure:
    """Two-sided p-values of every pair of systems."""
    systems = stability.table.systems
    names = [shortened(system.system_name) for system in systems]
    values = stability.pairs.copy()
    np.fill_diagonal(values, np.nan)
    return Figure(
        name="significance",
        title=f"Which systems differ beyond chance under {stability.table.info.label}",
        alt="Matrix of p-values for pairs of systems; the table has the same numbers.",
        data=[
            _heatmap(np.where(np.isnan(values), np.nan, 1 - values), names, names, "share", "p")
            | {"zmin": 0.8, "zmax": 1, "text": [[_p_value(x) for x in row] for row in values]}
        ],
        layout=base_layout(
            150 + _ROW * len(names),
            margin={"l": 150, "r": 16, "t": 16, "b": 110},
            xaxis=axis("System", type="category", tickangle=-45, showgrid=False),
            yaxis=axis("System", type="category", autorange="reversed", showgrid=False),
        ),
        numbers=Numbers(
            ("p-value", *names),
            tuple(
                (system.system_name, *(_p_value(x) for x in values[i]))
                for i, system in enumerate(systems)
            ),
        ),
        about=about(stability.table.info.name),
    )


def agreement_figure(found: MetricAgreement, name: str) -> Figure:
    """Correlation of every pair of metrics."""
    labels = [info.label for info in found.metrics]
    coefficient = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}
    return Figure(
        name=name,
        title=f"{coefficient[found.coefficient]} correlation of the metrics over {found.over}",
        alt="Matrix of correlations of pairs of metrics; the table has the same numbers.",
        data=[_heatmap(found.values, labels, labels, "diverging", "r") | {"zmin": -1, "zmax": 1}],
        layout=base_layout(
            150 + 22 * len(labels),
            margin={"l": 130, "r": 16, "t": 16, "b": 110},
            xaxis=axis("Metric", type="category", tickangle=-45, showgrid=False),
            yaxis=axis("Metric", type="category", autorange="reversed", showgrid=False),
        ),
        numbers=Numbers(
            ("Metric", *labels),
            tuple(
                (label, *(_number(value) for value in found.values[i]))
                for i, label in enumerate(labels)
            ),
        ),
        about=about(*(info.name for info in found.metrics)),
    )


def _heatmap(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    columns: list[str],
    rows: list[str],
    scale: str,
    kind: str,
) -> dict[str, object]:
    text = _percent if kind == "%" else _number
    return {
        "type": "heatmap",
        "x": _distinct(columns),
        "y": _distinct(rows),
        "z": [[None if np.isnan(x) else round(float(x), 4) for x in row] for row in values],
        "text": [[text(x) for x in row] for row in values],
        "texttemplate": "%{text}" if len(columns) <= 14 else "",
        "hovertemplate": "%{y}<br>%{x}: %{text}<extra></extra>",
        "zmin": 0,
        "zmax": 1,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "meta": {"scale": scale},
    }


def _distinct(names: list[str]) -> list[str]:
    """Names made distinct by numbers, since a category axis draws equal ones as one."""
    distinct: dict[str, None] = {}
    for name in names:
        candidate, number = name, 1
        while candidate in distinct:
            number += 1
            candidate = f"{name} ({number})"
        distinct[candidate] = None
    return [plain(name) for name in distinct]


def _percent(share: float) -> str:
    if share <= 0:
        return ""
    return "<1 %" if share < 0.01 else f"{100 * share:.0f} %"


def _p_value(value: float) -> str:
    if np.isnan(value):
        return ""
    return "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0") if value < 1 else "1"


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"
