"""Two systems side by side: by how much they differ by each metric, and how surely.

>>> references = [["A dog barks."], ["Rain falls on a roof."], ["A bell rings twice."]]
>>> a, b = ["a dog barks", "rain", "a bell"], ["a dog", "rain", "a"]
>>> compare(a, b, references, "rouge_l")
metric       A      B  A better by  95 % interval       p
rouge_l  0.642  0.477        0.165           none  0.2492
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from earmark.captions import Candidates, References
from earmark.captions.plain_lists import GivenCaptions, GivenReferences, candidates_from
from earmark.chosen_metrics import RunOptions, choose_metrics
from earmark.corpus_parts import is_large
from earmark.errors import UnusableInput
from earmark.kept_references import KeptReferences
from earmark.metric_sets import ALL, known_name
from earmark.pipeline import CorpusScores, Parameters, check_sides
from earmark.pipeline import score as score_corpus
from earmark.registry import METRICS
from earmark.runtime import usable_processors
from earmark.scorer import as_references
from earmark.scores import NoScore, Scores
from earmark.statistics import Floats, PairedDifference, paired_differences
from earmark.tables import FiguresTable, HasTable, figure, frame, interval_text
from earmark.workspace import Workspace

UNLIKE = "computed under different signatures"
NO_MEAN = "not a mean over clips"
MISSING = "not both systems have it"
TOO_FEW = "fewer than two clips have a value of both systems"


class NotComparable(UnusableInput):
    """Scores of which no difference can be told."""


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of two systems, A and B.

    ``a`` and ``b`` are the corpus values. ``difference`` is by how much A is better, in the
    metric's own direction, as a mean over the clips that have a value of both. ``counted``: the
    corpus values come from counts of the whole corpus and are no such means.
    """

    name: str
    a: float
    b: float
    counted: bool
    difference: PairedDifference
    signature: str

    @property
    def better(self) -> Literal["a", "b"] | None:
        """Which system is better beyond chance, if any: that whose interval leaves out 0."""
        winner = self.difference.winner
        return None if winner is None else "b" if winner else "a"

    def as_row(self) -> dict[str, Any]:
        """All that is known of it, by name."""
        found = asdict(self.difference)
        value, interval = found.pop("value"), found.pop("interval")
        sides = {"a": self.a, "b": self.b, "better": self.better, "difference": value}
        told = {"counted": self.counted, "signature": self.signature}
        return {**sides, **interval, **found, **told}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(HasTable, Mapping[str, MetricComparison]):
    """Two systems by the names of metrics; ``left_out`` has the reason for each that is missing.

    ``a`` and ``b`` are the scores of both, with all values per clip.
    """

    a: Scores
    b: Scores
    metrics: Mapping[str, MetricComparison]
    left_out: Mapping[str, str]

    def __getitem__(self, name: str) -> MetricComparison:
        """One metric, by name or label; raises ``NoScore``, a ``KeyError``."""
        known = known_name(str(name))
        if known in self.metrics:
            return self.metrics[known]
        reason = self.left_out.get(known, "it was not asked for")
        raise NoScore(f"There is no comparison by {name}: {reason}.")

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per metric; raises ``ResourceMissing`` without pandas."""
        rows = [one.as_row() for one in self.values()]
        columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
        return frame(columns, self, "metric")

    @property
    def table(self) -> FiguresTable:
        """Both values, the difference with its interval and p of each metric; then notes."""
        counted = ", ".join(name for name, one in self.items() if one.counted)
        told = f"{counted}: A and B are values of the corpus, the difference is a mean over clips."
        notes = (f"{name} is left out: {reason}" for name, reason in self.left_out.items())
        return FiguresTable(
            ("metric", "A", "B", "A better by", "95 % interval", "p"),
            tuple(map(_cells, self.values())),
            (*([told] if counted else []), *notes),
        )


def _cells(one: MetricComparison) -> tuple[str, ...]:
    decimals, found = METRICS[one.name].decimals, one.difference
    figures = (figure(value, decimals) for value in (one.a, one.b, found.value))
    return one.name, *figures, interval_text(found.interval, decimals), figure(found.p_value, 4)


def compare(
    a: GivenCaptions,
    b: GivenCaptions,
    references: GivenReferences | References,
    metrics: str | Iterable[str] = ALL,
    **options: Unpack[RunOptions],
) -> Comparison:
    """Score the captions of two systems and compare them on the same clips.

    Arguments as for ``earmark.score``; ``a`` and ``b`` are captions of the same clips. Intervals
    and p-values are those of the paired permutation test over clips, as on the site
    (``earmark.statistics``). Raises as ``score`` does, and ``NotComparable``, both ``ValueError``.
    """
    clips = as_references(references)
    systems = [
        candidates_from(captions, called, names=clips.file_names)
        for captions, called in ((a, "a"), (b, "b"))
    ]
    for candidates in systems:
        check_sides(candidates, clips)
    check_clips(len(clips))
    chosen = choose_metrics(metrics, **options)
    names = chosen.names(several=any(candidates.several for candidates in systems))
    with chosen.run(len(clips), processors=usable_processors()) as workspace:
        scored = scored_systems(systems, clips, names, workspace, chosen.parameters)
    return compare_scores(*(chosen.scores(one, clips) for one in scored))


def scored_systems(
    systems: Iterable[Candidates],
    references: References,
    metrics: tuple[str, ...],
    workspace: Workspace,
    parameters: Parameters,
) -> list[CorpusScores]:
    """Scores of each system; references, and captions that several have, are prepared once."""
    if not is_large(references):
        workspace = replace(workspace, kept=KeptReferences(sets=1))
    return [
        score_corpus(candidates, references, metrics, workspace, parameters)
        for candidates in systems
    ]


def compare_scores(a: Scores, b: Scores) -> Comparison:
    """Compare two systems that are scored already, by every metric that both have.

    A metric is left out where that would mislead: computed in different ways, or no mean over
    clips. Raises ``NotComparable`` where the clips are different ones, or fewer than two.
    """
    if a.clips != b.clips:
        raise NotComparable(
            f"The two were not scored on the same clips in one order: A has {len(a.clips)}, B "
            f"{len(b.clips)}, and {len({*a.clips} & {*b.clips})} names are in both. Score the same."
        )
    check_clips(len(a.clips))
    reasons = {name: _unfit(name, a, b) for name in METRICS if name in a or name in b}
    left_out = {name: reason for name, reason in reasons.items() if reason}
    names = [name for name, reason in reasons.items() if not reason]
    metrics: dict[str, MetricComparison] = {}
    if names:
        values = np.stack([_values(a, names), _values(b, names)])
        higher = [METRICS[name].direction == "higher" for name in names]
        differences = paired_differences(values[0], values[1], higher)
        for place, (name, difference) in enumerate(zip(names, differences, strict=True)):
            counted = is_counted(values[:, :, place].T, np.array([a[name], b[name]]))
            signed = a.signatures[name]
            metrics[name] = MetricComparison(name, a[name], b[name], counted, difference, signed)
    return Comparison(a, b, metrics, {**left_out, **b.unavailable, **a.unavailable})


def check_clips(clips: int) -> None:
    """Raise ``NotComparable`` for fewer than two clips."""
    if clips < 2:
        raise NotComparable(
            f"There is {clips} clip. Give at least two: a difference is tested over clips."
        )


def is_counted(values: Floats, corpus: Floats) -> bool:
    """Whether corpus values are something else than the means of the clips.

    ``values`` has shape (clips, systems), NaN where a metric says nothing; ``corpus`` (systems,).
    """
    with np.errstate(invalid="ignore"):
        means = np.nanmean(values, axis=0)
    return not np.allclose(means, corpus, atol=1e-5, equal_nan=True)


def _values(scores: Scores, names: list[str]) -> Floats:
    """Values of all clips, shape (clips, metrics); NaN where there is none."""
    values = np.stack([scores.per_clip[name] for name in names], axis=1).astype(np.float64)
    values[~np.isfinite(values)] = np.nan
    return values


def _unfit(name: str, a: Scores, b: Scores) -> str:
    """Why two systems cannot be compared by a metric that one of them has; mostly empty."""
    if np.isinf(METRICS[name].high):
        return NO_MEAN
    if not (name in a.results and name in b.results):
        return MISSING
    if a.signatures[name] != b.signatures[name]:
        return UNLIKE
    common = np.isfinite(a.per_clip[name]) & np.isfinite(b.per_clip[name])
    return TOO_FEW if np.count_nonzero(common) < 2 else ""
