"""Figures of how clips are spread: histograms, violins, one metric against another."""

from collections.abc import Sequence

import numpy as np

from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.analysis.spread import MetricSpread, SystemSpread
from leaderboard.selectors.figures.bands import MOST_POINTS, band_counts
from leaderboard.selectors.figures.figure import (
    Figure,
    Heading,
    Numbers,
    about,
    axis,
    base_layout,
    plain,
)
from leaderboard.selectors.figures.ranking_stability import short_name
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from scoring.registry import MetricInfo

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"}


def tone_of(system: AnySubmission, place: int) -> int | str:
    """Give the colour of a system by its place; people stand behind."""
    return place % 6 if system.competes else "soft"


def histogram_figure(metric: MetricSpread) -> Figure:
    """Shares of clips by score, one stepped line for each system."""
    info = metric.info
    return Figure(
        name=f"spread-{info.name}",
        title=f"Clips by {info.label}",
        said="Stepped lines of the share of clips by score, one for each system.",
        data=[_steps(spread, place) for place, spread in enumerate(metric.spreads)],
        layout=base_layout(
            320,
            showlegend=True,
            legend=_LEGEND,
            margin={"l": 56, "r": 16, "t": 48, "b": 48},
            hovermode="closest",
            xaxis=axis(f"{info.label} of a clip"),
            yaxis=axis("Share of clips", rangemode="tozero", tickformat=".0%"),
        ),
        numbers=_bins(metric),
        about=(info,),
    )


def _steps(spread: SystemSpread, place: int) -> dict[str, object]:
    bins = spread.shown.bins
    shares = [round(bin_.count / spread.shown.clips, 5) for bin_ in bins]
    told = [f"{bin_.low:g} to {bin_.high:g}" for bin_ in bins]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(short_name(spread.system)),
        # A step begins at the lower end of its bin; the last one is drawn to its end.
        "x": [*(bin_.low for bin_ in bins), bins[-1].high],
        "y": [*shares, shares[-1]],
        "text": [*told, told[-1]],
        "line": {"shape": "hv", "width": 2, "dash": DASHES[place % len(DASHES)]},
        "meta": {"tone": tone_of(spread.system, place)},
        "hovertemplate": "%{text}: %{y:.1%}<extra>%{fullData.name}</extra>",
    }


def _bins(metric: MetricSpread) -> Numbers:
    first = metric.spreads[0].shown.bins
    return Numbers(
        (
            Heading(metric.info.label, number=False),
            *(Heading(spread.system.system_name) for spread in metric.spreads),
        ),
        tuple(
            (
                f"{bin_.low:g} to {bin_.high:g}",
                *(
                    f"{spread.shown.bins[at].count / spread.shown.clips:.2%}"
                    for spread in metric.spreads
                ),
            )
            for at, bin_ in enumerate(first)
        ),
    )


def violin_figure(metric: MetricSpread) -> Figure:
    """Scores of the clips as violins with their quartiles and means."""
    info = metric.info
    return Figure(
        name=f"spread-{info.name}",
        title=f"Clips by {info.label}",
        said="Violins of the clips' scores with quartiles; the table has mean and quartiles.",
        data=[_violin(spread, place) for place, spread in enumerate(metric.spreads)],
        layout=base_layout(
            100 + 64 * len(metric.spreads),
            margin={"l": 150, "r": 16, "t": 16, "b": 48},
            xaxis=axis(f"{info.label} of a clip"),
            yaxis=axis("System", autorange="reversed", type="category"),
        ),
        numbers=_quartiles(metric),
        about=(info,),
    )


def _violin(spread: SystemSpread, place: int) -> dict[str, object]:
    scores = spread.values[~np.isnan(spread.values)]
    step = -(-scores.size // MOST_POINTS)
    return {
        "type": "violin",
        "orientation": "h",
        "name": plain(short_name(spread.system)),
        "x": [round(score, 4) for score in scores[::step].tolist()],
        "points": False,
        "spanmode": "hard",
        "scalemode": "width",
        "box": {"visible": True},
        "meanline": {"visible": True},
        "meta": {"tone": tone_of(spread.system, place)},
    }


def _quartiles(metric: MetricSpread) -> Numbers:
    places = metric.info.decimals or 1
    return Numbers(
        (
            Heading("System", number=False),
            *(Heading(text) for text in ("Mean", "Lower quartile", "Median", "Upper quartile")),
        ),
        tuple(
            (
                spread.system.system_name,
                *(
                    f"{value:.{places}f}"
                    for value in (
                        spread.shown.mean,
                        spread.quartiles[0],
                        spread.shown.median,
                        spread.quartiles[1],
                    )
                ),
            )
            for spread in metric.spreads
        ),
    )


def against_figure(
    x: SystemSpread,
    y: SystemSpread,
    infos: tuple[MetricInfo, MetricInfo],
    names: Sequence[str],
    links: Sequence[str],
) -> Figure:
    """Each clip of a system by two metrics, over their density; a point opens its clip.

    ``names`` and ``links`` are those of the clips.
    """
    points = np.stack([x.values, y.values], axis=1)
    known = np.flatnonzero(~np.isnan(points).any(axis=1))
    every = points[known]
    step = -(-len(known) // MOST_POINTS) or 1
    shown_at: list[int] = known[::step].tolist()
    system = x.system.system_name
    labels = infos[0].label, infos[1].label
    shown = "every clip" if step == 1 else f"one in {step} clips"
    return Figure(
        name="one-against-another",
        title=f"{labels[0]} against {labels[1]} for {shown} of {system}",
        said="Scatter plot of clips over their density; the table counts clips by both scores.",
        data=[_points(points[shown_at], [names[at] for at in shown_at]), _density(every)],
        layout=base_layout(
            520,
            xaxis=axis(f"{labels[0]} of a clip", showgrid=False, range=_range(every[:, 0])),
            yaxis=axis(f"{labels[1]} of a clip", showgrid=False, range=_range(every[:, 1])),
        ),
        numbers=band_counts(every, f"{labels[0]} (rows) by {labels[1]} (columns)"),
        square=True,
        links=tuple(links[at] for at in shown_at) if links else (),
        about=infos,
    )


def _points(points: Floats, names: Sequence[str]) -> dict[str, object]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [round(value, 4) for value in points[:, 0].tolist()],
        "y": [round(value, 4) for value in points[:, 1].tolist()],
        "text": [plain(name) for name in names],
        "marker": {"size": 6, "opacity": 0.4},
        "hovertemplate": "%{text}<br>%{x} and %{y}<extra></extra>",
    }


def _density(points: Floats) -> dict[str, object]:
    return {
        "type": "histogram2dcontour",
        "x": [round(value, 4) for value in points[:, 0].tolist()],
        "y": [round(value, 4) for value in points[:, 1].tolist()],
        "ncontours": 12,
        "contours": {"coloring": "fill"},
        "showscale": False,
        "hoverinfo": "skip",
        "meta": {"scale": "wash"},
    }


def _range(values: Floats) -> list[float]:
    low, high = float(values.min(initial=0)), float(values.max(initial=0))
    room = 0.03 * ((high - low) or 1.0)
    return [low - room, high + room]


def events_figure(counts: Sequence[tuple[str, Sequence[float], int | str]]) -> Figure:
    """Shares of captions by number of sound events, (name, shares from 0 events on, tone) each."""
    most = max(len(shares) for _, shares, _ in counts)
    filled = [
        (name, [*shares, *[0.0] * (most - len(shares))], tone) for name, shares, tone in counts
    ]
    return Figure(
        name="events-by-system",
        title="Captions by number of sound events",
        said="Lines of the share of captions by number of sound events they name.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(name),
                "x": list(range(most)),
                "y": [round(share, 5) for share in shares],
                "line": {"width": 2, "dash": DASHES[place % len(DASHES)]},
                "marker": {"size": 7},
                "meta": {"tone": tone},
                "hovertemplate": "%{x} events: %{y:.1%}<extra>%{fullData.name}</extra>",
            }
            for place, (name, shares, tone) in enumerate(filled)
        ],
        layout=base_layout(
            320,
            showlegend=True,
            legend=_LEGEND,
            margin={"l": 56, "r": 16, "t": 48, "b": 48},
            xaxis=axis("Sound events in a caption", dtick=1),
            yaxis=axis("Share of captions", rangemode="tozero", tickformat=".0%"),
        ),
        numbers=Numbers(
            (Heading("Events", number=False), *(Heading(name) for name, _, _ in filled)),
            tuple(
                (str(at), *(f"{shares[at]:.1%}" for _, shares, _ in filled)) for at in range(most)
            ),
        ),
        about=about("cb_score"),
    )
