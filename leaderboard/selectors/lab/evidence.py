"""What is known of a mix of metrics besides ranks: agreement with people, and what tricks gain."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import Q

from earmark.benchmark import TOTAL, Accuracy, Preferences, shares
from earmark.benchmark_results import measured
from earmark.metrics.composite.formula import Term
from earmark.registry import METRICS
from earmark.statistics import Floats
from earmark.tricks.captions import TRICKS, Trick
from earmark.tricks.measuring import MetricUnderTricks, measured_tricks
from leaderboard.models import JudgmentSet, Phase, User
from leaderboard.selectors.analysis.human_judgments import KIND_TITLES, judged_preferences
from leaderboard.selectors.lab.composite import terms_in_use
from leaderboard.selectors.lab.report import LabReport

Terms = Sequence[Term]
# What it is of, and how it is now and then.
Agreement = tuple[str, Accuracy | None, Accuracy | None]
Gain = tuple[Trick, float | None, float | None]


def evidence_of(phase: Phase, report: LabReport, reader: User) -> dict[str, Any]:
    """What was measured elsewhere, put together by the formulas of now and of the lab.

    ``agreement`` has what was judged, and how often the rankings of now and of the lab agree with
    it; ``tricks`` what each gains now and then, in standard deviations between the ranked systems.
    None: not known. Both are empty where nothing was measured of either; ``unmeasured`` are labels.

    Judgments are those of AudioCaps-Eval, of the phase, and the reader's own.
    """
    now, then = terms_in_use(phase), report.terms
    # What was measured elsewhere was measured with the defaults.
    usual = {name for name, info in METRICS.items() if not phase.as_computed(info).differences}
    known = {name: row for name, row in measured_tricks().metrics.items() if name in usual}
    general = measured().preferences
    general = replace(
        general,
        differences={name: row for name, row in general.differences.items() if name in usual},
    )
    unmeasured = dict.fromkeys(
        phase.as_computed(term.info).label
        for term in (*now, *then)
        if term.metric not in known or term.metric not in measured().metrics
    )
    return {
        "agreement": list(_agreement(phase, reader, general, now, then)),
        "tricks": list(_tricks(report, known, now, then)),
        "unmeasured": list(unmeasured),
    }


def _agreement(
    phase: Phase, reader: User, general: Preferences, now: Terms, then: Terms
) -> Iterator[Agreement]:
    """AudioCaps-Eval by kinds of pairs, then all pairs of the others."""
    sides = _accuracies(general, now), _accuracies(general, then)
    for kind, title in KIND_TITLES.items():
        yield from _row(f"AudioCaps-Eval: {title[:1].lower()}{title[1:]}", kind, sides)
    for judgments in JudgmentSet.objects.filter(Q(phase=phase) | Q(owner=reader)).order_by("pk"):
        if judgments.phase_id is not None:
            judgments.phase = phase
        pairs = judged_preferences(judgments)
        yield from _row(judgments.name, TOTAL, (_accuracies(pairs, now), _accuracies(pairs, then)))


Sides = tuple[dict[str, Accuracy] | None, dict[str, Accuracy] | None]


def _row(title: str, kind: str, sides: Sides) -> Iterator[Agreement]:
    now, then = (side[kind] if side and side[kind].pairs else None for side in sides)
    if now is not None or then is not None:
        yield title, now, then


def _accuracies(preferences: Preferences, terms: Terms) -> dict[str, Accuracy] | None:
    """Accuracies of a formula by kind; None where not all of its metrics were measured."""
    known = preferences.differences
    if not terms or any(term.metric not in known for term in terms):
        return None
    # Differences are positive where the first caption is better, whatever the direction.
    whole: Floats = np.sum([abs(term.factor) * known[term.metric] for term in terms], axis=0)
    return shares(preferences, whole)


def _tricks(
    report: LabReport, known: Mapping[str, MetricUnderTricks], now: Terms, then: Terms
) -> Iterator[Gain]:
    spreads = [_spread([row.now.value or 0.0 for row in report.rows if row.now])]
    spreads.append(_spread([row.then.value or 0.0 for row in report.rows if row.then]))
    for trick in TRICKS:
        gains = [
            sum(abs(term.factor) * known[term.metric].gain(trick.name) for term in terms) / spread
            if terms and spread and all(term.metric in known for term in terms)
            else None
            for terms, spread in zip((now, then), spreads, strict=True)
        ]
        if gains != [None, None]:
            yield trick, gains[0], gains[1]


def _spread(values: Sequence[float]) -> float | None:
    """The standard deviation between systems; None where there is none to speak of."""
    deviation = float(np.std(values)) if len(values) > 1 else 0.0
    return deviation if deviation > 0 else None
