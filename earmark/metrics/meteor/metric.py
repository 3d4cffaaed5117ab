"""METEOR as a metric family."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.family import Arrays, corpus_score
from earmark.metrics.meteor import FAMILY
from earmark.metrics.meteor.alignment import Match, Tick, align, go_on
from earmark.metrics.meteor.files import pack, unpack
from earmark.metrics.meteor.lexicon import load_lexicon
from earmark.metrics.meteor.matching import FoundMatches, Matcher, Sentence, Words
from earmark.metrics.meteor.normalizer import words_of
from earmark.metrics.meteor.paraphrases import paraphrase_table
from earmark.metrics.meteor.statistics import COUNTS, Score, count, score, summable
from earmark.results import Interval, MetricScore
from earmark.statistics import jackknife
from earmark.text.ptb import IDENTITY
from earmark.workspace import Workspace

Floats = NDArray[np.float64]

_MATCHERS = ("exact", "stem", "synonym", "paraphrase", "paraphrase")
_BLOCK_CLIPS = 50
# Words of captions times words of their references: so many may match each other at once.
_BLOCK_CELLS = 250_000


@dataclass(frozen=True)
class MeteorSegment:
    """A candidate's alignment with the reference that scores best (the first of equals)."""

    reference: int
    alignment: Sequence[Match]
    counts: Sequence[int]
    score: Score


@dataclass(frozen=True, eq=False)
class PreparedMeteor:
    """References as METEOR's words, clip by clip, and their matcher once one was needed.

    ``clips`` are the numbers of those that are scored, in their order.
    """

    references: Sequence[Sequence[Words]]
    clips: Sequence[int]
    _made: list[Matcher] = field(default_factory=list, repr=False)

    def matcher(self, folder: Path | None) -> Matcher:
        """The matcher of the references; the paraphrase table is opened in a cache folder.

        Raises ``MeteorFilesMissing``.
        """
        if not self._made:
            self._made.append(Matcher(load_lexicon(), paraphrase_table(folder), self.references))
        return self._made[0]


class Meteor:
    """METEOR 1.5 with ``-l en -norm``, over PTB tokens, as COCO's caption evaluation runs it.

    Words of the candidate are aligned with one reference by form, stem,
    synonym or paraphrase; the score, 0..1, is a mean of precision and recall
    (mostly recall) less a penalty for fragmentation; the best reference
    counts. The corpus value is computed from the counts of all clips, not from
    their scores. A caption or reference without words scores 0. Source:
    Denkowski and Lavie, Meteor Universal, WMT 2014; pycocoevalcap 1.2.
    """

    name = "meteor"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("meteor",)
    columns = COUNTS

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Tokeniser and program whose numbers these are."""
        return {"tok": IDENTITY, "meteor": "1.5-en-norm"}

    def prepare(self, references: References, workspace: Workspace) -> PreparedMeteor:
        """Number the words of the references and the phrases that the paraphrase table has."""
        words = [
            tuple(words_of(tokens) for tokens in workspace.tokens(clip.references))
            for clip in references.clips
        ]
        prepared = PreparedMeteor(words, range(len(words)))
        prepared.matcher(workspace.cache_dir)
        return prepared

    def dump(self, prepared: PreparedMeteor) -> Arrays:
        """Turn the references' words into arrays."""
        sentences = [" ".join(words) for clip in prepared.references for words in clip]
        return {
            "sentences": pack(sentences),
            "references_per_clip": np.array([len(clip) for clip in prepared.references], np.int32),
        }

    def load(self, arrays: Arrays) -> PreparedMeteor:
        """Read what ``dump`` wrote."""
        counts = arrays["references_per_clip"].tolist()
        sentences = iter(unpack(arrays["sentences"], sum(counts)))
        # At plain spaces alone: a word may hold others.
        words = [
            tuple(tuple(filter(None, next(sentences).split(" "))) for _ in range(count))
            for count in counts
        ]
        return PreparedMeteor(words, range(len(words)))

    def chosen(
        self, prepared: PreparedMeteor, references: References, places: Sequence[int]
    ) -> PreparedMeteor:
        """Some of the clips, with the matcher of all."""
        return replace(prepared, clips=[prepared.clips[place] for place in places])

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: PreparedMeteor,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        captions = [words_of(tokens) for tokens in workspace.tokens(candidates.first)]
        matcher, total = prepared.matcher(workspace.cache_dir), len(references)
        segments: list[MeteorSegment] = []
        for block in _blocks(matcher, captions, prepared.clips):
            tick = partial(workspace.progress, self.name, len(segments), total)
            segments += best_segments(matcher, captions[block], prepared.clips[block], tick)
            workspace.progress(self.name, len(segments), total)
        counts = np.array([segment.counts for segment in segments], np.float64).reshape(-1, COUNTS)
        per_clip = np.array([segment.score.value for segment in segments], np.float32)
        details = None
        if workspace.details:
            details = [
                _detail(segment, caption, matcher.clips[clip])
                for segment, caption, clip in zip(segments, captions, prepared.clips, strict=True)
            ]
        return {self.name: corpus_score(self, self.name, counts, per_clip, references, details)}

    def corpus_value(self, name: str, counts: Floats) -> tuple[float, Interval]:
        """METEOR of the counts of all clips, and its interval without each clip, recounted."""
        table = summable(counts)
        total = table.sum(axis=0)
        value = score(total.tolist()).value
        without = np.array([score(row).value for row in (total - table).tolist()])
        return value, jackknife(value, without)


def best_segments(
    matcher: Matcher, captions: Sequence[Words], clips: Sequence[int], tick: Tick = go_on
) -> list[MeteorSegment]:
    """Score each caption, given as METEOR's words, against the references of its clip.

    ``tick`` is called again and again meanwhile and may raise to stop.
    """
    said = [matcher.sentence(words) for words in captions]
    found = matcher.matches(said, clips)
    first = 0
    segments = []
    for candidate, clip in zip(said, clips, strict=True):
        references = matcher.clips[clip]
        segments.append(_best(candidate, references, found, first, tick))
        first += len(references)
    return segments


def _best(
    candidate: Sentence, references: Sequence[Sentence], found: FoundMatches, first: int, tick: Tick
) -> MeteorSegment:
    """The segment of a candidate whose pairs are those from ``first`` on.

    Those that may score most come first: most references then need no alignment.
    """
    best: MeteorSegment | None = None
    for number in sorted(range(len(references)), key=lambda number: -found.bounds[first + number]):
        if best is not None and found.bounds[first + number] < best.score.value:
            break
        sentence = references[number]
        matches = found.of_pair(first + number)
        alignment = align(matches, len(candidate.words), len(sentence.words), tick)
        counts = count(alignment, candidate.function, sentence.function)
        segment = MeteorSegment(number, alignment, counts, score(counts))
        if best is None or _before(segment, best):
            best = segment
    if best is None:
        raise ValueError("A clip has no reference.")
    return best


def _before(one: MeteorSegment, other: MeteorSegment) -> bool:
    """Whether a reference counts and not the other: the first of those that score best."""
    return (one.score.value, -one.reference) > (other.score.value, -other.reference)


def _blocks(matcher: Matcher, captions: Sequence[Words], clips: Sequence[int]) -> Iterator[slice]:
    """Captions to score together: few enough for progress, and for memory where they are long."""
    first = cells = 0
    for at, (caption, clip) in enumerate(zip(captions, clips, strict=True)):
        size = len(caption) * sum(len(sentence.words) for sentence in matcher.clips[clip])
        if at - first == _BLOCK_CLIPS or (at > first and cells + size > _BLOCK_CELLS):
            yield slice(first, at)
            first, cells = at, 0
        cells += size
    yield slice(first, len(captions))


def _detail(
    segment: MeteorSegment, candidate: Words, clip: Sequence[Sentence]
) -> Mapping[str, Any]:
    reference = clip[segment.reference]
    return {
        "reference": segment.reference,
        "precision": segment.score.precision,
        "recall": segment.score.recall,
        "penalty": segment.score.penalty,
        "matches": [
            {
                "matcher": _MATCHERS[kind],
                "candidate": " ".join(candidate[at : at + candidate_span]),
                "reference": " ".join(reference.words[start : start + span]),
            }
            for start, kind, _, _, _, span, at, candidate_span in segment.alignment
        ],
    }
