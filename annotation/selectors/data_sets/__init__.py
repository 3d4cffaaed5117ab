"""Data sets: their clips, figures, parts, cards and files."""
