"""Composites of metrics that a phase is to rank by."""

from collections.abc import Sequence
from datetime import datetime

from leaderboard.models import Phase, Rescoring, User
from leaderboard.services.organising.rescoring import (
    RankingRule,
    rescoring_open,
)
from leaderboard.web.refusals import Refused
from scoring.metrics.composite.formula import NAME, Term, families_of_formula, formula_text


def composite_dry_run(
    *,
    phase: Phase,
    formula: Sequence[Term],
    precision: int,
    reason: str,
    actor: User,
    now: datetime,
) -> Rescoring:
    """Open a dry run of a composite; once it is published, the phase ranks by it.

    Its metrics have the parameters that they have in the phase now. Raises as
    ``rescoring_open`` does.
    """
    families = families_of_formula(formula)
    missing = [term.info.label for term in formula if term.info.family not in phase.families]
    if missing:
        raise Refused(
            f"{phase.name} does not compute {', '.join(missing)}. Add it in the phase's settings, "
            "or mix other metrics."
        )
    parts = {name: phase.parameters[name] for name in families if phase.parameters.get(name)}
    own = {"formula": formula_text(formula), **({"parts": parts} if parts else {})}
    return rescoring_open(
        phase=phase,
        parameters={NAME: own},
        rule=RankingRule(NAME, precision),
        reason=reason,
        actor=actor,
        now=now,
    )
