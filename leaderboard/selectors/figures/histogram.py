"""The histogram of one metric of one system."""

from leaderboard.selectors.clips.distributions import Bin, Distribution
from leaderboard.selectors.figures.figure import Figure, Heading, Numbers, axis, base_layout


def histogram_figure(shown: Distribution) -> Figure:
    """Clips by score, with their mean."""
    info = shown.info
    return Figure(
        name="clip-scores",
        title=f"Clips by {info.label}",
        said="Histogram of single clips with their mean; the table has the same numbers.",
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
            shapes=[
                {
                    "type": "line",
                    "x0": shown.mean,
                    "x1": shown.mean,
                    "y0": 0,
                    "y1": 1,
                    "yref": "paper",
                }
            ],
            annotations=[
                {
                    "x": shown.mean,
                    "y": 1,
                    "yref": "paper",
                    "yanchor": "bottom",
                    "showarrow": False,
                    "text": f"mean {shown.mean:.{info.decimals or 1}f}",
                }
            ],
        ),
        numbers=Numbers(
            (
                Heading("From", number=False),
                Heading("up to"),
                Heading("Clips"),
                Heading("Share"),
            ),
            tuple(_row(bin_, shown.clips) for bin_ in shown.bins),
        ),
        about=(info,),
    )


def _row(bin_: Bin, clips: int) -> tuple[str, ...]:
    share = f"{100 * bin_.count / clips:.1f} %"
    return f"{bin_.low:,.10g}", f"{bin_.high:,.10g}", f"{bin_.count:,}", share
