"""A labeller beside the one in use: what was measured of both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.selectors.labellers.listing import StoredLabeller
from leaderboard.selectors.labellers.scores import MEASURES

# No recipe has as many; one that was made elsewhere may say anything.
MOST_CHOICES = 60


@dataclass(frozen=True, slots=True)
class MeasureDifference:
    """A share of both, 0 to 1; None where it was not measured."""

    name: str
    a: float | None
    b: float | None

    @property
    def gain(self) -> float | None:
        """How much higher the second is."""
        return None if self.a is None or self.b is None else self.b - self.a


@dataclass(frozen=True, slots=True)
class LabellerComparison:
    """What was measured of two labellers.

    ``claimed`` names those whose data, recipe and figures are their makers' word alone.
    """

    measures: tuple[MeasureDifference, ...]
    same_captions: bool
    claimed: str


def compared(a: StoredLabeller, b: StoredLabeller) -> LabellerComparison:
    """Compare two labellers."""
    same_data = bool(a.data_hash) and a.data_hash == b.data_hash
    captions = getattr(a.scores, "captions", None), getattr(b.scores, "captions", None)
    return LabellerComparison(
        measures=tuple(
            MeasureDifference(title, getattr(a.scores, name, None), getattr(b.scores, name, None))
            for name, title, _ in MEASURES
        ),
        same_captions=same_data and captions[0] is not None and captions[0] == captions[1],
        claimed=" and ".join(one.identity for one in (a, b) if one.claimed),
    )


def choices_of(recipe: Mapping[str, Any]) -> dict[str, str]:
    """A recipe as names and texts, no more and no longer than a page can show."""
    return {str(name)[:60]: _text(value) for name, value in sorted(recipe.items())[:MOST_CHOICES]}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "none"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
