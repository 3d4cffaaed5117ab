"""Reading a system clip by clip: captions of both sides, scores, and why they are so.

Callers must have checked ``access.clips_for``: all of this may reveal references.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from earmark.captions import Candidates, Limits, References, read_candidates
from earmark.captions.clip_names import ClipNames
from earmark.datasets.describing import describe_captions, described_json
from earmark.errors import ScoringError
from earmark.metric_labels import labelled_as_signed, signed_metric
from earmark.registry import FAMILIES, METRICS, MetricInfo, metrics_of
from earmark.results import PerClip
from leaderboard.models import (
    ClipDetails,
    Evaluation,
    EvaluationState,
    MetricResult,
    ReferenceSet,
    StoredFile,
)
from leaderboard.selectors.evaluations.progress import family_label
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, visible_evaluations

NO_DETAILS = "No details were stored when this was computed."
NOT_YET = "Not scored yet."


@dataclass(frozen=True, slots=True)
class Corpus:
    """The clips of a system in the order of the references.

    ``texts`` has all words of each clip (name, caption, references), folded, to
    search in.
    """

    file_names: tuple[str, ...]
    captions: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    names: ClipNames
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.file_names)


@dataclass(frozen=True, slots=True)
class ClipLine:
    """One clip in a list; ``number`` counts from 1 in the order of the references.

    ``reference`` is the one to show: the first with a word that was searched
    for, else the first.
    """

    number: int
    file_name: str
    caption: str
    references: tuple[str, ...]
    reference: str
    value: float | None


@dataclass(frozen=True, slots=True)
class ClipMetric:
    """A metric of one clip beside the system's corpus value; None where there is none."""

    info: MetricInfo
    value: float | None
    corpus: float | None
    signature: str


@dataclass(frozen=True, slots=True)
class ClipFamily:
    """What a metric family says of one clip; ``note`` says why there are no details."""

    name: str
    label: str
    metrics: tuple[ClipMetric, ...]
    details: Mapping[str, Any] | None
    note: str


@dataclass(frozen=True, slots=True)
class ClipReport:
    """One clip with everything that is known of it, families in the order of the registry."""

    line: ClipLine
    clips: int
    families: tuple[ClipFamily, ...] = field(default=())


class CaptionsUnreadable(ScoringError):
    """A stored file that this version of the scorer no longer reads."""

    def __init__(self) -> None:
        super().__init__(
            "The stored file can no longer be read by this version of the scorer. Tell the "
            "administrator."
        )


def corpus_of(submission: AnySubmission) -> Corpus:
    """Read the clips of a submission; raises ``CaptionsUnreadable``."""
    reference_set = submission.reference_set
    if reference_set is None:
        raise CaptionsUnreadable
    return _corpus(submission.file_id, submission.file_name, reference_set.content_hash)


@lru_cache(maxsize=32)
def _corpus(sha256: str, file_name: str, content_hash: str) -> Corpus:
    """Read both sides once per process: neither a file nor a reference set ever changes."""
    references = references_of(content_hash)
    captions = captions_of(sha256, file_name, content_hash).first
    texts = (
        "\n".join((clip.file_name, caption, *clip.references)).casefold()
        for clip, caption in zip(references.clips, captions, strict=True)
    )
    return Corpus(
        file_names=references.file_names,
        captions=captions,
        references=tuple(clip.references for clip in references.clips),
        names=ClipNames(references.file_names),
        texts=tuple(texts),
    )


def clips_with_words(corpus: Corpus, words: str) -> NDArray[np.bool_]:
    """Whether each clip has all the words in name, caption or references, shape (clips,)."""
    wanted = words.casefold().split()
    matches = (all(word in text for word in wanted) for text in corpus.texts)
    return np.fromiter(matches, np.bool_, len(corpus))


def clip_lines(
    corpus: Corpus, values: PerClip | None, positions: Iterable[int], *, words: str = ""
) -> tuple[ClipLine, ...]:
    """The clips at these positions with their values; ``words`` were searched for."""
    wanted = words.casefold().split()
    return tuple(_line(corpus, values, position, wanted) for position in positions)


def _line(
    corpus: Corpus, values: PerClip | None, position: int, wanted: Sequence[str] = ()
) -> ClipLine:
    references = corpus.references[position]
    matching = (text for text in references if any(word in text.casefold() for word in wanted))
    return ClipLine(
        number=position + 1,
        file_name=corpus.file_names[position],
        caption=corpus.captions[position],
        references=references,
        reference=next(matching, references[0]),
        value=None if values is None else _finite(values[position]),
    )


def clip_report(submission: AnySubmission, corpus: Corpus, position: int) -> ClipReport:
    """Read everything that is known of one clip, in three queries."""
    results: dict[int, list[MetricResult]] = {}
    for row in _results(submission):
        results.setdefault(row.evaluation_id, []).append(row)
    blocks = ClipDetails.objects.filter(
        evaluation__in=evaluations_of(submission), first_clip=ClipDetails.first_of(position)
    )
    details = {block.evaluation_id: block.read_clip(position) for block in blocks}
    order = {name: place for place, name in enumerate(FAMILIES)}
    evaluations = sorted(
        evaluations_of(submission).defer("detail"),
        key=lambda row: order.get(row.family, len(order)),
    )
    families = tuple(
        _family(row, results.get(row.pk, []), details.get(row.pk), position) for row in evaluations
    )
    return ClipReport(_line(corpus, None, position), len(corpus), families)


def _results(submission: AnySubmission) -> QuerySet[MetricResult]:
    return MetricResult.objects.filter(evaluation__in=evaluations_of(submission))


def evaluations_of(*submissions: AnySubmission) -> QuerySet[Evaluation]:
    """The evaluations to be seen, of the references that each is scored against."""
    rows = Evaluation.objects.none()
    for submission in submissions:
        reference_set = submission.reference_set
        rows = rows | visible_evaluations(submission).filter(
            reference_hash="" if reference_set is None else reference_set.content_hash
        )
    return rows


def _family(
    evaluation: Evaluation, results: list[MetricResult], details: Any, position: int
) -> ClipFamily:
    by_name = {row.metric: row for row in results}
    return ClipFamily(
        name=evaluation.family,
        label=family_label(evaluation.family, evaluation.signature),
        metrics=tuple(
            ClipMetric(
                labelled_as_signed(info, row.signature),
                _finite(row.read_per_clip()[position]),
                row.value,
                row.signature,
            )
            for info in metrics_of(evaluation.family)
            if (row := by_name.get(info.name))
        ),
        details=details,
        note="" if details is not None else _note(evaluation),
    )


def _note(evaluation: Evaluation) -> str:
    if evaluation.state == EvaluationState.DONE:
        return evaluation.details_note or NO_DETAILS
    if evaluation.state == EvaluationState.FAILED:
        return evaluation.reason or "Could not be computed."
    return NOT_YET


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def metrics_of_clips(submission: AnySubmission) -> list[MetricInfo]:
    """List the metrics that clips can be sorted by: those with a result, in registry order."""
    signatures = dict(_results(submission).values_list("metric", "signature"))
    return [signed_metric(name, signatures[name]) for name in METRICS if name in signatures]


@lru_cache(maxsize=4)
def references_of(content_hash: str) -> References:
    """Unpack references once per process: whichever set has this content, it is the same."""
    stored = ReferenceSet.objects.filter(content_hash=content_hash).first()
    if stored is None:
        raise ReferenceSet.DoesNotExist(f"No references have the content {content_hash[:12]}.")
    return stored.read()


@lru_cache(maxsize=4)
def captions_of(sha256: str, file_name: str, content_hash: str) -> Candidates:
    """Read a stored file in the order of the references; raises ``CaptionsUnreadable``."""
    data = bytes(StoredFile.objects.get(pk=sha256).content)
    found = stored_captions(data, file_name, references_of(content_hash))
    if found is None:
        raise CaptionsUnreadable
    return found


def stored_captions(data: bytes, file_name: str, references: References) -> Candidates | None:
    """Read a stored file in the order of the references; None where it no longer can be."""
    # What was accepted stays readable where the installation's limit was lowered since.
    limits = Limits(max_bytes=len(data))
    return read_candidates(data, references, file_name=file_name, limits=limits).value


def described_references(content_hash: str) -> dict[str, Any]:
    """Figures of the captions of a reference set, as ``described_json`` has them."""
    clips = references_of(content_hash).clips
    return described_json(describe_captions([clip.references for clip in clips]))


def card_for(reference_set: ReferenceSet, *, shown: bool) -> dict[str, Any] | None:
    """The data card for who is ``shown`` the captions, or who is not; None where there is none."""
    cards: dict[str, Any] = reference_set.card
    return cards.get("open" if shown else "hidden")
