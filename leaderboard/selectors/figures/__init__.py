"""Figures: a Plotly description together with the table of the same numbers."""
