"""Mistakes in how the command line is used."""

FAULTY = 1
MISUSED = 2
INCOMPLETE = 3


class Misuse(Exception):
    """An argument or a path that cannot be used; the text says what to do."""
