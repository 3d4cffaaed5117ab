"""Captions collected batch by batch and scored as one corpus: update, compute, reset.

>>> accumulator = ScoreAccumulator("rouge_l")
>>> accumulator.update(["a dog barks"], [["A dog barks.", "A dog is barking."]])
>>> accumulator.update(["rain falls"], [["Rain falls on a roof."]])
>>> scores = accumulator.compute()
>>> round(scores["rouge_l"], 4), len(scores.clips)
(0.7652, 2)
>>> accumulator.reset()
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from earmark.captions import References
from earmark.captions.plain_lists import (
    GivenCaptions,
    GivenReferences,
    candidates_from,
    references_from,
)
from earmark.chosen_metrics import RunOptions, choose_metrics
from earmark.errors import UnusableInput
from earmark.metric_sets import ALL
from earmark.pipeline import check_sides
from earmark.scorer import Scorer
from earmark.scores import Scores


@dataclass(frozen=True, slots=True)
class CollectedClip:
    """A clip with its ranked candidates and its references; ``name`` is empty where it has none."""

    name: str
    candidates: tuple[str, ...]
    references: tuple[str, ...]


State = tuple[CollectedClip, ...]


class NothingCollected(UnusableInput):
    """Scores are wanted of captions that were never given."""

    def __init__(self) -> None:
        super().__init__("There are no captions to score. Call update() with some first.")


class NamedTwice(UnusableInput):
    """Two clips have one name, and different captions or references."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The clip {name!r} was given twice, with different captions or references. Give each "
            "clip a name of its own, and call reset() before it is captioned again."
        )


class ScoreAccumulator:
    """Captions with their references, collected and then scored as one corpus.

    Arguments as for ``earmark.score``. Where torch.distributed is initialised, ``compute``
    gathers the captions of all ranks in the order of the ranks, and has the same scores on each;
    every rank has to call it. Document frequencies are those of all that was collected. What is
    prepared from the references stays in memory for the next ``compute`` with the same ones.
    """

    def __init__(
        self,
        metrics: str | Iterable[str] = ALL,
        **options: Unpack[RunOptions],
    ) -> None:
        self._metrics = choose_metrics(metrics, **options)
        self._clips: list[CollectedClip] = []
        self._scorer: Scorer | None = None

    def __len__(self) -> int:
        """Number of clips that were given, here and not on other ranks."""
        return len(self._clips)

    @property
    def state(self) -> State:
        """What was collected so far, for ``merge`` elsewhere; it can be pickled."""
        return tuple(self._clips)

    def update(
        self,
        captions: GivenCaptions,
        references: GivenReferences,
        names: Sequence[str] | None = None,
    ) -> None:
        """Add a batch: captions and references of its clips, as ``earmark.score`` takes them.

        A clip that is given again under its name, as samplers do that fill up the last batch,
        counts once. Raises ``UnusableInput`` or ``CorpusMismatch``; nothing is added then.
        """
        reference_clips = references_from(references)
        own = reference_clips.file_names
        candidates = candidates_from(captions, names=own)
        check_sides(candidates, reference_clips)
        if own == tuple(map(str, range(len(own)))):  # the names of clips that have none
            own = ("",) * len(own)
        named = list(own if names is None else names)
        if len(named) != len(reference_clips):
            raise UnusableInput(
                f"There are {len(named)} names for {len(reference_clips)} clips. Give one for each."
            )
        self._clips.extend(
            CollectedClip(name, ranked, clip.references)
            for name, ranked, clip in zip(
                named, candidates.captions, reference_clips.clips, strict=True
            )
        )

    def merge(self, state: State) -> None:
        """Add what another accumulator collected (its ``state``) after what this one did."""
        self._clips.extend(state)

    def compute(self, *, details: bool = False) -> Scores:
        """Scores of all that was collected, on all ranks; what was collected stays.

        Raises ``NothingCollected`` or ``NamedTwice``.
        """
        return self.scored(_of_all_ranks(self.state), details=details)

    def scored(self, states: Iterable[Iterable[CollectedClip]], *, details: bool = False) -> Scores:
        """Scores of what several accumulators collected, as ``compute`` has them of all ranks."""
        clips = list(_distinct(clip for state in states for clip in state))
        if not clips:
            raise NothingCollected
        references = References.build(
            (clip.name or str(place), clip.references) for place, clip in enumerate(clips)
        )
        if self._scorer is None or self._scorer.references != references:
            self._scorer = Scorer(references, self._metrics.wanted, **self._metrics.options)
        captions = [clip.candidates for clip in clips]
        return self._scorer.score(captions, details=details)

    def reset(self) -> None:
        """Forget the captions; what is prepared from their references stays."""
        self._clips.clear()


def _distinct(clips: Iterable[CollectedClip]) -> Iterator[CollectedClip]:
    """Clips in their order, those with a name once."""
    known: dict[str, CollectedClip] = {}
    for clip in clips:
        if not clip.name or clip.name not in known:
            known[clip.name] = clip
            yield clip
        elif known[clip.name] != clip:
            raise NamedTwice(clip.name)


def _of_all_ranks(state: State) -> list[State]:
    """States of all ranks of torch.distributed, in their order; this one where it is not in use."""
    # Where nobody has imported torch nobody has initialised it.
    if "torch" not in sys.modules:
        return [state]
    from torch import distributed

    if not (distributed.is_available() and distributed.is_initialized()):
        return [state]
    states: list[State] = [()] * distributed.get_world_size()
    distributed.all_gather_object(states, state)
    return states
