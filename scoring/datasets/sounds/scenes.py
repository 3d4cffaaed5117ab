"""Scenes of one or two sources, alone, at once or one after the other, each with five captions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from scoring.datasets.sounds.sources import RATE, SOURCES, Samples, Source

SHORTEST, LONGEST = 3.0, 6.0
TIMES = ("once", "twice", "three times", "four times")
# How sentences join clauses that are true of one sound, of two at once, of two in order.
ALONE = (
    "{a} in an otherwise quiet place",
    "{a} and no other sound can be heard",
    "{a} while everything else stays silent",
    "in a quiet place {a} and nothing more",
    "{a} with nothing else in the background",
)
AT_ONCE = (
    "{a} while {b}",
    "{b} while {a}",
    "{a} and meanwhile {b}",
    "{b} as {a}",
    "both at once, {a} and {b}",
)
IN_ORDER = (
    "{a}, and then {b}",
    "first {a}, then {b}",
    "{b} after {a}",
    "{a} before {b}",
    "at first {a}, and later {b}",
)


@dataclass(frozen=True, slots=True)
class MadeSound:
    """A sound with its name, samples from -1 to 1 at ``RATE``, tags, and five true captions."""

    file_name: str
    samples: Samples
    tags: tuple[str, ...]
    captions: tuple[str, ...]

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / RATE


def make_sounds(count: int, *, seed: int = 0) -> Iterator[MadeSound]:
    """Give ``count`` sounds, the same for the same seed, each when it is asked for.

    Ways of sounding and sources take turns, so that a few sounds have most of them. A sound does
    not depend on how many are made after it.
    """
    if count < 0 or seed < 0:
        raise ValueError(f"Count and seed must be 0 or more, not {count} and {seed}.")
    order = np.random.default_rng(seed)
    singles = order.permutation(len(SOURCES))
    pairs = order.permutation(np.array(list(permutations(range(len(SOURCES)), 2))))
    for number in range(count):
        draw = np.random.default_rng((seed, number))
        turn, way = divmod(number, 3)
        if way == 0:
            chosen = [SOURCES[singles[turn % len(singles)]]]
        else:
            # Half of the pairs apart, so that overlaps and orders are of other pairs.
            place = (turn + (way - 1) * len(pairs) // 2) % len(pairs)
            chosen = [SOURCES[one] for one in pairs[place]]
        yield _sound(draw, number, chosen, at_once=way == 1)


def _sound(
    draw: np.random.Generator, number: int, sources: list[Source], *, at_once: bool
) -> MadeSound:
    count = int(draw.uniform(SHORTEST, LONGEST) * RATE)
    times = [int(draw.integers(1, len(TIMES) + 1)) for _ in sources]
    if len(sources) == 1:
        sentences, samples = ALONE, _part(draw, sources[0], count, times[0])
    elif at_once:
        sentences = AT_ONCE
        parts = [_part(draw, *one) for one in zip(sources, (count, count), times, strict=True)]
        samples = (parts[0] + parts[1]) / 2
    else:
        sentences = IN_ORDER
        lengths = (count // 2, count - count // 2)
        samples = np.concatenate(
            [_part(draw, *one) for one in zip(sources, lengths, times, strict=True)]
        )
    clauses = [_clauses(draw, *one) for one in zip(sources, times, strict=True)]
    captions = [
        _sentence(sentence, [own[place] for own in clauses])
        for place, sentence in enumerate(sentences)
    ]
    return MadeSound(
        file_name=f"sound_{number + 1:03}.wav",
        samples=0.8 * samples,
        tags=tuple(source.tag for source in sources),
        captions=tuple(captions[place] for place in draw.permutation(len(captions))),
    )


def _part(draw: np.random.Generator, source: Source, count: int, times: int) -> Samples:
    """A source for so many samples, without a click at either end."""
    samples = source.sounding(draw, count, times)
    edge = np.linspace(0, 1, RATE // 100)
    samples[: len(edge)] *= edge
    samples[-len(edge) :] *= edge[::-1]
    return samples


def _clauses(draw: np.random.Generator, source: Source, times: int) -> list[str]:
    chosen = draw.permutation(len(source.clauses))
    return [source.clauses[place].format(times=TIMES[times - 1]) for place in chosen]


def _sentence(sentence: str, clauses: list[str]) -> str:
    text = sentence.format(**dict(zip("ab", clauses, strict=False)))
    return f"{text[0].upper()}{text[1:]}."
