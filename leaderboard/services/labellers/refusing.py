"""What is said where files cannot be kept as a labeller."""

from scoring.errors import ScoringError


class LabellerRefused(ScoringError):
    """Files that are no labeller, or not one for this site; the text says why."""
