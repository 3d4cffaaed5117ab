"""Data sets: splitting them into parts, publishing them."""
