"""Several systems on the same clips: what each says and what a metric gives it.

Callers must have checked ``access.clips_for`` and ``access.comparable_submissions``.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.models import ClipDetails
from leaderboard.selectors.clips.corpus import (
    ClipLine,
    Corpus,
    clip_lines,
    corpus_of,
    evaluations_of,
)
from leaderboard.selectors.clips.sorting import Floats, MetricColumn, tables_of
from leaderboard.selectors.visibility.visible_submissions import AnySubmission
from scoring.registry import MetricInfo

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


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A metric of one system on one clip; where there is no ``value``, ``reason`` says why."""

    info: MetricInfo
    value: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class ComparedClip:
    """One system on one clip.

    ``words`` are those of the caption with their descriptors, empty where they
    are not known.
    """

    system: AnySubmission
    caption: str
    words: Sequence[Any]
    metrics: tuple[ComparedValue, ...]


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
                SystemCaption(column.system, corpus.captions[at], *_value(column, at))
                for corpus, column in zip(corpora, columns, strict=True)
            ),
            None if gaps is None or math.isnan(gaps[at]) else float(gaps[at]),
        )
        for line, at in zip(lines, positions, strict=True)
    )


def _value(column: MetricColumn, at: int) -> tuple[float | None, str]:
    if column.values is None:
        return None, NOT_SCORED
    if not column.comparable:
        return None, UNLIKE
    value = float(column.values[at])
    return (value, "") if math.isfinite(value) else (None, NO_VALUE)


def beside_clips(
    systems: Sequence[AnySubmission],
    corpora: Sequence[Corpus],
    position: int,
    metrics: Sequence[MetricInfo],
) -> tuple[ComparedClip, ...]:
    """Read what several systems say of one clip and what these metrics give them, in two queries.

    Values stand only where they were computed as those of the first system.
    """
    columns = tables_of(systems, [info.name for info in metrics])
    words = _words(systems, position)
    return tuple(
        ComparedClip(
            system,
            corpus.captions[position],
            words.get(system.pk, ()),
            tuple(
                ComparedValue(info, *_value(columns[info.name][place], position))
                for info in metrics
            ),
        )
        for place, (system, corpus) in enumerate(zip(systems, corpora, strict=True))
    )


def _words(systems: Sequence[AnySubmission], position: int) -> dict[int, Sequence[Any]]:
    """Read the labelled words of each system's caption."""
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
