"""Relevance of each sound event of a clip, and how much of it a caption collects."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from scoring.errors import ScoringError

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


def find_strategy(name: str) -> Strategy:
    """Look a strategy up by name, or raise ``UnknownRelevance``."""
    try:
        return STRATEGIES[name]
    except KeyError as error:
        raise UnknownRelevance(name) from error


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
