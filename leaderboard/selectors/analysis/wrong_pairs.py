"""The pairs that a metric orders otherwise than people do, for page and file."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.models import JudgmentSet
from leaderboard.selectors.analysis.phase_judgments import judged_preferences
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.web.csv_cells import csv_line, csv_text
from scoring.benchmark import TOTAL, JudgedCaption
from scoring.judgment_files import compared_references

COLUMNS = (
    *("clip", "kind", "caption_people_prefer", "other_caption", "votes_for", "votes_against"),
    *("alike", "prefers_other_by", "in_spreads"),
)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How many people prefer the better caption, the other one, and neither."""

    better: int
    worse: int
    alike: int


@dataclass(frozen=True, slots=True)
class WrongPair:
    """A pair that a metric ties, gives no score or orders the other way.

    ``better`` is the caption that people prefer, each with the references that it is scored
    against. ``difference``, 0 or more, is by how much the metric prefers the other, ``spreads`` the
    same in units of its spread; None without a score. ``votes`` are None where only their sum
    is kept.
    """

    clip: str
    facet: str
    better: JudgedCaption
    worse: JudgedCaption
    votes: PairCounts | None
    difference: float | None
    spreads: float | None


@dataclass(frozen=True, slots=True)
class WrongPairs:
    """The wrong pairs of a metric, the worst first; ``decided`` counts all that people decided.

    ``spread`` is the root mean square of the metric's differences over all decided pairs.
    ``kinds`` has the number of wrong pairs by kind, all of them first.
    """

    pairs: Sequence[WrongPair]
    decided: int
    spread: float
    kinds: Mapping[str, int]

    def of(self, kind: str) -> list[WrongPair]:
        """The pairs of one kind."""
        return [pair for pair in self.pairs if kind in {TOTAL, pair.facet}]


def wrong_pairs(judgments: JudgmentSet, metric: str) -> WrongPairs | None:
    """Read the pairs that a metric gets wrong.

    None where it is not known: the metric was not measured, judgments came anew meanwhile, or
    results are from before differences were kept. All of it may reveal references.
    """
    kept = judged_preferences(judgments)
    differences = kept.differences.get(metric)
    if differences is None:
        return None
    # Positive where the metric prefers the caption that people do.
    right = differences * np.sign(kept.truth)
    finite = right[np.isfinite(right)]
    spread = math.sqrt(float(np.mean(finite**2))) if finite.size else 0.0
    order = np.argsort(np.where(np.isnan(right), np.inf, right), kind="stable")
    decided = [row for row in judgments.pairs if row["truth"]]
    clips = _clips(judgments)
    pairs = [
        _pair(decided[at], clips, float(right[at]), spread) for at in order if not right[at] > 0
    ]
    found = dict.fromkeys((TOTAL, *sorted({pair.facet for pair in pairs})), 0)
    for pair in pairs:
        found[TOTAL] += 1
        found[pair.facet] += 1
    return WrongPairs(pairs, len(decided), spread, found)


def _clips(judgments: JudgmentSet) -> list[tuple[str, tuple[str, ...]]]:
    """Name and references of each clip."""
    if judgments.phase is None:
        return [(clip["name"], tuple(clip["references"])) for clip in judgments.clips]
    stored = judgments.phase.reference_set
    if stored is None:
        return []
    return [(clip.file_name, clip.references) for clip in references_of(stored.content_hash).clips]


def _pair(
    row: Mapping[str, Any],
    clips: Sequence[tuple[str, tuple[str, ...]]],
    right: float,
    spread: float,
) -> WrongPair:
    # References may have been replaced since.
    name, references = clips[row["clip"]] if row["clip"] < len(clips) else ("", ())
    captions = (row["captions"][0], row["captions"][1])
    against = compared_references(row["facet"], captions, references)
    first, second = map(JudgedCaption, captions, against)
    better, worse = (first, second) if row["truth"] > 0 else (second, first)
    difference = None if math.isnan(right) else abs(right)
    return WrongPair(
        name,
        row["facet"],
        better,
        worse,
        _counts(row["votes"], row["truth"]) if "votes" in row else None,
        difference,
        None if difference is None else difference / spread if spread else 0.0,
    )


def _counts(votes: Iterable[float], truth: float) -> PairCounts:
    signs = [vote * truth for vote in votes]
    return PairCounts(
        sum(sign > 0 for sign in signs), sum(sign < 0 for sign in signs), signs.count(0)
    )


def wrong_pairs_lines(pairs: Iterable[WrongPair]) -> Iterator[str]:
    """Write a line of CSV for each pair, after their header."""
    yield csv_line(COLUMNS)
    for pair in pairs:
        votes = pair.votes
        counts = ("", "", "") if votes is None else (votes.better, votes.worse, votes.alike)
        texts = (pair.clip, pair.facet, pair.better.caption, pair.worse.caption)
        yield csv_line([*map(csv_text, texts), *counts, _six(pair.difference), _six(pair.spreads)])


def _six(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
