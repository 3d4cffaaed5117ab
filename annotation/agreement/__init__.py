"""Measures of agreement; pure functions over plain values."""
