"""A mix of metrics as a formula, which stays the same whoever takes part."""

from leaderboard.models import Phase
from leaderboard.selectors.lab.pool import LabPool
from leaderboard.selectors.lab.query import LabQuery
from leaderboard.selectors.ranking.formula import composite_terms, own_term
from scoring.metrics.composite.formula import NAME, Term, formula_text, read_formula
from scoring.registry import METRICS, metrics_for


def terms_of(phase: Phase, pool: LabPool, asked: LabQuery) -> tuple[Term, ...]:
    """What is ranked by as terms; none of a mix of ranks, which has no formula.

    For z-scores the means and standard deviations are those of the systems that are ranked now.
    """
    if not asked.mixed:
        metric = asked.metrics[0]
        return composite_terms(phase) if metric == NAME else (own_term(metric),)
    if asked.mix == "ranks" or _configured(asked) or not pool.lines:
        return ()
    whole = sum(weight for _, weight in asked.weights)
    terms = []
    for (metric, weight), row in zip(asked.weights, pool.values, strict=True):
        centre, scale = (
            (float(row.mean()), float(row.std()) or 1.0) if asked.mix == "z" else (0.0, 1.0)
        )
        terms.append(Term(metric, own_term(metric).weight * weight / whole, centre, scale))
    # To as many digits as a signature has.
    return read_formula(formula_text(terms))


def _configured(asked: LabQuery) -> list[str]:
    """Metrics that a phase configures, which no formula can name."""
    usable = metrics_for(several=False)
    return [name for name in asked.metrics if name not in usable]


def why_not_published(phase: Phase, asked: LabQuery) -> str:
    """Why a lab's rules cannot become the phase's by a dry run; empty where they can."""
    if not asked.mixed:
        return "A single metric is chosen under Rules, without a dry run."
    if configured := _configured(asked):
        labels = ", ".join(phase.as_computed(METRICS[name]).label for name in configured)
        return f"{labels} cannot be part of a composite, since this phase configures it itself."
    if asked.mix == "ranks":
        return (
            "Ranks depend on who takes part, so that a mean of them is no metric of a system. "
            "Mix z-scores or values."
        )
    if (
        asked.teams
        or asked.systems
        or asked.clips
        or asked.telling
        or asked.baselines
        or asked.counting != phase.counting_rule
    ):
        return (
            "Only metrics, weights and decimals can be published from here. Put back what is "
            "left out, and let the same submissions count as in the phase."
        )
    if phase.frozen_at is not None:
        return "The ranking is frozen, so that its metric cannot change now. Reveal it first."
    return ""
