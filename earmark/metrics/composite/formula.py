"""The formula of a composite: metrics with their weights, as text that people can read.

0.6*fense + 0.4*cider_d
0.5*(fense - 0.45)/0.03 - 0.5*(fer - 0.1)/0.05
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from earmark.errors import ScoringError
from earmark.registry import FAMILIES, METRICS, MetricInfo, metrics_for

NAME = "composite"
MOST_TERMS = 8

# Each part ends where the next begins: a long formula of digits must not be tried in every way.
_NUMBER = r"(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d{1,3})?"
_NAME = r"[a-z][a-z0-9_]{0,39}"
_TERM = re.compile(
    rf"(?P<weight>[+-]?{_NUMBER})\*"
    rf"(?:(?P<plain>{_NAME})|\((?P<scaled>{_NAME})(?P<shift>[+-]{_NUMBER})\)/(?P<scale>{_NUMBER}))",
    re.ASCII,
)
_AROUND = re.compile(r"\s*([-+*/()])\s*")  # spaces, which mean nothing there
_LONGEST = 1_000


class FormulaUnusable(ScoringError):
    """A formula that does not say what a composite is made of; its text says what to change."""


@dataclass(frozen=True, slots=True)
class Term:
    """A metric in a composite: it adds ``weight * (value - centre) / scale``.

    ``weight`` is below 0 for a metric of which less is better.
    """

    metric: str
    weight: float
    centre: float = 0.0
    scale: float = 1.0

    @property
    def info(self) -> MetricInfo:
        """The metric in the registry."""
        return METRICS[self.metric]

    @property
    def factor(self) -> float:
        """By how much the composite rises when the metric rises by 1."""
        return self.weight / self.scale

    @property
    def text(self) -> str:
        """The term without the sign of its weight."""
        weight = f"{abs(self.weight):.6g}"
        if (self.centre, self.scale) == (0.0, 1.0):
            return f"{weight}*{self.metric}"
        shift = f"{'+' if self.centre < 0 else '-'}{abs(self.centre):.6g}"
        return f"{weight}*({self.metric}{shift})/{self.scale:.6g}"


def formula_text(terms: Iterable[Term]) -> str:
    """Write terms as a formula without spaces, as signatures have it."""
    parts = [f"{'-' if term.weight < 0 else '+'}{term.text}" for term in terms]
    return "".join(parts).removeprefix("+")


def read_formula(text: str) -> tuple[Term, ...]:
    """Read a formula; raise ``FormulaUnusable``."""
    if not text.strip():
        raise FormulaUnusable(
            "A composite has to be told what it is made of. Give a formula such as "
            "0.6*fense+0.4*cider_d, or choose its metrics in the ranking lab of a phase."
        )
    if len(text) > _LONGEST:
        raise FormulaUnusable(
            f"The formula has {len(text):,} characters. Give at most {_LONGEST:,}."
        )
    terms = tuple(_terms(_AROUND.sub(r"\1", text.strip())))
    names = [term.metric for term in terms]
    if len(names) > MOST_TERMS:
        raise FormulaUnusable(f"The formula has {len(names)} metrics. Give at most {MOST_TERMS}.")
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise FormulaUnusable(f"The formula names {twice} twice. Give it one weight.")
    return terms


def _terms(text: str) -> Iterator[Term]:
    at = 0
    while at < len(text):
        term = _TERM.match(text, at)
        # Between two terms there is the sign of the second.
        if term is None or (at and text[at] not in "+-"):
            raise FormulaUnusable(
                f"The formula cannot be read from {text[at : at + 40]!r} on. Write each metric "
                "with its weight, such as 0.6*fense+0.4*cider_d or 0.5*(fense-0.45)/0.03."
            )
        yield _term(term)
        at = term.end()


def _term(matched: re.Match[str]) -> Term:
    name = matched["plain"] or matched["scaled"]
    usable = metrics_for(several=False)
    if name not in usable:
        raise FormulaUnusable(
            f"A composite cannot be made of {name!r}. Choose from: {', '.join(usable)}."
        )
    shift, scale = float(matched["shift"] or 0), float(matched["scale"] or 1)
    term = Term(name, float(matched["weight"]), -shift if shift else 0.0, scale)
    if not (math.isfinite(term.weight) and term.weight and math.isfinite(shift)):
        raise FormulaUnusable(
            f"The weight of {name} is {matched['weight']}. Give a number other than 0."
        )
    if not (math.isfinite(scale) and scale > 0 and math.isfinite(term.factor)):
        raise FormulaUnusable(f"{name} is divided by {matched['scale']}. Give a number above 0.")
    return term


def families_of_formula(terms: Iterable[Term]) -> tuple[str, ...]:
    """The families of the metrics of a formula, each once, in registry order."""
    wanted = {term.info.family for term in terms}
    return tuple(name for name in FAMILIES if name in wanted)
