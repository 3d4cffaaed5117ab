"""Figures of a system that offers several candidates for a clip."""

from collections.abc import Sequence

from leaderboard.selectors.analysis.candidates import TUPLE_METRICS, SeveralCandidates
from leaderboard.selectors.figures.figure import (
    Figure,
    Heading,
    Numbers,
    about,
    axis,
    base_layout,
)
from scoring.registry import METRICS

_HEIGHT = 320
_SYMBOLS = ("circle", "square", "diamond")


def tuples_figure(found: SeveralCandidates) -> Figure | None:
    """SPICE+ precision, recall and F of the first 1, 2, ... candidates together."""
    if found.tuples is None:
        return None
    labels = [METRICS[name].label for name in TUPLE_METRICS]
    columns = [found.tuples[:, column].tolist() for column in range(len(labels))]
    return _lines(
        found,
        name="tuples-by-candidates",
        title="SPICE+ of the first candidates together, by their number",
        labels=labels,
        columns=columns,
        unit="Mean over clips",
        metrics=TUPLE_METRICS,
    )


def best_figure(found: SeveralCandidates) -> Figure | None:
    """SPIDEr of the best of the first 1, 2, ... candidates."""
    if found.best is None:
        return None
    return _lines(
        found,
        name="best-by-candidates",
        title="SPIDEr of the best of the first candidates, by their number",
        labels=["SPIDEr of the best"],
        columns=[found.best.tolist()],
        unit="Mean SPIDEr over clips",
        metrics=("spider", "spider_max"),
    )


def _lines(
    found: SeveralCandidates,
    *,
    name: str,
    title: str,
    labels: Sequence[str],
    columns: Sequence[Sequence[float]],
    unit: str,
    metrics: Sequence[str],
) -> Figure:
    places = list(range(1, found.most + 1))
    several = len(labels) > 1
    return Figure(
        name=name,
        title=title,
        said=f"{'Lines' if several else 'A line'} from 1 to {found.most} candidates; "
        "the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": label,
                "x": places,
                "y": [round(value, 6) for value in values],
                "marker": {"size": 8, "symbol": _SYMBOLS[at]},
                "meta": {"tone": at},
                "hovertemplate": f"%{{x}} candidates: %{{y:.3f}}<extra>{label}</extra>",
            }
            for at, (label, values) in enumerate(zip(labels, columns, strict=True))
        ],
        layout=base_layout(
            _HEIGHT,
            showlegend=several,
            legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            margin={"l": 56, "r": 16, "t": 40 if several else 16, "b": 48},
            # A little room at both ends, so that no marker is cut.
            xaxis=axis(
                "Candidates",
                dtick=1 if found.most <= 10 else 2,
                tick0=1,
                range=[0.8, found.most + 0.2],
            ),
            yaxis=axis(unit, rangemode="tozero"),
        ),
        numbers=Numbers(
            (
                Heading("Candidates", number=False),
                *(Heading(label) for label in labels),
                Heading("Clips with fewer"),
            ),
            tuple(
                (
                    str(place),
                    *(f"{values[place - 1]:.3f}" for values in columns),
                    f"{found.fewer[place - 1]:,}",
                )
                for place in places
            ),
        ),
        about=about(*metrics),
    )
