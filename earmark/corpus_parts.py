"""Large corpora scored part by part, so that memory does not grow with them.

What is prepared from references and remembered of captions takes several hundred kB a clip with
every metric. A clip's score does not depend on the other clips but by what is counted over all
documents, which ``Workspace.counted`` keeps for all parts; and the corpus value is computed from
numbers of each clip (``MetricScore.counts``). So parts give the same values as the whole.
"""

import gc
import json
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, overload

import numpy as np

from earmark.captions import Candidates, References
from earmark.json_values import json_bytes
from earmark.kept_references import KeptReferences
from earmark.metrics.family import Family, corpus_score
from earmark.results import MetricScore
from earmark.workspace import Workspace

# References of a part: its clips then take about as much memory as all models.
PART_CAPTIONS = 10_000
# Clips that are packed together, and made anew together where one of them is read.
_BLOCK = 100
_FAST = 1  # of zlib's levels: the best one takes a tenth less and five times as long


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """Consecutive clips; ``first`` is the place of the first of them in the corpus."""

    first: int
    candidates: Candidates
    references: References

    def workspace(self, whole: References, workspace: Workspace) -> Workspace:
        """The workspace in which this part is scored, made of that of the corpus.

        It remembers nothing of other parts, and what families prepare from this one is shared.
        """

        def progress(family: str, done: int, _total: int) -> None:
            workspace.progress(family, self.first + done, len(whole))

        kept = KeptReferences(sets=1)
        return replace(workspace.for_part(whole), kept=kept, progress=progress)


def is_large(references: References) -> bool:
    """Whether a corpus is larger than two parts."""
    return len(references.captions) > 2 * PART_CAPTIONS


def goes_by_parts(references: References, workspace: Workspace) -> bool:
    """Whether a corpus is scored part by part: a large one of which nothing is to be kept."""
    return workspace.kept is None and is_large(references)


def parts_of(candidates: Candidates, references: References) -> Iterator[CorpusPart]:
    """Parts of a corpus, in its order; what is left of one in cycles goes before the next."""
    first = 0
    for part in references.parts(PART_CAPTIONS):
        last = first + len(part)
        yield CorpusPart(first, candidates.part(first, last), part)
        first = last
        gc.collect()  # which would wait for more objects, however large they are


class CompactDetails(Sequence[Mapping[str, Any]]):
    """Details as compressed JSON, a fiftieth of what the objects would take; read like a list.

    >>> details = CompactDetails()
    >>> details.extend([{"matched": ["dog"]}, {"matched": []}])
    >>> len(details), details[1], details[:1]
    (2, {'matched': []}, [{'matched': ['dog']}])
    """

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        # Of each block the place of its first clip, and of what comes after the last.
        self._starts = [0]
        self._read: tuple[int, list[Mapping[str, Any]]] = (-1, [])

    def extend(self, details: Iterable[Mapping[str, Any]]) -> None:
        """Add the details of more clips, which are JSON-ready."""
        rows = iter(details)
        while block := list(islice(rows, _BLOCK)):
            self._packed.append(zlib.compress(json_bytes(block), _FAST))
            self._starts.append(self._starts[-1] + len(block))

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> list[Mapping[str, Any]]: ...

    def __getitem__(self, place: int | slice) -> Mapping[str, Any] | list[Mapping[str, Any]]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        at = range(len(self))[place]  # IndexError as a list has it
        block = bisect_right(self._starts, at) - 1
        number, rows = self._read
        if number != block:
            rows = json.loads(zlib.decompress(self._packed[block]))
            self._read = block, rows
        return rows[at - self._starts[block]]


class JoinedScores:
    """Scores by the metrics of one family, added part after part."""

    def __init__(self) -> None:
        self._parts: list[Mapping[str, MetricScore]] = []
        self._details: CompactDetails | None = None

    def add(self, scores: Mapping[str, MetricScore]) -> bool:
        """Add those of the next part; False where the family has to see all clips at once."""
        if any(score.counts is None for score in scores.values()):
            return False
        self._parts.append({name: replace(one, details=None) for name, one in scores.items()})
        # The metrics of a family share their details.
        details = next((one.details for one in scores.values() if one.details is not None), None)
        if details is not None:
            self._details = self._details or CompactDetails()
            self._details.extend(details)
        return True

    def of_corpus(self, family: Family[Any], references: References) -> dict[str, MetricScore]:
        """Scores of the corpus, whose references these are."""
        names = self._parts[0] if self._parts else ()
        return {name: self._joined(name, family, references) for name in names}

    def _joined(self, name: str, family: Family[Any], references: References) -> MetricScore:
        parts = [part[name] for part in self._parts]
        counts = np.concatenate([part.counts for part in parts if part.counts is not None])
        per_clip = np.concatenate([part.per_clip for part in parts])
        return corpus_score(family, name, counts, per_clip, references, self._details)
