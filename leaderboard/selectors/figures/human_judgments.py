"""How often metrics agree with people, as a figure."""

from collections.abc import Sequence

from django.urls import reverse

from leaderboard.selectors.analysis.human_judgments import (
    KIND_TITLES,
    MetricShares,
    Share,
    shares_scale,
)
from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    axis,
    base_layout,
    line,
    note,
    upright,
)

_ROW = 22


def human_judgments_figure(rows: Sequence[MetricShares], kind: str, people: float | None) -> Figure:
    """Shares of pairs ordered as people did, one dot with its interval for each metric.

    ``people`` is drawn as a line: how often one person agrees with the others.
    """
    scale = shares_scale(rows, kind)
    pairs = KIND_TITLES[kind]
    shares = [row.of(kind) for row in rows]
    labels = [row.info.label for row in rows]
    return Figure(
        name="agreement-with-people",
        title=f"Pairs ordered as people did: {pairs[0].lower()}{pairs[1:]}",
        alt="Dots with intervals, one for each metric, the best at the top; "
        "the table has the same numbers.",
        data=[
            line(
                "measured here",
                [round(share.value, 2) for share in shares],
                labels,
                mode="markers",
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [round(share.high - share.value, 2) for share in shares],
                    "arrayminus": [round(share.value - share.low, 2) for share in shares],
                    "thickness": 1.5,
                    "width": 0,
                },
                text=[f"{share.low:.1f} to {share.high:.1f}" for share in shares],
                marker={"size": 9},
                hovertemplate="%{y}: %{x:.1f} % (%{text})<extra></extra>",
            ),
            *_published(labels, shares),
        ],
        layout=base_layout(
            120 + _ROW * len(rows),
            showlegend=any(share.published is not None for share in shares),
            legend={"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"},
            margin={"l": 120, "r": 28, "t": 24, "b": 76},
            xaxis=axis("Per cent of pairs", range=[scale.low, max(scale.high, people or 0)]),
            yaxis=axis("", type="category", autorange="reversed"),
            shapes=[] if people is None else [upright(people)],
            annotations=[]
            if people is None
            else [note(f"one person, {people:.1f}", people, xanchor="right")],
        ),
        numbers=Numbers(
            ("Metric", "Per cent", "From", "to", "Pairs", "Published"),
            tuple(
                (
                    row.info.label,
                    *(f"{number:.1f}" for number in (share.value, share.low, share.high)),
                    f"{share.counts.pairs:,}",
                    "" if share.published is None else f"{share.published:.1f}",
                )
                for row, share in zip(rows, shares, strict=True)
            ),
        ),
        links=tuple(reverse("leaderboard:metric", args=[row.info.name]) for row in rows),
        guide="measurements/benchmark",
    )


def _published(labels: Sequence[str], shares: Sequence[Share]) -> list[dict[str, object]]:
    if all(share.published is None for share in shares):
        return []
    return [
        line(
            "published",
            [share.published for share in shares],
            labels,
            mode="markers",
            marker={"size": 9, "symbol": "diamond-open"},
            meta={"tone": 1},
            hovertemplate="%{y}, published: %{x:.1f} %<extra></extra>",
        )
    ]
