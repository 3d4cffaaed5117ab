"""Writes: each function does one thing to the data, in one transaction."""
