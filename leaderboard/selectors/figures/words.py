"""Figures of sound descriptors over sets of captions."""

from collections.abc import Sequence

from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    SYMBOLS,
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    line,
    plain,
    shortened,
)
from leaderboard.selectors.words.counts import MEASURES, Measure
from leaderboard.selectors.words.label_names import label_title
from leaderboard.selectors.words.reading import CaptionSet
from leaderboard.selectors.words.table import DescriptorRow

_ROW = 28  # pixels
_LONGEST = 28  # characters of a name in the legend


def descriptors_figure(
    sets: Sequence[CaptionSet], rows: Sequence[DescriptorRow], measure: Measure
) -> Figure:
    """Dots of the share of each label, one for each set; references are rules behind them."""
    return Figure(
        name="descriptors",
        title=f"{MEASURES[measure]}, by descriptor",
        alt="Dots of shares for each descriptor and set; the table has the same numbers.",
        data=[_dots(one, place, rows) for place, one in enumerate(sets)],
        layout=base_layout(
            124 + _ROW * len(rows),
            showlegend=True,
            legend=LEGEND_ABOVE,
            margin={"l": 16, "r": 28, "t": 64, "b": 48},
            xaxis=axis(f"Share of {measure}", range=_reach(rows), tickformat=".0%"),
            yaxis=axis("", autorange="reversed", type="category", automargin=True),
        ),
        numbers=Numbers(
            (
                "Descriptor",
                *(f"{one.name}, {measure}" for one in sets),
                *(f"{one.name}, share" for one in sets),
            ),
            tuple(
                (
                    label_title(row.label),
                    *(f"{cell.count:,}" for cell in row.cells),
                    *("" if cell.share is None else f"{cell.share:.1%}" for cell in row.cells),
                )
                for row in rows
            ),
        ),
        about=about("aces"),
    )


def _reach(rows: Sequence[DescriptorRow]) -> list[float]:
    """From 0 to the greatest share, and room for half a dot at both ends."""
    shares = (cell.share for row in rows for cell in row.cells if cell.share is not None)
    most = max(shares, default=0) or 1.0
    return [-0.02 * most, 1.03 * most]


def _dots(one: CaptionSet, place: int, rows: Sequence[DescriptorRow]) -> dict[str, object]:
    shares = [row.cells[place].share for row in rows]
    name = shortened(one.name, _LONGEST)
    references = one.system is None
    # Equal shares lie on one another: symbols differ, and references are a rule behind them.
    symbol = "line-ns-open" if references else SYMBOLS[(place - 1) % len(SYMBOLS)]
    return line(
        plain(name),
        [None if share is None else round(share, 5) for share in shares],
        [plain(label_title(row.label)) for row in rows],
        mode="markers",
        marker={
            "size": 17 if references else 9,
            "symbol": symbol,
            "line": {"width": 3 if references else 0},
        },
        meta={"tone": "soft" if references else (place - 1) % 6},
        hovertemplate="%{y}: %{x:.1%}<extra>%{fullData.name}</extra>",
    )
