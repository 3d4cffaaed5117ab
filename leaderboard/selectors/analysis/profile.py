"""What a system hears, imagines and leaves out, how it writes, and what its candidates add."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from earmark.metrics.aces import Labels, slim_labels
from earmark.metrics.cb import Events, slim_events
from earmark.metrics.cb.vocabulary import load_classes
from earmark.metrics.facets import NO_LABEL
from earmark.metrics.fluency import slim_error
from earmark.metrics.sbf import slim_tags
from earmark.metrics.sbf.profile import ProfileRow, most_frequent
from earmark.registry import METRICS
from earmark.text.ptb import tokenize
from leaderboard.selectors.analysis.clip_scores import Floats
from leaderboard.selectors.clips.corpus import Corpus
from leaderboard.selectors.clips.findings import slimmed
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, visible_results

UNLISTED = "Not in AudioSet"
MOST_ROWS = 12
Tags = list[tuple[ProfileRow, int]]


@dataclass(frozen=True, slots=True)
class EventCount:
    """One sound event over the corpus, in clips; or a family, with a clip counted for each event.

    ``in_references``: some reference names it; ``heard``: the system names it as well;
    ``imagined``: the system alone names it. ``missed_in`` and ``imagined_in``
    are numbers of clips (from 1) to look at, None where there is none.
    """

    name: str
    group: str
    in_references: int
    heard: int
    imagined: int
    missed_in: int | None = None
    imagined_in: int | None = None

    @property
    def missed(self) -> int:
        """Clips in which the references name it and the system does not."""
        return self.in_references - self.heard

    @property
    def in_captions(self) -> int:
        """Clips in which the system names it, right or wrong."""
        return self.heard + self.imagined

    @property
    def recall(self) -> float | None:
        """Share of the clips with it in which the system names it."""
        return self.heard / self.in_references if self.in_references else None

    @property
    def precision(self) -> float | None:
        """Share of the clips in which the system names it where a reference does."""
        return self.heard / self.in_captions if self.in_captions else None


@dataclass(frozen=True, slots=True)
class LabelShare:
    """A descriptor label: clips whose references have it, and those where the system has it too."""

    name: str
    in_references: int
    covered: int

    @property
    def share(self) -> float:
        """Share of the clips with it that are covered."""
        return self.covered / self.in_references if self.in_references else 0.0


@dataclass(frozen=True, slots=True)
class Writing:
    """How one side writes: counts of captions by number of words, and its vocabulary."""

    captions: int
    lengths: Mapping[int, int]
    vocabulary: int
    distinct: int

    @property
    def mean_length(self) -> float:
        """Words of a caption on average."""
        return sum(n * count for n, count in self.lengths.items()) / max(1, self.captions)


@dataclass(frozen=True, slots=True)
class SystemProfile:
    """A system from all sides; None where a metric family has no details.

    False alarms and misses of SBF have the number of a clip to look at.
    """

    events: tuple[EventCount, ...] | None
    counts: tuple[Mapping[int, int], Mapping[int, int]] | None
    false_alarms: Tags | None
    misses: Tags | None
    labels: tuple[LabelShare, ...] | None
    flaws: tuple[tuple[str, int], ...] | None
    writing: tuple[Writing, Writing]

    @property
    def missed(self) -> tuple[EventCount, ...]:
        """The events left out in most clips."""
        return _top(self.events or (), key=lambda event: event.missed)

    @property
    def imagined(self) -> tuple[EventCount, ...]:
        """The events that no reference names, in most clips."""
        return _top(self.events or (), key=lambda event: event.imagined)


def profile_of(submission: AnySubmission, corpus: Corpus) -> SystemProfile:
    """Add up the details of all clips of a system, one family after the other."""
    events = slimmed(submission, "cb", slim_events)
    tags = slimmed(submission, "sbf", slim_tags)
    labels = slimmed(submission, "aces", slim_labels)
    flaws = slimmed(submission, "fluency", slim_error)
    return SystemProfile(
        events=None if events is None else tuple(_events(events)),
        counts=None if events is None else _counts(events, corpus),
        false_alarms=None if tags is None else _tags([clip["false_alarms"] for clip in tags]),
        misses=None if tags is None else _tags([clip["misses"] for clip in tags]),
        labels=None if labels is None else tuple(_labels(labels)),
        flaws=None if flaws is None else tuple(Counter(filter(None, flaws)).most_common()),
        writing=(
            writing_of(corpus.captions),
            writing_of(tuple(text for clip in corpus.references for text in clip)),
        ),
    )


def _top(events: Iterable[EventCount], *, key: Any) -> tuple[EventCount, ...]:
    ordered = sorted(events, key=lambda event: (-key(event), event.name))
    return tuple(event for event in ordered[:MOST_ROWS] if key(event))


def _events(details: Sequence[Events]) -> Iterator[EventCount]:
    in_references, matched, imagined = Counter[str](), Counter[str](), Counter[str]()
    missed_in: dict[str, int] = {}
    imagined_in: dict[str, int] = {}
    for number, (mentions, named) in enumerate(details, 1):
        referenced = mentions.keys()
        in_references.update(referenced)
        matched.update(referenced & named)
        imagined.update(named - referenced)
        for name in referenced - named:
            missed_in.setdefault(name, number)
        for name in named - referenced:
            imagined_in.setdefault(name, number)
    for name in sorted(in_references | imagined):
        yield EventCount(
            name,
            _roots().get(name, UNLISTED),
            in_references[name],
            matched[name],
            imagined[name],
            missed_in.get(name),
            imagined_in.get(name),
        )


@lru_cache(maxsize=1)
def _roots() -> dict[str, str]:
    """The family of AudioSet that each event belongs to: the root of its class."""
    classes = load_classes()
    roots = {}
    for one in classes.values():
        top = one
        while top.parents:
            top = classes[top.parents[0]]
        roots[one.name] = top.name
    return roots


def _counts(
    details: Sequence[Events], corpus: Corpus
) -> tuple[Mapping[int, int], Mapping[int, int]]:
    """Count captions by number of events; of the references, the rounded average of a clip's."""
    of_system = Counter(len(named) for _, named in details)
    of_references = Counter(
        round(sum(mentions.values()) / len(references))
        for (mentions, _), references in zip(details, corpus.references, strict=False)
    )
    return of_system, of_references


def _tags(side: Sequence[Mapping[str, float]]) -> Tags:
    rows = most_frequent(side, limit=MOST_ROWS)
    return [(row, _most_typical(side, row.name)) for row in rows]


def _most_typical(side: Sequence[Mapping[str, float]], name: str) -> int:
    """Number of the first clip in which most references confirm a tag."""
    shares = [clip.get(name, 0.0) for clip in side]
    return shares.index(max(shares)) + 1


def _labels(details: Sequence[Labels]) -> Iterator[LabelShare]:
    in_references, covered = Counter[str](), Counter[str]()
    for referenced, named in details:
        in_references.update(referenced)
        covered.update(referenced & named)
    for name, count in sorted(in_references.items(), key=lambda item: (-item[1], item[0])):
        if name != NO_LABEL:
            yield LabelShare(name, count, covered[name])


@lru_cache(maxsize=16)
def writing_of(captions: tuple[str, ...]) -> Writing:
    """Count words (PTB tokens, as vocab does) and distinct captions."""
    words = [tokenize(text) for text in captions]
    return Writing(
        captions=len(captions),
        lengths=Counter(map(len, words)),
        vocabulary=len({word for caption in words for word in caption}),
        distinct=len({tuple(caption) for caption in words}),
    )


def families_of(events: Iterable[EventCount]) -> list[EventCount]:
    """Add events up by family, the one that references name most first."""
    groups: dict[str, list[EventCount]] = {}
    for event in events:
        groups.setdefault(event.group, []).append(event)
    families = [
        EventCount(
            name,
            name,
            sum(event.in_references for event in members),
            sum(event.heard for event in members),
            sum(event.imagined for event in members),
        )
        for name, members in groups.items()
    ]
    return sorted(families, key=lambda family: -family.in_references)


# The columns of the details that SPICE+ by embeddings stores, in their order.
TUPLE_METRICS = ("spice_plus_precision", "spice_plus_recall", "spice_plus_emb")


@dataclass(frozen=True, slots=True)
class SeveralCandidates:
    """Corpus means by number of candidates, from 1 to the most that a clip has.

    ``tuples`` (numbers, 3): SPICE+ precision, recall and F of the first j
    candidates together; ``best`` (numbers,): SPIDEr of the best of the first j.
    None where a family has none. ``fewer`` (numbers,): clips with less than j
    candidates, which keep the value of all that they have; ``clips``: all clips; ``labels`` of
    the metrics by name.
    """

    tuples: Floats | None
    best: Floats | None
    fewer: tuple[int, ...]
    clips: int
    labels: Mapping[str, str]

    @property
    def most(self) -> int:
        """The most candidates that a clip has."""
        return len(self.fewer)

    @property
    def uneven(self) -> bool:
        """Whether some clip has fewer candidates than another."""
        return self.fewer[-1] > 0


def several_candidates(submission: AnySubmission) -> SeveralCandidates | None:
    """Read how the scores grow with the candidates; None where no clip has a second.

    None too where the details were stored before they said so, or in another shape.
    """
    # SPIDEr's details are small: where each clip has one candidate there, no others are read.
    spider = _values_by_candidate(submission, "spider", ("spider",))
    if spider is not None and not _any(spider):
        return None
    tuples = _values_by_candidate(submission, "spice_plus_emb", TUPLE_METRICS)
    by_tuples = _whole(submission, tuples, TUPLE_METRICS)
    by_spider = _whole(submission, spider, ("spider",))
    known = by_tuples or by_spider
    if known is None:
        return None
    depths = np.array([len(clip) for clip in known])
    most = int(depths.max())
    return SeveralCandidates(
        tuples=None if by_tuples is None else _means(by_tuples, most),
        best=None
        if by_spider is None
        else _means([np.maximum.accumulate(clip) for clip in by_spider], most)[:, 0],
        fewer=tuple(int((depths < number).sum()) for number in range(1, most + 1)),
        clips=len(known),
        labels={
            name: submission.phase.as_computed(METRICS[name]).label
            for name in (*TUPLE_METRICS, "spider")
        },
    )


def _values_by_candidate(
    submission: AnySubmission, family: str, metrics: Sequence[str]
) -> list[Floats | None] | None:
    """Each clip's values by rank, shape (candidates, metrics); None for one candidate."""
    return slimmed(submission, family, lambda clip: _rows(clip, len(metrics)))


def _any(clips: Sequence[Floats | None]) -> bool:
    return any(rows is not None for rows in clips)


def _rows(clip: Any, columns: int) -> Floats | None:
    """Read the values by rank of one clip's details, shape (candidates, columns)."""
    if "by_candidates" not in clip:
        return None
    rows = np.array(clip["by_candidates"], np.float64).reshape(-1, columns)
    if not len(rows) or not np.isfinite(rows).all():
        raise ValueError("Values by candidate are missing.")
    return rows


def _whole(
    submission: AnySubmission, clips: list[Floats | None] | None, metrics: Sequence[str]
) -> list[Floats] | None:
    """Fill in the clips with one candidate, whose values are the metrics' own."""
    if clips is None or not _any(clips):
        return None
    by_metric = {
        row.metric: row.read_per_clip().astype(np.float64)
        for row in visible_results(submission).filter(metric__in=metrics)
    }
    if any(len(by_metric.get(name, ())) != len(clips) for name in metrics):
        return None
    single = np.stack([by_metric[name] for name in metrics], axis=1)
    return [single[at : at + 1] if rows is None else rows for at, rows in enumerate(clips)]


def _means(clips: Sequence[Floats], most: int) -> Floats:
    """Average over clips for each number of candidates; a clip with fewer keeps its last."""
    total = np.zeros((most, clips[0].shape[1]))
    for rows in clips:
        total[: len(rows)] += rows[:most]
        total[len(rows) :] += rows[-1]
    return total / len(clips)
