"""SBF: precision, recall and F of the sounds that a caption's phrases bring to mind.

Source: Mahfuz et al., Detecting False Alarms and Misses in Audio Captions, arXiv 2309.03326, 2023.
docs/reference/sbf.md settles what the paper leaves open.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.family import Arrays, mean_score
from earmark.metrics.sbf import FAMILY
from earmark.metrics.sbf.matching import TaggedCaption, TagMatch, clip_details, match, scores_of
from earmark.metrics.sbf.phrases import VERSION, find_phrases, find_reading
from earmark.metrics.sbf.tags import (
    Cosines,
    HeardSound,
    class_cosines,
    cosines_to_all,
    sounds_of,
    tag_names,
    tag_vectors,
)
from earmark.models.encoder import DEFAULT, Encoder, Vectors, find_encoder
from earmark.read_ahead import TextsAhead
from earmark.results import MetricScore
from earmark.runtime import Heartbeat
from earmark.signature import plain_number
from earmark.text.arrays import Ints, pack_strings, rows_of, split, unpack_strings
from earmark.text.parse import parse
from earmark.text.parser import parser_identity
from earmark.workspace import Workspace

NAMES = ("sbf_precision", "sbf_recall", "sbf")
TAG, SIMILAR, REDUNDANT = 0.40, 0.45, 0.45
DEVIATIONS = 3.0

_EVERY = 100


@dataclass(frozen=True, slots=True)
class SbfReferences:
    """The references' phrases and sounds, clip after clip, and the classes' unit vectors.

    ``vectors`` has shape (classes, dimensions); ``captions`` one entry per
    reference, of which ``sizes`` (clips,) says how many a clip has.
    """

    vectors: Vectors
    captions: list[TaggedCaption]
    sizes: Ints


class Sbf:
    """Sounds of the caption against those of each reference; means over the references.

    ``tag_threshold`` is the cosine that a class's name and a phrase must exceed
    for a tag, and ``deviations`` says by how many standard deviations it must stand
    out among all classes; ``similarity_threshold`` is the cosine above which two captions'
    tags mean the same; ``redundancy_threshold`` the one above which two tags of
    a phrase do. ``phrases`` is "pattern", "clause" or "word". ``encoder`` is a
    sentence-transformers model on this machine. Raises ``UnknownReading``,
    ``EncoderMissing`` or ``ParserMissing``.
    """

    name = "sbf"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = NAMES

    def __init__(
        self,
        *,
        encoder: str = DEFAULT,
        phrases: str = "pattern",
        tag_threshold: float = TAG,
        deviations: float = DEVIATIONS,
        similarity_threshold: float = SIMILAR,
        redundancy_threshold: float = REDUNDANT,
    ) -> None:
        self.encoder = encoder
        self.phrases = phrases
        self.tag_threshold = float(tag_threshold)
        self.deviations = float(deviations)
        self.similarity_threshold = float(similarity_threshold)
        self.redundancy_threshold = float(redundancy_threshold)
        self._reading = find_reading(phrases)

    @property
    def parameters(self) -> dict[str, str | int | float]:
        """Name both models, the classes, the rules of the phrases and the thresholds."""
        return {
            "sbert": self._encoder.identity,
            "parser": parser_identity(),
            "tags": f"audioset-{len(tag_names())}",
            "phrases": f"{self.phrases}-{VERSION}",
            "tag": plain_number(self.tag_threshold),
            "dev": plain_number(self.deviations),
            "sim": plain_number(self.similarity_threshold),
            "rep": plain_number(self.redundancy_threshold),
        }

    @cached_property
    def _encoder(self) -> Encoder:
        return find_encoder(self.encoder)

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Parse captions and embed their phrases."""
        waiting = workspace.waiting(self.name, 0)
        parses = parse(texts.captions, workspace, heartbeat=waiting)
        phrases = [text for parsed in parses for text in find_phrases(parsed, self._reading)]
        workspace.embeddings(phrases, self._encoder, heartbeat=waiting)

    def prepare(self, references: References, workspace: Workspace) -> SbfReferences:
        """Tag the references; progress stays at 0 clips meanwhile."""
        heartbeat = workspace.waiting(self.name, len(references))
        heartbeat(0, 0)
        vectors = tag_vectors(self._encoder, workspace.device)
        captions = self._tagged(references.captions, vectors, workspace, heartbeat)
        sizes = np.array([len(clip.references) for clip in references.clips], np.int64)
        return SbfReferences(vectors, captions, sizes)

    def dump(self, prepared: SbfReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        captions = prepared.captions
        packed, lengths = pack_strings([text for caption in captions for text in caption.phrases])
        sounds = [sound for caption in captions for sound in caption.sounds]
        return {
            "vectors": prepared.vectors,
            "sizes": prepared.sizes,
            "phrases": packed,
            "phrase_lengths": lengths,
            "phrase_counts": np.array([len(caption.phrases) for caption in captions], np.int64),
            "sound_counts": np.array([len(caption.sounds) for caption in captions], np.int64),
            "sound_phrases": np.array([sound.phrase for sound in sounds], np.int64),
            "member_counts": np.array([sound.members.size for sound in sounds], np.int64),
            "members": np.concatenate(
                [np.zeros(0, np.int64), *(sound.members for sound in sounds)]
            ),
            "similarities": np.concatenate(
                [np.zeros(0, np.float32), *(sound.similarities for sound in sounds)]
            ),
        }

    def load(self, arrays: Arrays) -> SbfReferences:
        """Read what ``dump`` wrote."""
        columns = (arrays["members"], arrays["similarities"])
        members = zip(
            *(np.split(one, np.cumsum(arrays["member_counts"])[:-1]) for one in columns),
            strict=True,
        )
        sounds = (
            HeardSound(phrase, *one)
            for phrase, one in zip(arrays["sound_phrases"].tolist(), members, strict=False)
        )
        of_captions = [
            tuple(itertools.islice(sounds, count)) for count in arrays["sound_counts"].tolist()
        ]
        flat = unpack_strings(arrays["phrases"], arrays["phrase_lengths"])
        phrases = split(flat, arrays["phrase_counts"])
        captions = [
            TaggedCaption(tuple(texts), tags)
            for texts, tags in zip(phrases, of_captions, strict=True)
        ]
        return SbfReferences(arrays["vectors"], captions, arrays["sizes"])

    def chosen(
        self, prepared: SbfReferences, references: References, places: Sequence[int]
    ) -> SbfReferences:
        """Phrases and sounds of some clips."""
        clips = np.array(places, np.int64)
        rows: list[int] = rows_of(prepared.sizes, clips).tolist()
        captions = [prepared.captions[row] for row in rows]
        return SbfReferences(prepared.vectors, captions, prepared.sizes[clips])

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: SbfReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        heartbeat = workspace.waiting(self.name, clips)
        mine = self._tagged(candidates.first, prepared.vectors, workspace, heartbeat)
        alike = class_cosines(prepared.vectors)
        scores = np.full((clips, len(NAMES)), np.nan)
        details: list[dict[str, Any]] = []
        ends: list[int] = np.cumsum(prepared.sizes).tolist()
        for i, (start, end) in enumerate(itertools.pairwise([0, *ends])):
            theirs = prepared.captions[start:end]
            matches = [
                match(mine[i].sounds, other.sounds, alike, self.similarity_threshold)
                for other in theirs
            ]
            scores[i] = _mean_over_references(matches)
            if workspace.details:
                details.append(clip_details(mine[i], theirs, matches))
            if i % _EVERY == 0:
                workspace.progress(self.name, i, clips)
        workspace.progress(self.name, clips, clips)
        return {
            name: mean_score(self, name, scores[:, column], references, details or None)
            for column, name in enumerate(NAMES)
        }

    def _tagged(
        self,
        captions: Sequence[str],
        vectors: Vectors,
        workspace: Workspace,
        heartbeat: Heartbeat,
    ) -> list[TaggedCaption]:
        """Tag captions in order, every distinct one once per workspace."""

        def tagged(new: Sequence[str]) -> list[TaggedCaption]:
            parses = parse(new, workspace, heartbeat=heartbeat)
            phrases = [find_phrases(parsed, self._reading) for parsed in parses]
            cosines = self._cosines(phrases, vectors, workspace, heartbeat)
            redundant = class_cosines(vectors) > self.redundancy_threshold
            return [
                TaggedCaption(
                    row,
                    sounds_of(
                        row,
                        cosines,
                        redundant,
                        threshold=self.tag_threshold,
                        deviations=self.deviations,
                    ),
                )
                for row in phrases
            ]

        key = "|".join(map(str, self.parameters.values()))
        return workspace.computed_once(f"sbf:{key}", captions, tagged)

    def _cosines(
        self,
        phrases: Sequence[Sequence[str]],
        vectors: Vectors,
        workspace: Workspace,
        heartbeat: Heartbeat,
    ) -> dict[str, Cosines]:
        """Cosines of all classes for every distinct phrase, once per workspace."""
        known: dict[str, Cosines] = workspace.memo(f"sbf cosines:{self._encoder.identity}")
        new = [
            text for text in dict.fromkeys(t for row in phrases for t in row) if text not in known
        ]
        if new:
            embedded = workspace.embeddings(new, self._encoder, heartbeat=heartbeat)
            wide = vectors.astype(np.float64)
            for text, vector in zip(new, embedded, strict=True):
                known[text] = cosines_to_all(wide, vector)
        return known


def _mean_over_references(matches: Sequence[TagMatch]) -> NDArray[np.float64]:
    """Means of precision, recall and F, (3,), over the references with which a side has a sound.

    NaN where there is no such reference.
    """
    rows = np.array([scores_of(match) for match in matches])
    known = rows[~np.isnan(rows[:, 0])]
    return known.mean(axis=0) if len(known) else np.full(len(NAMES), np.nan)
