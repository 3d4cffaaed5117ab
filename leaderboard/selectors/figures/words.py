"""Figures of sound descriptors over sets of captions."""

from collections.abc import Sequence

from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    about,
    axis,
    base_layout,
    plain,
)
from leaderboard.selectors.words.counts import MEASURES, Measure
from leaderboard.selectors.words.label_names import label_title
from leaderboard.selectors.words.reading import CaptionSet
from leaderboard.selectors.words.table import DescriptorRow

_BAR = 11  # pixels
_LONGEST = 28  # characters of a name in the legend
_OF = {"captions": "captions", "words": "words", "spans": "spans"}


def descriptors_figure(
    sets: Sequence[CaptionSet], rows: Sequence[DescriptorRow], measure: Measure
) -> Figure:
    """Bars of the share of each label, one for each set; references stand behind."""
    of = _OF[measure]
    return Figure(
        name="descriptors",
        title=f"{MEASURES[measure]}, by descriptor",
        alt="Bars of shares for each descriptor and set; the table has the same numbers.",
        data=[_bars(one, place, rows) for place, one in enumerate(sets)],
        layout=base_layout(
            110 + len(rows) * (12 + _BAR * len(sets)),
            showlegend=True,
            legend=LEGEND_ABOVE,
            barmode="group",
            margin={"l": 16, "r": 28, "t": 64, "b": 48},
            xaxis=axis(f"Share of {of}", rangemode="tozero", tickformat=".0%"),
            yaxis=axis("", autorange="reversed", type="category", automargin=True),
        ),
        numbers=Numbers(
            (
                "Descriptor",
                *(f"{one.name}, {of}" for one in sets),
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


def _bars(one: CaptionSet, place: int, rows: Sequence[DescriptorRow]) -> dict[str, object]:
    shares = [row.cells[place].share for row in rows]
    name = one.name if len(one.name) <= _LONGEST else f"{one.name[: _LONGEST - 1]}…"
    return {
        "type": "bar",
        "orientation": "h",
        "name": plain(name),
        "y": [plain(label_title(row.label)) for row in rows],
        "x": [None if share is None else round(share, 5) for share in shares],
        "meta": {"tone": "soft" if one.system is None else (place - 1) % 6},
        "hovertemplate": "%{y}: %{x:.1%}<extra>%{fullData.name}</extra>",
    }
