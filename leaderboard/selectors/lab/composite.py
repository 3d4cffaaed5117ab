"""What ranks as a formula: of a phase, or of a mix of metrics, the same whoever takes part."""

from earmark.errors import ScoringError
from earmark.metrics.composite.formula import NAME, Term, formula_text, read_formula
from earmark.registry import METRICS, metrics_for
from leaderboard.models import Phase
from leaderboard.selectors.lab.pool import LabPool
from leaderboard.selectors.lab.query import LabQuery


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


def terms_of(phase: Phase, pool: LabPool, rules: LabQuery) -> tuple[Term, ...]:
    """What is ranked by as terms; none of a mix of ranks, which has no formula.

    For z-scores the means and standard deviations are those of the systems that are ranked now.
    """
    if not rules.mixed:
        metric = rules.metrics[0]
        return composite_terms(phase) if metric == NAME else (own_term(metric),)
    if rules.mix == "ranks" or _configured(rules) or not pool.lines:
        return ()
    whole = sum(weight for _, weight in rules.weights)
    terms = []
    for (metric, weight), row in zip(rules.weights, pool.values, strict=True):
        centre, scale = (
            (float(row.mean()), float(row.std()) or 1.0) if rules.mix == "z" else (0.0, 1.0)
        )
        terms.append(Term(metric, own_term(metric).weight * weight / whole, centre, scale))
    # To as many digits as a signature has.
    return read_formula(formula_text(terms))


def _configured(rules: LabQuery) -> list[str]:
    """Metrics that a phase configures, which no formula can name."""
    usable = metrics_for(several=False)
    return [name for name in rules.metrics if name not in usable]


def why_not_published(phase: Phase, rules: LabQuery) -> str:
    """Why a lab's rules cannot become the phase's by a dry run; empty where they can."""
    if not rules.mixed:
        return "A single metric is chosen under Rules, without a dry run."
    if configured := _configured(rules):
        labels = ", ".join(phase.as_computed(METRICS[name]).label for name in configured)
        return f"{labels} cannot be part of a composite, since this phase configures it itself."
    if rules.mix == "ranks":
        return (
            "Ranks depend on who takes part, so that a mean of them is no metric of a system. "
            "Mix z-scores or values."
        )
    if (
        rules.teams
        or rules.systems
        or rules.clips
        or rules.telling
        or rules.baselines
        or rules.counting != phase.counting_rule
    ):
        return (
            "Only metrics, weights and decimals can be published from here. Put back what is "
            "left out, and let the same submissions count as in the phase."
        )
    if phase.frozen_at is not None:
        return "The ranking is frozen, so that its metric cannot change now. Reveal it first."
    return ""
