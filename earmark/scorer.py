"""Scoring plain lists of captions, once or again and again against the same references.

>>> references = [["A dog barks.", "A dog is barking."], ["Rain falls on a roof."]]
>>> scorer = Scorer(references, ["rouge_l", "cider_d"])
>>> scores = scorer.score(["a dog barks", "rain falls"])
>>> round(scores["rouge_l"], 4), scores.unavailable
(0.7652, {})
>>> scorer.score_one("a dog barks", clip=0)["rouge_l"]
1.0
"""

import operator
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, SupportsIndex, Unpack

from earmark.captions import Candidates, References
from earmark.captions.plain_lists import (
    GivenCaptions,
    GivenReferences,
    candidates_from,
    references_from,
)
from earmark.chosen_metrics import RunOptions, choose_metrics
from earmark.errors import UnusableInput
from earmark.kept_references import KeptReferences
from earmark.metric_sets import ALL
from earmark.pipeline import (
    SUB_WORDS,
    CorpusScores,
    check_sides,
    corpus_scores,
    failure_reason,
    score_by,
)
from earmark.pipeline import score as score_corpus
from earmark.results import MetricScore
from earmark.runtime import usable_processors
from earmark.scores import Scores


class UnknownClip(UnusableInput):
    """A clip that the references do not have."""

    def __init__(self, clip: object, clips: int) -> None:
        super().__init__(
            f"The references have no clip {clip!r}. Give a place from 0 to {clips - 1}, or the "
            "name of a clip."
        )


def score(
    captions: GivenCaptions,
    references: GivenReferences | References,
    metrics: str | Iterable[str] = ALL,
    *,
    details: bool = False,
    **options: Unpack[RunOptions],
) -> Scores:
    """Score captions, one for each clip, against the references of the clips.

    ``captions[i]`` is a text, or a list of ranked candidates, best first; ``references[i]`` a
    list of texts. Mappings from the names of clips, Series and DataFrames of pandas are taken as
    well; captions with names are put into the order of the references. ``metrics`` has names of
    metrics or of sets (``earmark.metric_sets``), or is one of them. ``details`` says for each clip
    why. A metric whose model is missing is ``unavailable``; the others stand. ``options`` are
    ``parameters``, ``device``, ``cache_dir``, ``strict`` and ``progress`` (``RunOptions``).

    Raises ``UnusableInput``, which is a ``ValueError``, before any work: ``CorpusMismatch``,
    ``UnknownMetric``, ``UnknownFamily``, ``ParametersUnusable``, ``UnknownDevice``.

    >>> score(["a dog barks"], [["A dog barks.", "A dog is barking."]], "rouge_l")["rouge_l"]
    1.0
    """
    reference_clips = as_references(references)
    candidates = candidates_from(captions, names=reference_clips.file_names)
    check_sides(candidates, reference_clips)
    chosen = choose_metrics(metrics, **options)
    names = chosen.names(several=candidates.several)
    settings = {"details": details, "processors": usable_processors()}
    with chosen.run(len(candidates), **settings) as workspace:
        scored = score_corpus(candidates, reference_clips, names, workspace, chosen.parameters)
    return chosen.scores(scored, reference_clips)


class Scorer:
    """Metrics with references: what is prepared from these stays in memory, models stay loaded.

    Arguments as for ``score``. Nothing is prepared before the first score. Threads may share a
    scorer; they take turns. A process to which one is sent (pickled) makes it anew from the
    references. Captions are not kept, so that memory stays the same however many are scored.
    """

    def __init__(
        self,
        references: GivenReferences | References,
        metrics: str | Iterable[str] = ALL,
        **options: Unpack[RunOptions],
    ) -> None:
        self.references = as_references(references)
        self._metrics = choose_metrics(metrics, **options)
        self._kept = KeptReferences(sets=1)

    def __len__(self) -> int:
        """Number of clips."""
        return len(self.references)

    def __reduce__(self) -> tuple[Any, ...]:
        """Send what a scorer is made of, without what is prepared or loaded."""
        metrics = self._metrics
        return partial(Scorer, **metrics.options), (self.references, metrics.wanted)

    def score(
        self,
        captions: GivenCaptions,
        *,
        clips: Sequence[SupportsIndex | str] | None = None,
        details: bool = False,
    ) -> Scores:
        """Score captions of all clips, or of ``clips``, given by places or names.

        Document frequencies are always those of all references, so that a caption has the same
        score in any batch. Raises as ``score`` does, and ``UnknownClip``.
        """
        references = self.references if clips is None else self._chosen(clips)
        candidates = candidates_from(captions, names=references.file_names)
        check_sides(candidates, references)
        return self._metrics.scores(self._scored(candidates, references, details), references)

    def score_one(
        self, caption: str | Sequence[str], clip: SupportsIndex | str, *, details: bool = False
    ) -> Scores:
        """Score one caption, or the ranked candidates, of one clip."""
        given: Any = [caption]
        return self.score(given, clips=[clip], details=details)

    def subset(self, clips: Sequence[SupportsIndex | str]) -> "Scorer":
        """Scorer of some of the clips, with document frequencies of all.

        It shares what is prepared and loaded with this one.
        """
        # Not by copy.copy, which makes it anew as for another process.
        part = object.__new__(type(self))
        vars(part).update(vars(self))
        part.references = self._chosen(clips)
        return part

    def _chosen(self, clips: Sequence[SupportsIndex | str]) -> References:
        return self.references.chosen([self._place(clip) for clip in clips])

    def _place(self, clip: SupportsIndex | str) -> int:
        if isinstance(clip, str):
            place = self.references.places_by_name.get(clip, -1)
        else:
            place = operator.index(clip)
        if not 0 <= place < len(self.references):
            raise UnknownClip(clip, len(self.references))
        return place

    def _scored(
        self, candidates: Candidates, references: References, details: bool
    ) -> CorpusScores:
        results: dict[str, MetricScore] = {}
        reasons = dict(self._metrics.missing)
        settings = {
            "details": details,
            "sub_words": SUB_WORDS in self._metrics.families,
            "kept": self._kept,
        }
        # A workspace for each call: what it remembers of captions goes with it.
        with self._metrics.run(len(references), **settings) as workspace:
            for family, made in self._metrics.families.items():
                try:
                    results |= score_by(made, candidates, references, workspace)
                except Exception as error:
                    reasons[family] = failure_reason(family, error)
        return corpus_scores(self._metrics.names(several=candidates.several), results, reasons)


def as_references(given: GivenReferences | References) -> References:
    """References as they are, or from a list of texts for each clip, checked."""
    return given if isinstance(given, References) else references_from(given)
