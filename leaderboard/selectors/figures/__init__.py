"""Figures: a Plotly description together with the table of the same numbers."""

from leaderboard.selectors.figures.figure import Figure, Heading, Numbers

__all__ = ["Figure", "Heading", "Numbers"]
