"""Failures that the library expects and a caller can act on."""


class ScoringError(Exception):
    """Base of every expected failure; its text says what to do."""


class UnknownMetric(ScoringError):
    """A metric name that the registry does not know."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"There is no metric {name!r}. Choose from: {', '.join(known)}.")
        self.name = name


class ResourceMissing(ScoringError):
    """A data file or a model that a metric needs is not on this machine."""
