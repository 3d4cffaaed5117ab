"""Failures that the library expects and a caller can act on."""

from difflib import get_close_matches


class ScoringError(Exception):
    """Base of every expected failure; its text says what to do."""


class UnusableInput(ScoringError, ValueError):
    """What was given cannot be used as it is; says where, why and what to give."""


class UnknownMetric(UnusableInput):
    """A metric name that the registry does not know."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        near = " or ".join(get_close_matches(name.lower(), known, n=3))
        meant = f"Did you mean {near}? " * bool(near)
        super().__init__(f"There is no metric {name!r}. {meant}Choose from: {', '.join(known)}.")
        self.name = name


class UnusableParameter(UnusableInput):
    """A parameter of a metric family with a value that makes no sense; says which do."""

    def __init__(self, family: str, parameter: str, value: object, usable: str) -> None:
        super().__init__(f"There is no {value!r} for {parameter} of {family}. Give {usable}.")
        self.parameter = parameter


class ResourceMissing(ScoringError):
    """A data file or a model that a metric needs is not on this machine."""
