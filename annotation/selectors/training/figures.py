"""Figures of trainings."""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.selectors.agreement.figures import three
from annotation.selectors.training.reports import TrainingReport
from annotation.selectors.training.runs import MAIN_STAGE, EpochRow
from leaderboard.selectors.figures.figure import (
    Figure,
    Heading,
    Numbers,
    axis,
    base_layout,
    plain,
)

# Differences of F1 below this are hardly more than chance on a few hundred captions.
HARDLY = 0.005


def loss_figure(rows: Sequence[EpochRow]) -> Figure:
    """Mean loss of each epoch."""
    return _epochs(
        rows,
        lambda row: row.loss,
        name="loss",
        title="Loss by epoch",
        measure="Loss",
        span={"rangemode": "tozero"},
    )


def f1_figure(rows: Sequence[EpochRow]) -> Figure:
    """Token micro F1 without O on held-out captions after each epoch."""
    return _epochs(
        rows,
        lambda row: row.f1,
        name="f1",
        title="F1 on held-out captions by epoch",
        measure="Token F1, micro, without O",
        span={"range": [0, 1.03]},
    )


def _epochs(
    rows: Sequence[EpochRow],
    value: Callable[[EpochRow], float | None],
    *,
    name: str,
    title: str,
    measure: str,
    span: dict[str, Any],
) -> Figure:
    known = [row for row in rows if value(row) is not None]
    # The training itself is drawn last, over the others.
    stages = sorted(dict.fromkeys(row.stage for row in known), key=lambda one: one == MAIN_STAGE)
    return Figure(
        name=name,
        title=title,
        said="Lines; the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(stage),
                "x": [row.epoch for row in known if row.stage == stage],
                "y": [round(value(row) or 0, 4) for row in known if row.stage == stage],
                "marker": {"size": 7},
                "meta": {} if stage == MAIN_STAGE else {"tone": "soft"},
                "hovertemplate": f"{plain(stage)}, epoch %{{x}}: %{{y:.3f}}<extra></extra>",
            }
            for stage in stages
        ],
        layout=base_layout(
            260,
            xaxis=_epoch_axis(max((row.epochs for row in rows), default=1)),
            yaxis=axis(measure, **span),
        ),
        numbers=Numbers(
            (Heading("Stage", number=False), Heading("Epoch"), Heading(measure)),
            tuple((row.stage, str(row.epoch), three(value(row))) for row in known),
        ),
    )


def _epoch_axis(last: int) -> dict[str, Any]:
    """Give an axis that does not move while epochs come."""
    return axis("Epoch", range=[0.5, last + 0.5], dtick=1 if last <= 12 else 5, tick0=0)


def curve_figure(points: Sequence[dict[str, Any]]) -> Figure:
    """F1 by the number of captions learned from."""
    names = (("micro", "Token F1, micro, without O", 0), ("weighted", "Weighted, with O", 1))
    return Figure(
        name="curve",
        title="F1 by captions learned from",
        said="Two lines, judged on the same held-out captions; the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": title,
                "x": [point["captions"] for point in points],
                "y": [round(point[name] or 0, 4) for point in points],
                "marker": {"size": 8},
                "meta": {"tone": tone},
                "hovertemplate": f"{title}, %{{x}} captions: %{{y:.3f}}<extra></extra>",
            }
            for name, title, tone in names
        ],
        layout=base_layout(
            300,
            showlegend=True,
            legend={"orientation": "h", "y": 1.12, "x": 0},
            xaxis=axis("Captions learned from", rangemode="tozero"),
            yaxis=axis("F1", range=[0, 1.03]),
        ),
        numbers=Numbers(
            (Heading("Captions"), *(Heading(title) for _, title, _ in names)),
            tuple(
                (f"{point['captions']:,}", *(three(point[name]) for name, _, _ in names))
                for point in points
            ),
        ),
    )


def curve_summary(report: TrainingReport) -> str:
    """Say what more labels would bring, no more than the curve can tell."""
    points = report.curve
    if len(points) < 2:
        return ""
    last = points[-1]
    half = min(points, key=lambda point: abs(2 * point["captions"] - last["captions"]))
    gain = last["micro"] - half["micro"]
    told = (
        f"From {half['captions']:,} to {last['captions']:,} captions F1 went from "
        f"{half['micro']:.3f} to {last['micro']:.3f}."
    )
    judged = f"It is measured on {report.own['captions']:,} held-out captions, one draw of them."
    if gain < HARDLY:
        return f"{told} More captions of the same kind would bring little. {judged}"
    return (
        f"{told} A doubling usually brings less than the one before, so {last['captions']:,} "
        f"captions more would probably bring less than {gain:.3f}. {judged}"
    )
