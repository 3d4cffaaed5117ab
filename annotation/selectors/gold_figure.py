"""Agreement with gold over time, drawn."""

from collections.abc import Mapping, Sequence

from annotation.selectors.against_gold import FEWEST_SETTLED, GoldPoint
from leaderboard.selectors.figures.figure import (
    LEGEND_ABOVE,
    Figure,
    Numbers,
    axis,
    base_layout,
    plain,
)

# Lines differ in colour and in the form of their points; after that many both come again.
_TONES, _SYMBOLS = 6, 7


def gold_figure(points: Mapping[str, Sequence[GoldPoint]]) -> Figure | None:
    """The share of words labelled as settled over time, a line for each name.

    None where nobody has two points: one says nothing of a course.
    """
    drawn = {name: rows for name, rows in points.items() if len(rows) > 1}
    if not drawn:
        return None
    return Figure(
        name="as-gold",
        title=f"Words labelled as settled, by {FEWEST_SETTLED} captions in a row",
        alt="Lines over captions; the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": plain(name),
                "x": [row.last for row in rows],
                "y": [row.share for row in rows],
                "marker": {"size": 8, "symbol": number % _SYMBOLS},
                "meta": {"tone": number % _TONES},
                "hovertemplate": f"{plain(name)}, captions up to %{{x}}: %{{y:.0%}}<extra></extra>",
            }
            for number, (name, rows) in enumerate(drawn.items())
        ],
        layout=base_layout(
            280,
            showlegend=len(drawn) > 1,
            legend=LEGEND_ABOVE,
            margin={"l": 56, "r": 16, "t": 56 if len(drawn) > 1 else 16, "b": 48},
            xaxis=axis("Captions compared so far"),
            yaxis=axis("Words as settled", range=[0, 1.05], tickformat=".0%"),
        ),
        numbers=Numbers(
            ("Name", "Captions", "Labelled until", "Words as settled", "Words"),
            tuple(
                (
                    name,
                    f"{row.last - FEWEST_SETTLED + 1} to {row.last}",
                    f"{row.until:%Y-%m-%d}",
                    f"{row.share:.0%}",
                    f"{row.words:,}",
                )
                for name, rows in drawn.items()
                for row in rows
            ),
        ),
    )
