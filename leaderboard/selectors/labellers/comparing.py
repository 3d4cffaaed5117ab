"""Two labellers side by side: what was done differently, and what came of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.selectors.labellers.listing import StoredLabeller
from leaderboard.selectors.labellers.scores import MEASURES, LabellerFigures

# No recipe has as many; one that was sent in may say anything.
MOST_CHOICES = 60


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """A choice of the recipes, as text; empty where one does not say."""

    name: str
    a: str
    b: str

    @property
    def verdict(self) -> str:
        """Whether the two chose the same, in words."""
        if not (self.a and self.b):
            return "not known"
        return "differs" if self.differs else "same"

    @property
    def differs(self) -> bool:
        """Whether the two chose differently, as far as both say."""
        return bool(self.a and self.b) and self.a != self.b


@dataclass(frozen=True, slots=True)
class MeasureDifference:
    """A share of both, 0 to 1; None where it was not measured."""

    name: str
    a: float | None
    b: float | None
    about: str = ""

    @property
    def gain(self) -> float | None:
        """How much higher the second is."""
        return None if self.a is None or self.b is None else self.b - self.a


@dataclass(frozen=True, slots=True)
class LabellerComparison:
    """What differs between two labellers; ``labels`` are those that were measured of either.

    ``claimed`` names those whose data, recipe and figures are their makers' word alone.
    """

    choices: tuple[SettingDifference, ...]
    measures: tuple[MeasureDifference, ...]
    labels: tuple[MeasureDifference, ...]
    same_data: bool
    same_captions: bool
    claimed: str


def compared(a: StoredLabeller, b: StoredLabeller) -> LabellerComparison:
    """Compare two labellers."""
    own, other = choices_of(a.recipe), choices_of(b.recipe)
    names = dict.fromkeys([*own, *other])
    same_data = bool(a.data_hash) and a.data_hash == b.data_hash
    captions = getattr(a.scores, "captions", None), getattr(b.scores, "captions", None)
    return LabellerComparison(
        choices=tuple(
            SettingDifference(name, own.get(name, ""), other.get(name, "")) for name in names
        ),
        measures=tuple(
            MeasureDifference(
                title, getattr(a.scores, name, None), getattr(b.scores, name, None), about
            )
            for name, title, about in MEASURES
        ),
        labels=tuple(row for row in _by_label(a, b) if (row.a, row.b) != (None, None)),
        same_data=same_data,
        same_captions=same_data and captions[0] is not None and captions[0] == captions[1],
        claimed=" and ".join(one.identity for one in (a, b) if one.claimed),
    )


def _by_label(a: StoredLabeller, b: StoredLabeller) -> Iterator[MeasureDifference]:
    for label in dict.fromkeys([*a.labels, *b.labels]):
        yield MeasureDifference(f"F1 of {label}", _f1(a.scores, label), _f1(b.scores, label))


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


def _f1(scores: LabellerFigures | None, label: str) -> float | None:
    row = None if scores is None else scores.of(label)
    return None if row is None else row.f1
