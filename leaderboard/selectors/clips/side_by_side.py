"""Several systems on the same clips: what each says, what a metric gives it, clips sorted by it.

Callers must have checked ``access.clips_for`` and ``access.comparable_submissions``.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from earmark.registry import MetricInfo
from earmark.results import PerClip
from leaderboard.models import ClipDetails, MetricResult
from leaderboard.selectors.clips.corpus import (
    ClipLine,
    Corpus,
    clip_lines,
    corpus_of,
    evaluations_of,
)
from leaderboard.selectors.visibility.visible_submissions import AnySubmission

Order = Literal["worst", "best", "file", "ahead", "behind", "spread"]
# These ask for several systems.
DIFFERENCES: tuple[Order, ...] = ("ahead", "behind", "spread")

Floats = NDArray[np.float64]

# Decimals of differences: values are float32, and equal ones must be equal.
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """A metric's values (clips,) of one system, None where it has none.

    ``comparable``: they were computed as those of the first system.
    """

    system: AnySubmission
    signature: str
    values: PerClip | None
    comparable: bool


def columns_of(systems: Sequence[AnySubmission], metric: str) -> tuple[MetricColumn, ...]:
    """Read one metric of these systems; see ``tables_of``."""
    return tables_of(systems, [metric])[metric]


def tables_of(
    systems: Sequence[AnySubmission], metrics: Collection[str]
) -> dict[str, tuple[MetricColumn, ...]]:
    """Read metrics of these systems, all in one query.

    Only what was computed as for the first system can be compared with it.
    """
    rows = MetricResult.objects.filter(evaluation__in=evaluations_of(*systems), metric__in=metrics)
    results = {(row.metric, row.submission_id): row for row in rows}
    return {
        metric: tuple(
            _column(system, results.get((metric, system.pk)), results.get((metric, systems[0].pk)))
            for system in systems
        )
        for metric in metrics
    }


def _column(
    system: AnySubmission, row: MetricResult | None, first: MetricResult | None
) -> MetricColumn:
    if row is None or not row.per_clip:
        return MetricColumn(system, "", None, comparable=False)
    like = first is not None and (row.signature, len(row.per_clip)) == (
        first.signature,
        len(first.per_clip),
    )
    return MetricColumn(system, row.signature, row.read_per_clip(), comparable=like)


def gaps_of(columns: Sequence[MetricColumn], info: MetricInfo, order: Order) -> Floats | None:
    """The differences by which an order sorts, shape (clips,), NaN where one has no value.

    ``ahead`` and ``behind``: by how much the first system is better or worse
    than the second; ``spread``: best minus worst of all. None where the systems
    cannot be compared.
    """
    comparable = [column for column in columns if column.comparable]
    if order == "spread":
        return _spread(comparable)
    if order not in DIFFERENCES or len(columns) < 2 or not all(c.comparable for c in columns[:2]):
        return None
    values = _table(columns[:2])
    gain: Floats = np.round(values[0] - values[1], DECIMALS)
    return gain if (info.direction == "higher") == (order == "ahead") else -gain


def _table(columns: Sequence[MetricColumn]) -> Floats:
    values = np.stack([np.asarray(c.values, np.float64) for c in columns if c.values is not None])
    values[~np.isfinite(values)] = np.nan
    return values


def _spread(columns: Sequence[MetricColumn]) -> Floats | None:
    if len(columns) < 2:
        return None
    values = _table(columns)
    known = ~np.isnan(values)
    high = np.where(known, values, -np.inf).max(axis=0)
    low = np.where(known, values, np.inf).min(axis=0)
    several = known.sum(axis=0) > 1
    spread = np.where(several, high, 0) - np.where(several, low, 0)
    return np.where(several, np.round(spread, DECIMALS), np.nan)


def ordered(
    wanted: NDArray[np.bool_],
    columns: Sequence[MetricColumn],
    info: MetricInfo | None,
    order: Order,
) -> list[int]:
    """The positions of the wanted clips in the requested order.

    Clips without a value stand last whichever way, equal ones in the order of
    the references; so do all where the order cannot be made.
    """
    positions = np.flatnonzero(wanted)
    keys = None if info is None else _keys(columns, info, order)
    if keys is None:
        return [int(at) for at in positions]
    return [int(at) for at in positions[np.argsort(keys[positions], kind="stable")]]


def _keys(columns: Sequence[MetricColumn], info: MetricInfo, order: Order) -> Floats | None:
    """A sort key for each clip, shape (clips,); None where the order cannot be made."""
    if order in DIFFERENCES:
        gaps = gaps_of(columns, info, order)
        return None if gaps is None else np.where(np.isnan(gaps), np.inf, -gaps)
    values = columns[0].values if columns else None
    if values is None or order == "file":
        return None
    sign = 1.0 if (info.direction == "higher") == (order == "worst") else -1.0
    return np.where(np.isfinite(values), sign * values.astype(np.float64), np.inf)


MOST = 5


def extremes_of(submission: AnySubmission, corpus: Corpus) -> dict[str, Any] | None:
    """The best and worst clips by the phase's ranking metric; None without scores of clips.

    No clip stands at both ends; equal ones stand in the order of the references.
    """
    info = submission.phase.ranking
    values = columns_of([submission], info.name)[0].values
    if values is None:
        return None
    signed = values if info.direction == "higher" else -values
    known = np.flatnonzero(np.isfinite(signed))
    if not known.size:
        return None
    count = min(MOST, max(1, known.size // 2))
    order = known[np.argsort(-signed[known], kind="stable")]
    upwards = known[np.argsort(signed[known], kind="stable")]
    return {
        "info": info,
        "best": clip_lines(corpus, values, order[:count].tolist()),
        "worst": clip_lines(corpus, values, upwards[:count].tolist()) if known.size > 1 else (),
    }


LABELLER = "aces"
UNLIKE = "Computed in another way, so it is not compared."
NO_VALUE = "This metric says nothing about this clip."
NOT_SCORED = "This metric has no scores for this system (yet)."


@dataclass(frozen=True, slots=True)
class SystemCaption:
    """What one system says of a clip; where there is no ``value``, ``reason`` says why."""

    system: AnySubmission
    caption: str
    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class ClipRow:
    """One clip in a list: what each system says, the own one first, and how far they differ."""

    line: ClipLine
    captions: tuple[SystemCaption, ...]
    gap: float | None


def corpora_of(systems: Sequence[AnySubmission]) -> tuple[Corpus, ...] | None:
    """Read the clips of several systems; None where they are not of the same clips.

    Raises ``CaptionsUnreadable``.
    """
    corpora = tuple(corpus_of(system) for system in systems)
    same = all(corpus.file_names == corpora[0].file_names for corpus in corpora)
    return corpora if same else None


def clip_rows(
    corpora: Sequence[Corpus],
    columns: Sequence[MetricColumn],
    positions: Sequence[int],
    *,
    gaps: Floats | None = None,
    words: str = "",
) -> tuple[ClipRow, ...]:
    """Lay out the clips at these positions; ``corpora`` and ``columns`` have the same systems."""
    values = columns[0].values
    lines = clip_lines(corpora[0], values, positions, words=words)
    return tuple(
        ClipRow(
            line,
            tuple(
                SystemCaption(column.system, corpus.captions[at], **_value(column, at))
                for corpus, column in zip(corpora, columns, strict=True)
            ),
            None if gaps is None or math.isnan(gaps[at]) else float(gaps[at]),
        )
        for line, at in zip(lines, positions, strict=True)
    )


def _value(column: MetricColumn, at: int) -> dict[str, Any]:
    if column.values is None:
        return {"value": None, "reason": NOT_SCORED}
    if not column.comparable:
        return {"value": None, "reason": UNLIKE}
    value = float(column.values[at])
    known = math.isfinite(value)
    return {"value": value if known else None, "reason": "" if known else NO_VALUE}


def beside_clips(
    systems: Sequence[AnySubmission],
    corpora: Sequence[Corpus],
    position: int,
    metrics: Sequence[MetricInfo],
) -> list[dict[str, Any]]:
    """Read what several systems say of one clip and what these metrics give them, in two queries.

    Values stand only where they were computed as those of the first system; elsewhere ``reason``
    says why. ``words`` are those of the caption with their descriptors, empty where they are not
    known.
    """
    columns = tables_of(systems, [info.name for info in metrics])
    words = _words(systems, position)
    return [
        {
            "system": system,
            "caption": corpus.captions[position],
            "words": words.get(system.pk, ()),
            "metrics": [
                {"info": info, **_value(columns[info.name][place], position)} for info in metrics
            ],
        }
        for place, (system, corpus) in enumerate(zip(systems, corpora, strict=True))
    ]


def _words(systems: Sequence[AnySubmission], position: int) -> dict[int, Sequence[Any]]:
    blocks = ClipDetails.objects.filter(
        evaluation__in=evaluations_of(*systems).filter(family=LABELLER),
        first_clip=ClipDetails.first_of(position),
    ).select_related("evaluation")
    return {
        block.evaluation.submission_id: _labelled(block.read_clip(position)) for block in blocks
    }


def _labelled(clip: Any) -> Sequence[Any]:
    """The labelled words; none where another version stored them in another shape."""
    words = clip.get("words") if isinstance(clip, Mapping) else None
    known = isinstance(words, list) and all(isinstance(word, Mapping) for word in words)
    return words if known and words else ()
