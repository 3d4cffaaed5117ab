"""Figures of how the scores of clips are spread: histograms, violins, events of a caption."""

from collections.abc import Sequence

import numpy as np

from leaderboard.selectors.analysis.distributions import (
    Distribution,
    MetricSpread,
    SystemSpread,
)
from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    note,
    plain,
    shortened_apart,
    upright,
)
from leaderboard.selectors.figures.rows_of_bars import (
    BarRow,
    bars_in_rows,
    row_of_counts,
    rows_layout,
)
from leaderboard.selectors.figures.scatter import MOST_POINTS
from leaderboard.selectors.visibility.visible_submissions import AnySubmission


def tone_of(system: AnySubmission, place: int) -> int | str:
    """The colour of a system by its place; the human row is drawn in the background."""
    return place % 6 if system.competes else "soft"


def histogram_figure(metric: MetricSpread) -> Figure:
    """Shares of clips by score, one histogram below the other, with their means."""
    info = metric.info
    rows = [_row_of(spread, place) for place, spread in enumerate(metric.spreads)]
    edges = rows[0].edges
    return Figure(
        name=f"spread-{info.name}",
        title=f"Clips by {info.label}",
        alt="Histograms of the clips' scores, one for each system, with their means; "
        "the table has the same numbers.",
        data=bars_in_rows(rows),
        layout=rows_layout(
            rows, axis(f"{info.label} of a clip", range=[edges[0], edges[-1]]), "clips"
        ),
        numbers=Numbers.of(
            (info.label, *(row.name for row in rows)),
            rows[0].texts,
            zip(*(row.shares for row in rows), strict=True),
            "{:.2%}".format,
        ),
        about=(info,),
    )


def _row_of(spread: SystemSpread, place: int) -> BarRow:
    shown = spread.distribution
    return BarRow(
        name=spread.system.system_name,
        edges=shown.edges,
        shares=shown.shares,
        texts=[f"{bin_.low:g} to {bin_.high:g}" for bin_ in shown.bins],
        mean=shown.mean,
        mean_text=f"{shown.mean:.{shown.info.decimals or 1}f}",
        tone=tone_of(spread.system, place),
    )


def violin_figure(metric: MetricSpread) -> Figure:
    """Scores of the clips as violins with their quartiles and means."""
    info = metric.info
    edges = metric.spreads[0].distribution.edges
    names = shortened_apart([spread.system.system_name for spread in metric.spreads])
    return Figure(
        name=f"spread-{info.name}",
        title=f"Clips by {info.label}",
        alt="Violins of the clips' scores with quartiles; the table has mean and quartiles.",
        data=[_violin(spread, place, names[place]) for place, spread in enumerate(metric.spreads)],
        layout=base_layout(
            100 + 64 * len(metric.spreads),
            margin={"l": 150, "r": 16, "t": 16, "b": 48},
            xaxis=axis(f"{info.label} of a clip", range=[edges[0], edges[-1]]),
            yaxis=axis("", autorange="reversed", type="category"),
        ),
        numbers=_quartiles(metric),
        about=(info,),
    )


def _violin(spread: SystemSpread, place: int, name: str) -> dict[str, object]:
    scores = spread.values[~np.isnan(spread.values)]
    step = -(-scores.size // MOST_POINTS)
    return {
        "type": "violin",
        "orientation": "h",
        "name": plain(name),
        "x": [round(score, 4) for score in scores[::step].tolist()],
        "points": False,
        "spanmode": "hard",
        "scalemode": "width",
        "box": {"visible": True},
        "meanline": {"visible": True},
        "meta": {"tone": tone_of(spread.system, place)},
    }


def _quartiles(metric: MetricSpread) -> Numbers:
    shown = [spread.distribution for spread in metric.spreads]
    ends = [spread.quartiles for spread in metric.spreads]
    return Numbers.of(
        ("System", "Mean", "Lower quartile", "Median", "Upper quartile"),
        (spread.system.system_name for spread in metric.spreads),
        ((one.mean, low, one.median, high) for one, (low, high) in zip(shown, ends, strict=True)),
        f"{{:.{metric.info.decimals or 1}f}}".format,
    )


def events_figure(counts: Sequence[tuple[str, Sequence[float], int | str]]) -> Figure:
    """Shares of captions by number of sound events, (name, shares from 0 events on, tone) each."""
    most = max(len(shares) for _, shares, _ in counts)
    texts = [f"{events} event{'' if events == 1 else 's'}" for events in range(most)]
    rows = [
        row_of_counts(name, dict(enumerate(shares)), range(most), tone, texts)
        for name, shares, tone in counts
    ]
    return Figure(
        name="events-by-system",
        title="Captions by number of sound events",
        alt="Histograms of the number of sound events in a caption, one for each system, "
        "with their means; the table has the same numbers.",
        data=bars_in_rows(rows),
        layout=rows_layout(
            rows,
            axis("Sound events in a caption", range=[-0.5, most - 0.5], dtick=1, showgrid=False),
            "captions",
        ),
        numbers=Numbers.of(
            ("Events", *(row.name for row in rows)),
            map(str, range(most)),
            zip(*(row.shares for row in rows), strict=True),
            "{:.1%}".format,
        ),
        about=about("cb_score"),
    )


def system_histogram(shown: Distribution) -> Figure:
    """Clips by score, with their mean."""
    info = shown.info
    return Figure(
        name="clip-scores",
        title=f"Clips by {info.label}",
        alt="Histogram of single clips with their mean; the table has the same numbers.",
        data=[
            {
                "type": "bar",
                "name": "Clips",
                "x": [round((bin_.low + bin_.high) / 2, 12) for bin_ in shown.bins],
                "y": [bin_.count for bin_ in shown.bins],
                "text": [f"{bin_.low:g} to {bin_.high:g}" for bin_ in shown.bins],
                "textposition": "none",
                "hovertemplate": "%{text}<br>%{y} clips<extra></extra>",
            }
        ],
        layout=base_layout(
            280,
            bargap=0.04,
            margin={"l": 48, "r": 12, "t": 28, "b": 44},
            xaxis=axis(f"{info.label} of a clip", range=[shown.bins[0].low, shown.bins[-1].high]),
            yaxis=axis("Clips", rangemode="tozero"),
            shapes=[upright(shown.mean)],
            annotations=[note(f"mean {shown.mean:.{info.decimals or 1}f}", shown.mean)],
        ),
        numbers=Numbers(
            ("From", "up to", "Clips", "Share"),
            tuple(
                (
                    f"{bin_.low:,.10g}",
                    f"{bin_.high:,.10g}",
                    f"{bin_.count:,}",
                    f"{100 * bin_.count / shown.clips:.1f} %",
                )
                for bin_ in shown.bins
            ),
        ),
        about=(info,),
    )
