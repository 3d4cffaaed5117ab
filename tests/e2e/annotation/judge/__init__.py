"""Judging pairs of captions in a real browser."""
