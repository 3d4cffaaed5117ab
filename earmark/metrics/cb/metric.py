"""CB-score: whether a caption names the sounds that the references agree on.

Source: Martín-Morató, Harju and Mesaros, DCASE workshop 2022, equations 1 to 3; what it
leaves open is settled in docs/reference/cb_score.md.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from earmark.captions import Candidates, References
from earmark.errors import ScoringError, UnusableParameter
from earmark.metrics.cb import FAMILY
from earmark.metrics.cb.events import VERSION, SoundEvent, event_name, find_events
from earmark.metrics.cb.vocabulary import Vocabulary, load_vocabulary
from earmark.metrics.family import Arrays, mean_score
from earmark.read_ahead import TextsAhead
from earmark.results import MetricScore
from earmark.runtime import Heartbeat
from earmark.text.arrays import Ints, pack_strings, split, unpack_strings
from earmark.text.parse import parse, parse_ahead
from earmark.text.parser import parser_identity
from earmark.text.wordnet import IDENTITY
from earmark.workspace import Workspace

_SCORE, _RECALL = "cb_score", "cb_recall"
_TOGETHER = 10_000  # captions of documents read at once

Mentions = Mapping[str, int]
Relevance = dict[str, float]
Documents = Sequence[Collection[str]]
# (clips, the corpus that documents are counted over: the events of each of its clips)
Strategy = Callable[[Sequence[Mentions], Documents], list[Relevance]]


class UnknownRelevance(ScoringError):
    """A relevance strategy that does not exist."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no relevance {name!r}. Choose from: {', '.join(STRATEGIES)}.")
        self.name = name


def count_mentions(references: Iterable[Collection[str]]) -> Counter[str]:
    """Count the references that mention each event (each once)."""
    return Counter(event for events in references for event in set(events))


def frequency(clips: Sequence[Mentions], _documents: Documents = ()) -> list[Relevance]:
    """Weigh each event of a clip by its share of the mentions; documents do not matter."""
    return [_shares(mentions) for mentions in clips]


def tfidf(clips: Sequence[Mentions], documents: Documents) -> list[Relevance]:
    """Weigh mentions also by how few documents have the event, so that rare sounds weigh more.

    The inverse document frequency is ln((1 + documents) / (1 + documents that have it)) + 1,
    which leaves some weight to what every one has.
    """
    counts = Counter(event for events in documents for event in set(events))

    def idf(event: str) -> float:
        return math.log((1 + len(documents)) / (1 + counts[event])) + 1

    return [_shares({event: n * idf(event) for event, n in clip.items()}) for clip in clips]


def _shares(weights: Mapping[str, float]) -> Relevance:
    """Divide by the sum; the most relevant first, equal ones by key."""
    total = sum(weights.values())
    ordered = sorted(weights.items(), key=lambda pair: (-pair[1], pair[0]))
    return {key: weight / total for key, weight in ordered}


def share_of_ideal(events: Collection[str], relevance: Relevance, ideal: int) -> float:
    """Divide the relevance of the events by that of the ``ideal`` most relevant ones.

    0..1: a caption with more relevant events than the ideal one has 1. No
    events have 0; an empty table has NaN.

    >>> table = {"laughing": .40, "talking": .36, "bird": .16, "car": .08}
    >>> round(share_of_ideal({"dog", "car"}, table, 2), 2)
    0.11
    """
    if not relevance:
        return math.nan
    if not events:
        return 0.0
    # Summed in the order of the table, so that an ideal caption has exactly 1.
    reached = sum(value for key, value in relevance.items() if key in events)
    best = sum(list(relevance.values())[:ideal])
    return min(reached / best, 1.0)


STRATEGIES: dict[str, Strategy] = {"frequency": frequency, "tfidf": tfidf}
# Strategies for which it matters what documents are counted over.
BY_DOCUMENTS = frozenset({"tfidf"})


@dataclass(frozen=True, slots=True)
class ClipEvents:
    """Sound events that the references of a clip name.

    ``mentions`` counts the references per event, ``relevance`` has the same
    events, the most relevant first (both empty where there are none).
    ``average`` is the number of events that a caption of average length has.
    """

    mentions: dict[str, int]
    relevance: Relevance
    average: int


class ConsensusScore:
    """Relevance of the caption's sound events, as a share of the best that is possible.

    ``relevance`` is "frequency" or "tfidf"; ``depth`` the levels of the
    ontology below its roots at which sounds without a source are told apart;
    ``senses`` how many meanings of a word count, the most frequent first. Raises
    ``UnknownRelevance`` and ``UnusableParameter``.
    """

    name = "cb"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = (_SCORE, _RECALL)

    def __init__(self, *, relevance: str = "frequency", depth: int = 2, senses: int = 2) -> None:
        if depth < 0:
            raise UnusableParameter(self.name, "depth", depth, "a whole number from 0 up")
        if senses < 1:
            raise UnusableParameter(self.name, "senses", senses, "a whole number from 1 up")
        self.relevance = relevance
        self.depth = depth
        self.senses = senses
        if relevance not in STRATEGIES:
            raise UnknownRelevance(relevance)
        self._strategy = STRATEGIES[relevance]

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the rules, the parser, the lexicon, the ontology and the way of weighing."""
        return {
            "rules": f"events-{VERSION}",
            "parser": parser_identity(),
            "lex": IDENTITY,
            "senses": self.senses,
            "events": f"audioset-{self.depth}",
            "rel": self.relevance,
        }

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Hand captions to the process that parses."""
        parse_ahead(texts.captions, workspace)

    def prepare(self, references: References, workspace: Workspace) -> list[ClipEvents]:
        """Find the events of the references; progress stays at 0 clips meanwhile."""
        heartbeat = workspace.waiting(self.name, len(references))
        rows = self._rows(references, workspace, heartbeat)
        mentions = [count_mentions(row) for row in rows]
        averages = [max(1, _rounded(sum(map(len, row)) / len(row))) for row in rows]
        documents: Documents = mentions
        if references.documents is not None and self.relevance in BY_DOCUMENTS:
            all_clips = references.documents
            documents = workspace.counted(
                f"documents of {self.parameters}",
                lambda: self._documents(all_clips, workspace, heartbeat),
            )
        tables = self._strategy(mentions, documents)
        return [
            ClipEvents({key: counts[key] for key in table}, table, average)
            for counts, table, average in zip(mentions, tables, averages, strict=True)
        ]

    def _documents(
        self, documents: References, workspace: Workspace, heartbeat: Heartbeat
    ) -> Documents:
        """Events of each clip; those of a whole corpus without remembering it for its parts."""
        rows: list[set[str]] = []
        for part in documents.parts(_TOGETHER):
            once = workspace if workspace.whole is None else workspace.forgetful()
            rows += [set().union(*row) for row in self._rows(part, once, heartbeat)]
        return rows

    def _rows(
        self, references: References, workspace: Workspace, heartbeat: Heartbeat
    ) -> list[list[set[str]]]:
        """Distinct events of each reference of each clip."""
        captions = self._events(references.captions, workspace, heartbeat=heartbeat)
        keys = iter([{event.key for event in events} for events in captions])
        return [[next(keys) for _ in clip.references] for clip in references.clips]

    def dump(self, prepared: Sequence[ClipEvents]) -> Arrays:
        """Turn what was prepared into arrays."""
        keys, lengths = pack_strings([key for clip in prepared for key in clip.relevance])
        return {
            "keys": keys,
            "lengths": lengths,
            "mentions": _flat([list(clip.mentions.values()) for clip in prepared], np.int64),
            "relevance": _flat([list(clip.relevance.values()) for clip in prepared], np.float64),
            "sizes": np.array([len(clip.relevance) for clip in prepared], np.int64),
            "average": np.array([clip.average for clip in prepared], np.int64),
        }

    def load(self, arrays: Arrays) -> list[ClipEvents]:
        """Read what ``dump`` wrote."""
        sizes: Ints = arrays["sizes"]
        keys = split(unpack_strings(arrays["keys"], arrays["lengths"]), sizes)
        mentions = split(arrays["mentions"].tolist(), sizes)
        weights = split(arrays["relevance"].tolist(), sizes)
        return [
            ClipEvents(
                {key: int(n) for key, n in zip(names, counts, strict=True)},
                dict(zip(names, values, strict=True)),
                average,
            )
            for names, counts, values, average in zip(
                keys, mentions, weights, arrays["average"].tolist(), strict=True
            )
        ]

    def chosen(
        self, prepared: Sequence[ClipEvents], references: References, places: Sequence[int]
    ) -> list[ClipEvents]:
        """Events of some clips; relevance by documents stays that of all."""
        return [prepared[place] for place in places]

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: Sequence[ClipEvents],
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        clips = len(candidates)
        mentioned = self._events(
            candidates.first, workspace, heartbeat=workspace.partly_done(self.name, clips)
        )
        scores = [_scores(events, clip) for events, clip in zip(mentioned, prepared, strict=True)]
        details = self._details(mentioned, prepared) if workspace.details else None
        workspace.progress(self.name, clips, clips)
        columns = zip(self.metrics, np.array(scores, np.float64).T, strict=True)
        return {
            name: mean_score(self, name, column, references, details) for name, column in columns
        }

    @property
    def _vocabulary(self) -> Vocabulary:
        return load_vocabulary(depth=self.depth, senses=self.senses)

    def _events(
        self, captions: Sequence[str], workspace: Workspace, *, heartbeat: Heartbeat
    ) -> list[tuple[SoundEvent, ...]]:
        """Find the events of each caption, every distinct one once per workspace."""
        vocabulary = self._vocabulary
        return workspace.computed_once(
            f"cb:{self.depth}:{self.senses}",
            captions,
            lambda new: [
                find_events(parsed, vocabulary, senses=self.senses)
                for parsed in parse(new, workspace, heartbeat=heartbeat)
            ],
        )

    def _details(
        self, mentioned: Sequence[Sequence[SoundEvent]], prepared: Sequence[ClipEvents]
    ) -> list[dict[str, Any]]:
        classes = self._vocabulary.classes

        def name(key: str) -> str:
            return event_name(key, classes)

        return [
            {
                "relevance": [
                    {"event": name(key), "references": clip.mentions[key], "relevance": _brief(r)}
                    for key, r in clip.relevance.items()
                ],
                "candidate": [
                    {
                        "event": name(event.key),
                        "match": event.match,
                        "words": event.words,
                        "relevance": _brief(clip.relevance.get(event.key, 0.0)),
                    }
                    for event in events
                ],
                "ideal": [name(key) for key in list(clip.relevance)[: _distinct(events)]],
                "ideal_average": [name(key) for key in list(clip.relevance)[: clip.average]],
            }
            for events, clip in zip(mentioned, prepared, strict=True)
        ]


def _scores(events: Sequence[SoundEvent], clip: ClipEvents) -> tuple[float, float]:
    """Compare with the ideal caption of as many events, and of the references' average."""
    keys = {event.key for event in events}
    return (
        share_of_ideal(keys, clip.relevance, len(keys)),
        share_of_ideal(keys, clip.relevance, clip.average),
    )


def _distinct(events: Sequence[SoundEvent]) -> int:
    return len({event.key for event in events})


def _rounded(value: float) -> int:
    """Round to the nearest whole number, a half upwards."""
    return math.floor(value + 0.5)


def _brief(value: float) -> float:
    return round(value, 6)


def _flat(rows: Sequence[Sequence[float]], dtype: type) -> np.ndarray[Any, np.dtype[Any]]:
    return np.array([value for row in rows for value in row], dtype)
