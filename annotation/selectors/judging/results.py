"""What judgments say of systems and of the judges themselves, with the figure of it."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.agreement.choices import JudgeAgreement, choices_alpha, judges_against_others
from annotation.agreement.measures import Estimate
from annotation.kinds.judge.drawing import FACETS
from annotation.models import Project
from annotation.selectors.judging.votes import JudgedPair, Votes, system_names, votes_of
from annotation.selectors.projects import worker_names
from earmark.results import Interval
from earmark.statistics import Floats, Ints, davidson, strength_intervals
from leaderboard.models import Phase
from leaderboard.selectors.figures.figure import (
    Figure,
    Numbers,
    axis,
    base_layout,
    plain,
    shortened,
)
from leaderboard.selectors.ranking.ranking import ranking_of

# What a person's caption of the clip competes as.
PEOPLE = ""


@dataclass(frozen=True, slots=True)
class JudgedSystem:
    """A system by what judges say of it; ``public_id`` is "" for captions by people.

    ``strength`` is a log strength (``earmark.statistics.davidson``), ``share`` the chance to
    be preferred to an average one where the two are not found alike. ``rank`` and ``value`` are
    those of the phase, by its metric.
    """

    public_id: str
    name: str
    strength: float
    interval: Interval
    votes: int
    rank: int | None
    value: float | None

    @property
    def share(self) -> float:
        """The chance, 0 to 1, that who prefers it or one of average strength prefers it."""
        return float(1 / (1 + np.exp(-self.strength)))


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge: against the majority of the others, and how often what was shown first won."""

    name: str
    agreement: JudgeAgreement
    first: float | None


@dataclass(frozen=True, slots=True)
class JudgingResults:
    """All that the judgments of a project say.

    ``alike`` is how often two systems of equal strength are found alike, 0 to 1, None without any.
    """

    phase: Phase | None
    facets: tuple[dict[str, Any], ...]
    systems: tuple[JudgedSystem, ...]
    alike: float | None
    nominal: Estimate
    ordinal: Estimate
    judges: tuple[JudgeRow, ...]

    @property
    def votes(self) -> int:
        """How many votes there are in all."""
        return sum(row["votes"] for row in self.facets)


def judging_results(project: Project, phase: Phase | None, *, named: bool) -> JudgingResults:
    """Compute the results of a project.

    ``named``: the reader organises the phase. Others get made-up names and no ranks, since both
    may be hidden.
    """
    votes = votes_of(project)
    systems, alike = _systems(project, votes.pairs, phase, named=named)
    names, judges = worker_names(project), []
    for agreement in judges_against_others(votes.of_judges):
        chosen, decided = votes.chose_first.get(agreement.judge, (0, 0))
        name = names.get(agreement.judge, str(agreement.judge))
        judges.append(JudgeRow(name, agreement, chosen / decided if decided else None))
    return JudgingResults(
        phase=phase,
        facets=tuple(_facet(votes, facet) for facet in FACETS if votes.drawn.get(facet)),
        systems=systems,
        alike=alike,
        nominal=choices_alpha(votes.of_judges, ordinal=False),
        ordinal=choices_alpha(votes.of_judges, ordinal=True),
        judges=tuple(sorted(judges, key=lambda row: row.name)),
    )


def _facet(votes: Votes, facet: str) -> dict[str, Any]:
    """How far the pairs of a kind are judged, and for which side: shares of the votes, 0 to 1.

    ``first`` is the clip's own caption in HI and a person's in HM.
    """
    pairs = [pair.in_order for pair in votes.pairs if pair.facet == facet]
    values = [vote for pair in pairs for vote in pair.votes.values()]
    return {
        "facet": facet,
        "drawn": votes.drawn[facet],
        "judged": len(pairs),
        "votes": len(values),
        "first": values.count(1) / len(values) if values else None,
        "alike": values.count(0) / len(values) if values else None,
    }


def compared_pairs(pairs: Sequence[JudgedPair], competitors: Sequence[str]) -> tuple[Ints, Floats]:
    """Which competitors were compared, by their places, and the votes of each clip for them.

    Shapes (compared, 2) and (clips, compared, 3): for the first, for the second, both alike.
    """
    place = {name: at for at, name in enumerate(competitors)}
    clips = {clip: at for at, clip in enumerate(sorted({pair.clip for pair in pairs}))}
    columns: dict[tuple[int, int], int] = {}
    outcomes: list[tuple[int, int, int]] = []
    for pair in pairs:
        one, other = (place[str(source.get("system", PEOPLE))] for source in pair.sources)
        turned = -1 if one > other else 1
        column = columns.setdefault((min(one, other), max(one, other)), len(columns))
        outcomes += [(clips[pair.clip], column, _OUTCOMES[turned * v]) for v in pair.votes.values()]
    counts = np.zeros((len(clips), len(columns), 3))
    np.add.at(counts, tuple(np.array(outcomes).T), 1)
    return np.array(list(columns)), counts


# In which column of the counts a vote is.
_OUTCOMES = {1: 0, -1: 1, 0: 2}


def _systems(
    project: Project, pairs: Sequence[JudgedPair], phase: Phase | None, *, named: bool
) -> tuple[tuple[JudgedSystem, ...], float | None]:
    """The systems and people, the strongest first, and how often equals are found alike."""
    of_systems = [pair for pair in pairs if pair.facet in {"HM", "MM"}]
    sources = [source for pair in of_systems for source in pair.sources]
    competitors = sorted({str(source.get("system", PEOPLE)) for source in sources})
    if not competitors:
        return (), None
    compared, counts = compared_pairs(of_systems, competitors)
    fit = davidson(compared, counts.sum(axis=0), len(competitors))
    ranges = strength_intervals(compared, counts, len(competitors))
    votes = Counter[int]()
    for sides, total in zip(compared.tolist(), counts.sum(axis=(0, 2)), strict=True):
        votes.update(dict.fromkeys(sides, round(total)))
    names = {PEOPLE: "People"} | dict(system_names(project, phase, named=named))
    ranked = ranking_of(phase, every_system=True).rows if named and phase is not None else ()
    places = {row.public_id: (row.rank, row.value) for row in ranked}
    rows = [
        JudgedSystem(
            public_id=public_id if named else "",
            name=names.get(public_id, "A system that is gone"),
            strength=float(fit.strengths[at]),
            interval=ranges[at],
            votes=votes[at],
            rank=places.get(public_id, (None, None))[0],
            value=places.get(public_id, (None, None))[1],
        )
        for at, public_id in enumerate(competitors)
    ]
    ordered = sorted(rows, key=lambda row: (-row.strength, row.name))
    return tuple(ordered), float(fit.alike)


_ROW = 30


def strengths_figure(systems: Sequence[JudgedSystem]) -> Figure:
    """A dot with its interval for each system, the strongest at the top."""
    labels = [plain(f"{at}. {shortened(row.name)}") for at, row in enumerate(systems, 1)]
    known = [math.isfinite(row.interval.low) for row in systems]
    return Figure(
        name="strengths",
        title="Strength by what judges say",
        alt="Dots with intervals, one for each system, the strongest at the top; "
        "the table has the same numbers.",
        data=[
            {
                "type": "scatter",
                "mode": "markers",
                "x": [round(row.strength, 3) for row in systems],
                "y": labels,
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [
                        round(row.interval.high - row.strength, 3) if has else 0
                        for row, has in zip(systems, known, strict=True)
                    ],
                    "arrayminus": [
                        round(row.strength - row.interval.low, 3) if has else 0
                        for row, has in zip(systems, known, strict=True)
                    ],
                    "thickness": 1.5,
                    "width": 0,
                },
                "marker": {"size": 9},
                "hovertemplate": "%{y}: %{x:.2f}<extra></extra>",
            }
        ],
        layout=base_layout(
            96 + _ROW * len(systems),
            margin={"l": 170, "r": 16, "t": 16, "b": 48},
            xaxis=axis("Log strength, 0 is the average"),
            yaxis=axis("", type="category", autorange="reversed"),
        ),
        numbers=Numbers(
            ("System", "Strength", "From", "to", "Votes"),
            tuple(
                (
                    row.name,
                    f"{row.strength:.2f}",
                    *(f"{end:.2f}" if has else "" for end in (row.interval.low, row.interval.high)),
                    f"{row.votes:,}",
                )
                for row, has in zip(systems, known, strict=True)
            ),
        ),
    )
