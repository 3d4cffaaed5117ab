"""BERTScore: sub-words of both sides matched by their vectors.

Source: Zhang et al., BERTScore, ICLR 2020, by default without idf and without rescaling;
as the package bert_score 0.3.13 computes it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.errors import UnusableParameter
from earmark.metrics.bert_score import FAMILY, NO_IDF, REFERENCES_IDF
from earmark.metrics.bert_score.baseline import Baseline, layers_of, read_baseline
from earmark.metrics.family import Arrays, mean_score
from earmark.models.encoder import DEFAULT, Encoder, Vectors, find_encoder
from earmark.models.token_vectors import LAST, TokenVectors
from earmark.read_ahead import TextsAhead
from earmark.results import MetricScore
from earmark.runtime import Heartbeat
from earmark.text.arrays import Ints, pack_strings, rows_of, split, unpack_strings
from earmark.workspace import Workspace

_EVERY = 100
_TOGETHER = 10_000  # captions of documents read at once


@dataclass(frozen=True, slots=True)
class Rarity:
    """Weight of each sub-word that a reference has; ``unseen`` is that of all others.

    Sub-words that every reference has, as the model's own marks, weigh 0.
    """

    weights: dict[str, float]
    unseen: float

    def of(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Weights of sub-words, shape (sub-words,), 0 or more."""
        return np.array([self.weights.get(text, self.unseen) for text in texts], np.float64)


def rarity_of(captions: Iterable[Sequence[str]]) -> Rarity:
    """Rarity of sub-words in references; each reference is a document, also one that recurs.

    log((references + 1) / (references with the sub-word + 1)): Zhang et al., BERTScore, ICLR
    2020, section 3, with the smoothing of the authors' program.
    """
    with_it: Counter[str] = Counter()
    total = 1
    for texts in captions:
        with_it.update(set(texts))
        total += 1
    weights = {text: math.log(total / (count + 1)) for text, count in with_it.items()}
    return Rarity(weights, math.log(total))


@dataclass(frozen=True, slots=True)
class BertReferences:
    """Sub-words of the distinct references, in order of first appearance.

    ``index`` (references,) says which of ``captions`` a reference is, clip
    after clip; ``sizes`` (clips,) how many a clip has. ``rarity`` weighs the
    sub-words; without it all count alike.
    """

    captions: Sequence[TokenVectors]
    index: Ints
    sizes: Ints
    rarity: Rarity | None = None


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """Precision, recall and F of a caption against one reference."""

    precision: float
    recall: float
    f: float


NO_MATCH = TokenMatch(0.0, 0.0, 0.0)


class BertScore:
    """F of the best matches between the sub-words of the caption and those of a reference.

    The best reference counts. ``encoder`` is any sentence-transformers model on
    this machine, or any that it can load; ``layer`` the one whose output is
    compared (-1: the last; 0: the input). ``idf`` is "no", or "references": sub-words then count
    by how few references of all clips (``References.documents``) have them; a clip has no value
    where no sub-word of a side weighs anything, for which the package gives 0. ``rescale`` is the
    path of a baseline as the authors' program has them, by which unrelated captions get about 0.
    Raises ``EncoderMissing``, ``UnknownLayer``, ``BaselineMissing``, ``BaselineUnusable`` or
    ``UnusableParameter``.
    """

    name = "bert_score"
    metrics: tuple[str, ...] = ("bert_score",)
    revision = FAMILY.signed_revision

    def __init__(
        self, *, encoder: str = DEFAULT, layer: int = LAST, idf: str = NO_IDF, rescale: str = ""
    ) -> None:
        if idf not in (NO_IDF, REFERENCES_IDF):
            raise UnusableParameter(self.name, "idf", idf, f'"{NO_IDF}" or "{REFERENCES_IDF}"')
        self.encoder = encoder
        self.layer = int(layer)
        self.idf = idf
        if idf != NO_IDF:
            # Since a clip without weights has no value; without idf all values are as they were.
            self.revision = FAMILY.signed_revision + 1
        self._baseline: Baseline | None = read_baseline(rescale) if rescale else None

    @property
    def parameters(self) -> dict[str, str | int | float]:
        """Name the model with the hash of its weights, the layer, idf and any baseline."""
        rescaled = {} if self._baseline is None else {"rescale": self._baseline.identity}
        return {
            "model": self._encoder.identity,
            "layer": "last" if self.layer == LAST else self.layer,
            "idf": self.idf,
            **rescaled,
        }

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """Range of a metric that is not the usual one: less than a baseline is below 0."""
        return {} if self._baseline is None else {self.name: (-math.inf, 1.0)}

    @cached_property
    def _encoder(self) -> Encoder:
        return find_encoder(self.encoder)

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Embed the sub-words of captions."""
        self._token_vectors(texts.captions, workspace, workspace.waiting(self.name, 0))

    def prepare(self, references: References, workspace: Workspace) -> BertReferences:
        """Embed the sub-words of the references; progress stays at 0 clips meanwhile."""
        ids = {text: place for place, text in enumerate(dict.fromkeys(references.captions))}
        captions = self._token_vectors(
            tuple(ids), workspace, workspace.waiting(self.name, len(references))
        )
        return BertReferences(
            captions,
            np.array([ids[text] for text in references.captions], np.int64),
            np.array([len(clip.references) for clip in references.clips], np.int64),
            workspace.counted(
                f"rarity for {self.parameters}",
                lambda: self._rarity(references.documents or references, workspace),
            ),
        )

    def _rarity(self, documents: References, workspace: Workspace) -> Rarity | None:
        if self.idf == NO_IDF:
            return None
        waiting = workspace.waiting(self.name, len(documents))
        return rarity_of(
            caption.texts
            for part in documents.parts(_TOGETHER)
            for caption in self._token_vectors(
                part.captions,
                # Those of a whole corpus are not remembered for its parts.
                workspace if workspace.whole is None else workspace.forgetful(),
                waiting,
            )
        )

    def dump(self, prepared: BertReferences) -> Arrays:
        """Turn what was prepared into arrays: about 60 MB for 5,000 captions of 15 sub-words."""
        captions = prepared.captions
        texts, lengths = pack_strings([text for caption in captions for text in caption.texts])
        return {
            "codes": np.concatenate([caption.codes for caption in captions]),
            "scales": np.concatenate([caption.scales for caption in captions]),
            "words": np.concatenate([caption.words for caption in captions]),
            "counts": np.array([len(caption.texts) for caption in captions], np.int64),
            "texts": texts,
            "text_lengths": lengths,
            "index": prepared.index,
            "sizes": prepared.sizes,
            **_dumped(prepared.rarity),
        }

    def load(self, arrays: Arrays) -> BertReferences:
        """Read what ``dump`` wrote."""
        counts: Ints = arrays["counts"]
        ends = np.cumsum(counts)[:-1]
        columns = (np.split(arrays[name], ends) for name in ("codes", "scales", "words"))
        texts = split(unpack_strings(arrays["texts"], arrays["text_lengths"]), counts)
        captions = [
            TokenVectors(codes, scales, words, tuple(row))
            for codes, scales, words, row in zip(*columns, texts, strict=True)
        ]
        return BertReferences(captions, arrays["index"], arrays["sizes"], _loaded(arrays))

    def chosen(
        self, prepared: BertReferences, references: References, places: Sequence[int]
    ) -> BertReferences:
        """References of some clips, among the same distinct ones."""
        clips = np.array(places, np.int64)
        return BertReferences(
            prepared.captions,
            prepared.index[rows_of(prepared.sizes, clips)],
            prepared.sizes[clips],
            prepared.rarity,
        )

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: BertReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        mine = self._token_vectors(candidates.first, workspace, workspace.waiting(self.name, clips))
        scores = np.zeros(clips)
        details: list[Mapping[str, Any]] = []
        places = np.split(prepared.index, np.cumsum(prepared.sizes)[:-1])
        for i, own in enumerate(places):
            theirs = [prepared.captions[place] for place in own.tolist()]
            vectors = mine[i].vectors()
            tables: list[Vectors] = [vectors @ other.vectors().T for other in theirs]
            matches = [
                _match(table, mine[i], other, prepared.rarity)
                for table, other in zip(tables, theirs, strict=True)
            ]
            every_f = np.array([match.f for match in matches])
            best = int(np.where(np.isnan(every_f), -np.inf, every_f).argmax())
            scores[i] = every_f[best]
            if workspace.details:
                details.append(_details(matches, best, tables[best], mine[i], theirs[best]))
            if i % _EVERY == 0:
                workspace.progress(self.name, i, clips)
        if self._baseline is not None:
            layer = layers_of(self._encoder.folder) if self.layer == LAST else self.layer
            scores = self._baseline.rescaled(scores, layer)
        workspace.progress(self.name, clips, clips)
        return {self.name: mean_score(self, self.name, scores, references, details or None)}

    def _token_vectors(
        self, captions: Sequence[str], workspace: Workspace, heartbeat: Heartbeat
    ) -> list[TokenVectors]:
        """Embed the sub-words of captions, every distinct one once per workspace."""
        return workspace.token_vectors(
            captions, self._encoder, layer=self.layer, heartbeat=heartbeat
        )


def _match(
    cosines: Vectors, candidate: TokenVectors, reference: TokenVectors, rarity: Rarity | None
) -> TokenMatch:
    """Means of the best cosines: over the candidate's sub-words, over the reference's, and F.

    ``cosines`` has shape (candidate's, reference's).

    The marks of begin and end have no weight in the means but can be the closest
    to a word, as in the original. 0 where a side has no word, NaN where none weighs anything.
    """
    if not candidate.words.any() or not reference.words.any():
        return NO_MATCH
    precision = _mean(cosines.max(axis=1), candidate, rarity)
    recall = _mean(cosines.max(axis=0), reference, rarity)
    if precision + recall == 0:
        return TokenMatch(precision, recall, 0.0)
    # Where one of the two is NaN, so is F.
    return TokenMatch(precision, recall, 2 * precision * recall / (precision + recall))


def _mean(best: NDArray[np.float32], side: TokenVectors, rarity: Rarity | None) -> float:
    """Mean of the best cosine of each word of a side, weighed by rarity where that is given.

    NaN where no word weighs anything.
    """
    if rarity is None:
        words = best[side.words]
        return float(np.add.reduce(words, dtype=np.float64)) / len(words)
    weights = rarity.of(side.texts)[side.words]
    whole = float(weights.sum())
    return float(weights @ best[side.words].astype(np.float64)) / whole if whole else math.nan


def _dumped(rarity: Rarity | None) -> dict[str, NDArray[Any]]:
    if rarity is None:
        return {}
    texts, lengths = pack_strings(list(rarity.weights))
    return {
        "rarity_texts": texts,
        "rarity_lengths": lengths,
        "rarity_weights": np.array([*rarity.weights.values(), rarity.unseen]),
    }


def _loaded(arrays: Arrays) -> Rarity | None:
    if "rarity_texts" not in arrays:
        return None
    *weights, unseen = arrays["rarity_weights"].tolist()
    texts = unpack_strings(arrays["rarity_texts"], arrays["rarity_lengths"])
    return Rarity(dict(zip(texts, weights, strict=True)), unseen)


def _details(
    matches: Sequence[TokenMatch],
    best: int,
    cosines: Vectors,
    candidate: TokenVectors,
    reference: TokenVectors,
) -> dict[str, Any]:
    """List F per reference, and for the best one what each sub-word is closest to.

    ``reference`` counts from 0. ``precision_matches`` goes over the caption's
    sub-words, ``recall_matches`` over the reference's.
    """
    return {
        "reference": best,
        "precision": _rounded(matches[best].precision),
        "recall": _rounded(matches[best].recall),
        "f": [_rounded(match.f) for match in matches],
        "precision_matches": _closest(cosines, candidate, reference),
        "recall_matches": _closest(cosines.T, reference, candidate),
    }


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 6)


def _closest(cosines: Vectors, rows: TokenVectors, columns: TokenVectors) -> list[dict[str, Any]]:
    if not columns.texts:
        return []
    best = cosines.argmax(axis=1).tolist()
    return [
        {"token": text, "match": columns.texts[j], "similarity": round(float(cosines[i, j]), 6)}
        for i, (text, j) in enumerate(zip(rows.texts, best, strict=True))
        if rows.words[i]
    ]
