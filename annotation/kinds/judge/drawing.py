"""Drawing pairs of captions to be compared, as those of FENSE's benchmark (Zhou et al., 2022).

HC: two people's captions of a clip; HI: a person's caption of the clip and one of another clip;
HM: a person's and a system's; MM: two systems'.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import combinations
from random import Random
from typing import Any

FACETS = ("HC", "HI", "HM", "MM")
# How many captions of a pair are systems'.
SYSTEMS = {"HC": 0, "HI": 0, "HM": 1, "MM": 2}
# How many of each kind FENSE's benchmark has of a clip.
SHARES = {"HC": 1, "HI": 1, "HM": 1, "MM": 5}
# How often another clip is looked for, of whose captions one is none of this clip's.
_TRIES = 50
_WORD = re.compile(r"\w+")

PairKey = tuple[int, frozenset[str]]


class NotEnoughPairs(ValueError):
    """There are fewer pairs than asked for; the text says of which kind, and what to do."""

    def __init__(self, facet: str, needed: int, left: int) -> None:
        super().__init__(
            f"Only {left:,} pairs of the kind {facet} are left to draw, but {needed:,} are needed. "
            f"Draw fewer pairs, choose more systems, or leave out {facet}."
        )


@dataclass(frozen=True, slots=True)
class DrawableClip:
    """A clip with its references and with the caption of each system, in the systems' order."""

    position: int
    references: tuple[str, ...]
    captions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """Two captions of a clip; ``sources`` say where each comes from.

    A source is {"clip", "reference"}, the position of a clip and the number of a reference from
    0, or {"system"}, its public id.
    """

    position: int
    facet: str
    captions: tuple[str, str]
    sources: tuple[dict[str, Any], dict[str, Any]]


def pair_key(position: int, captions: Sequence[str]) -> PairKey:
    """What tells pairs apart: the clip and both captions, in either order."""
    return position, frozenset(folded(text) for text in captions)


def folded(text: str) -> str:
    """A caption as it is compared: its words, without regard to case and punctuation."""
    return " ".join(_WORD.findall(text.casefold()))


def facet_counts(total: int, facets: Sequence[str]) -> dict[str, int]:
    """How many pairs of each kind make up a total, in the proportions of FENSE's benchmark.

    Every kind has at least one where the total is that large; the sum is the total.
    """
    shares = {facet: SHARES[facet] for facet in FACETS if facet in facets}
    if total <= len(shares):
        return {facet: int(at < total) for at, facet in enumerate(shares)}
    left, whole = total - len(shares), sum(shares.values())
    counts = {facet: 1 + left * share // whole for facet, share in shares.items()}
    rests = sorted(shares, key=lambda facet: -(left * shares[facet] % whole))
    for facet in rests[: total - sum(counts.values())]:
        counts[facet] += 1
    return counts


@dataclass(slots=True)
class _Draw:
    """What was drawn so far, and a heap of the clips: those with the fewest pairs come first."""

    clips: Sequence[DrawableClip]
    systems: Sequence[str]
    random: Random
    taken: set[PairKey]
    heap: list[tuple[int, float, int]] = field(default_factory=list)
    pairs: list[DrawnPair] = field(default_factory=list)

    def __post_init__(self) -> None:
        uses = Counter(position for position, _ in self.taken)
        for at, clip in enumerate(self.clips):
            self.put_back(uses[clip.position], at)

    def put_back(self, uses: int, at: int) -> None:
        """Put a clip with so many pairs among the others, anywhere among its equals."""
        heappush(self.heap, (uses, self.random.random(), at))


def draw_pairs(
    clips: Sequence[DrawableClip],
    systems: Sequence[str],
    counts: Mapping[str, int],
    *,
    seed: int,
    taken: frozenset[PairKey] = frozenset(),
) -> list[DrawnPair]:
    """Draw so many pairs of each kind, none of them in ``taken``, in an order at random.

    Clips, systems and pairs of systems each get as many pairs as evenly as their captions allow:
    captions that are the same but for case and punctuation are never paired. Which of the two
    captions comes first is drawn, too. The same arguments give the same pairs. Raises
    ``NotEnoughPairs``.
    """
    # A draw that follows another one does not repeat its choices.
    draw = _Draw(clips, systems, Random(f"{seed}:{len(taken)}"), set(taken))  # noqa: S311
    for facet in FACETS:
        _draw_facet(draw, facet, counts.get(facet, 0))
    draw.random.shuffle(draw.pairs)
    return draw.pairs


def _draw_facet(draw: _Draw, facet: str, count: int) -> None:
    # Which systems are compared: none, each one, or each two.
    subjects = list(combinations(range(len(draw.systems)), SYSTEMS[facet]))
    draw.random.shuffle(subjects)
    # The one with the fewest pairs comes next.
    waiting = [(0, order, subject) for order, subject in enumerate(subjects)]
    drawn = 0
    while drawn < count:
        if not waiting:
            raise NotEnoughPairs(facet, count, drawn)
        number, order, subject = heappop(waiting)
        pair = _draw_pair(draw, facet, subject)
        if pair is None:
            continue
        draw.pairs.append(pair)
        drawn += 1
        heappush(waiting, (number + 1, order, subject))


def _draw_pair(draw: _Draw, facet: str, subject: tuple[int, ...]) -> DrawnPair | None:
    """A pair of the clip with the fewest pairs that has one left."""
    passed = []
    try:
        while draw.heap:
            uses, _, at = heappop(draw.heap)
            pair = _pair_of(draw, facet, subject, draw.clips[at])
            passed.append((uses + (pair is not None), at))
            if pair is not None:
                return pair
    finally:
        for uses, at in passed:
            draw.put_back(uses, at)
    return None


def _pair_of(
    draw: _Draw, facet: str, subject: tuple[int, ...], clip: DrawableClip
) -> DrawnPair | None:
    for sides in _candidates(draw, facet, subject, clip):
        key = pair_key(clip.position, [text for text, _ in sides])
        if key in draw.taken or len(key[1]) < 2 or "" in key[1]:
            continue
        draw.taken.add(key)
        (one, of_one), (other, of_other) = draw.random.sample(sides, 2)
        return DrawnPair(clip.position, facet, (one, other), (of_one, of_other))
    return None


_Side = tuple[str, dict[str, Any]]


def _candidates(
    draw: _Draw, facet: str, subject: tuple[int, ...], clip: DrawableClip
) -> Iterator[list[_Side]]:
    """Pairs of a clip in an order at random; equal captions may be among them."""
    machines: list[_Side] = [(clip.captions[at], {"system": draw.systems[at]}) for at in subject]
    if facet == "MM":
        yield machines
        return
    # A reference is scored against the others: there must be one.
    if len(set(clip.references)) < 2:
        return
    people = _people(clip)
    draw.random.shuffle(people)
    if facet == "HC":
        yield from ([one, other] for one, other in combinations(people, 2))
    elif facet == "HM":
        yield from ([person, *machines] for person in people)
    else:
        yield from ([person, other] for person in people for other in _of_others(draw, clip))


def _people(clip: DrawableClip) -> list[_Side]:
    return [
        (text, {"clip": clip.position, "reference": number})
        for number, text in enumerate(clip.references)
    ]


def _of_others(draw: _Draw, clip: DrawableClip) -> Iterator[_Side]:
    """References of other clips that no reference of this clip equals."""
    own = {folded(text) for text in clip.references}
    for _ in range(_TRIES):
        other = draw.random.choice(draw.clips)
        side = draw.random.choice(_people(other))
        if other.position != clip.position and folded(side[0]) not in own:
            yield side
