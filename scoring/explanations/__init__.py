"""What each metric is, with examples computed by the metrics themselves."""

from scoring.explanations.texts import Explanation, explanations

__all__ = ["Explanation", "explanations"]
