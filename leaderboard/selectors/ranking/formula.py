"""The formula by which a phase ranks, where a composite decides."""

from leaderboard.models import Phase
from scoring.errors import ScoringError
from scoring.metrics.composite.formula import NAME, Term, formula_text, read_formula
from scoring.registry import METRICS


def composite_terms(phase: Phase) -> tuple[Term, ...]:
    """The terms of the composite that a phase computes; none where it computes none."""
    try:
        return read_formula(str(phase.parameters.get(NAME, {}).get("formula", "")))
    except ScoringError:
        return ()


def terms_in_use(phase: Phase) -> tuple[Term, ...]:
    """What the ranking metric of a phase is made of: itself, or the terms of its composite."""
    if phase.ranking_metric == NAME:
        return composite_terms(phase)
    return (own_term(phase.ranking_metric),) if phase.ranking_metric in METRICS else ()


def ranking_formula(phase: Phase) -> str:
    """The formula by which a phase ranks; empty where a single metric decides."""
    return formula_text(composite_terms(phase)) if phase.ranking_metric == NAME else ""


def own_term(metric: str) -> Term:
    """A metric by itself, as a term that rises where the metric gets better."""
    return Term(metric, 1.0 if METRICS[metric].direction == "higher" else -1.0)
