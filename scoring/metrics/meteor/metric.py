"""METEOR as a metric family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from scoring.captions import Candidates, References
from scoring.metrics.family import Arrays
from scoring.metrics.meteor import FAMILY
from scoring.metrics.meteor.alignment import Match, Tick, align, go_on
from scoring.metrics.meteor.files import pack, paraphrase_path, unpack
from scoring.metrics.meteor.index import reduce_by
from scoring.metrics.meteor.lexicon import Lexicon, dump_lexicon, load_lexicon
from scoring.metrics.meteor.matching import ClipReferences, Matcher, Sentence, Words
from scoring.metrics.meteor.normalizer import words_of
from scoring.metrics.meteor.paraphrases import ParaphraseTable, reduce_table
from scoring.metrics.meteor.statistics import Score, count, score, summable
from scoring.results import MetricScore
from scoring.signature import signature
from scoring.statistics import jackknife
from scoring.text.ptb import IDENTITY
from scoring.workspace import Workspace

_MATCHERS = ("exact", "stem", "synonym", "paraphrase", "paraphrase")
_PROGRESS_EVERY = 50


@dataclass(frozen=True, eq=False)
class MeteorSegment:
    """A candidate's alignment with the reference that scores best (the first of equals)."""

    reference: int
    alignment: Sequence[Match]
    counts: Sequence[int]
    score: Score


@dataclass(frozen=True, eq=False)
class PreparedMeteor:
    """References as METEOR's words, clip by clip, and their part of the paraphrase table.

    Without a ``lexicon`` the word lists are read; ``MeteorFilesMissing`` where they are not.
    """

    references: Sequence[Sequence[Words]]
    table: ParaphraseTable
    lexicon: Lexicon = field(default_factory=load_lexicon)

    @cached_property
    def matcher(self) -> Matcher:
        """Index the references."""
        return Matcher(self.lexicon, self.table, self.references)

    def segment(self, tokens: Sequence[str], clip: int, tick: Tick = go_on) -> MeteorSegment:
        """Score a candidate, given as PTB tokens, against the references of a clip.

        ``tick`` is called again and again meanwhile and may raise to stop.
        """
        candidate = self.matcher.sentence(words_of(tokens))
        references = self.matcher.clips[clip]
        best: MeteorSegment | None = None
        matches_by_reference = self.matcher.matches(candidate, references, tick)
        for number, (sentence, matches) in enumerate(
            zip(references.sentences, matches_by_reference, strict=True)
        ):
            alignment = align(matches, len(candidate.words), len(sentence.words), tick)
            counts = count(alignment, candidate.function, sentence.function)
            scored = score(counts)
            if best is None or scored.value > best.score.value:
                best = MeteorSegment(number, alignment, counts, scored)
        if best is None:
            raise ValueError(f"Clip {clip} has no reference.")
        return best


class Meteor:
    """METEOR 1.5 with ``-l en -norm``, over PTB tokens, as COCO's caption evaluation runs it.

    Words of the candidate are aligned with one reference by form, stem,
    synonym or paraphrase; the score, 0..1, is a mean of precision and recall
    (mostly recall) less a penalty for fragmentation; the best reference
    counts. The corpus value is computed from the counts of all clips, not from
    their scores. A caption or reference without words scores 0. Source:
    Denkowski and Lavie, Meteor Universal, WMT 2014; pycocoevalcap 1.2.

    ``index`` is a folder in which an index of the paraphrase table is kept
    (170 MB, built when first needed): few references are then prepared in
    milliseconds instead of seconds, with the same numbers. Empty: none.
    """

    name = "meteor"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("meteor",)

    def __init__(self, *, index: str | Path = "") -> None:
        self.index = index

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Tokeniser and program whose numbers these are."""
        return {"tok": IDENTITY, "meteor": "1.5-en-norm"}

    def prepare(self, references: References, workspace: Workspace) -> PreparedMeteor:
        """Reduce the paraphrase table to these references (without an index, seconds)."""
        clips = [
            tuple(words_of(tokens) for tokens in workspace.tokens(clip.references))
            for clip in references.clips
        ]
        return prepare_words(clips, self._reduced([words for clip in clips for words in clip]))

    def _reduced(self, sentences: Sequence[Words]) -> ParaphraseTable:
        """Reduce by the index; by one pass over all 61 MB where there is none to be had."""
        path = paraphrase_path()
        table = reduce_by(path, Path(self.index), sentences) if self.index else None
        return reduce_table(path, sentences) if table is None else table

    def dump(self, prepared: PreparedMeteor) -> Arrays:
        """Turn the references' words and their part of the table into arrays."""
        sentences = [" ".join(words) for clip in prepared.references for words in clip]
        vocabulary = {word for clip in prepared.references for words in clip for word in words}
        return {
            "sentences": pack(sentences),
            "references_per_clip": np.array([len(clip) for clip in prepared.references], np.int32),
            **prepared.table.dump(),
            **dump_lexicon(sorted(vocabulary)),
        }

    def load(self, arrays: Arrays) -> PreparedMeteor:
        """Read what ``dump`` wrote."""
        counts = arrays["references_per_clip"].tolist()
        sentences = iter(unpack(arrays["sentences"], sum(counts)))
        clips = [tuple(tuple(next(sentences).split()) for _ in range(count)) for count in counts]
        return prepare_words(clips, ParaphraseTable.load(arrays), Lexicon.load(arrays))

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: PreparedMeteor,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        captions = workspace.tokens(candidates.first)
        total = len(references)
        segments: list[MeteorSegment] = []
        for clip, tokens in enumerate(captions):
            segments.append(
                prepared.segment(tokens, clip, partial(workspace.progress, self.name, clip, total))
            )
            if len(segments) % _PROGRESS_EVERY == 0 or len(segments) == total:
                workspace.progress(self.name, len(segments), total)
        value, leave_one_out = _corpus([segment.counts for segment in segments])
        details = None
        if workspace.details:
            details = [
                _detail(segment, words_of(tokens), clip)
                for segment, tokens, clip in zip(
                    segments, captions, prepared.matcher.clips, strict=True
                )
            ]
        result = MetricScore(
            name=self.name,
            value=value,
            interval=jackknife(value, leave_one_out),
            per_clip=np.array([segment.score.value for segment in segments], np.float32),
            signature=signature(self.name, self.parameters, references.counts_label, self.revision),
            details=details,
        )
        return {self.name: result}


def prepare_words(
    clips: Sequence[Sequence[Words]], table: ParaphraseTable, lexicon: Lexicon | None = None
) -> PreparedMeteor:
    """Prepare references given as METEOR's words, and index them at once."""
    prepared = PreparedMeteor(clips, table, lexicon or load_lexicon())
    _ = prepared.matcher
    return prepared


def _corpus(counts: Sequence[Sequence[int]]) -> tuple[float, np.ndarray[Any, np.dtype[np.float64]]]:
    """Corpus value, and the values without each clip, recounted."""
    table = summable(np.array(counts, np.float64).reshape(len(counts), -1))
    total = table.sum(axis=0)
    without = np.array([score(row).value for row in (total - table).tolist()])
    return score(total.tolist()).value, without


def _detail(segment: MeteorSegment, candidate: Words, clip: ClipReferences) -> Mapping[str, Any]:
    reference: Sentence = clip.sentences[segment.reference]
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
