"""The captions that are scored: those of published systems, mixtures of them, and made-up ones."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from earmark.captions import Candidates, References
from tests.bench.bench_families import DOES, WHERE, WHILE, WHO
from tests.earmark.corpora import CLOTHO, SYSTEMS

# Scored in a worker before the others; timed everywhere; another of them.
BEFORE, TIMED, OTHER = SYSTEMS
SEED = 18

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WHEN = ("", *(f" on a {day} {part}" for day in _DAYS for part in ("morning", "evening")))
_AFTER = ("", " and stops", " again", " once more", " for a while", " and fades away", " far off")
_PARTS = (WHO, DOES, WHERE, WHILE, _AFTER, _WHEN)
MADE_UP = math.prod(map(len, _PARTS))
# Has no factor in common with their number, so that all come before one comes again.
_STEP = 1_000_003


def system_file(data: Path, system: str = TIMED) -> Path:
    """The file of a system's captions."""
    return data / "systems" / f"{system}.csv"


def references_file(data: Path) -> Path:
    """The file of Clotho evaluation's references."""
    return data / CLOTHO


def mixtures(systems: Sequence[Candidates], count: int) -> list[Candidates]:
    """Systems whose captions begin as one of the given ones has them and end as any clip's.

    Nearly all of their captions are new, as those of another submission would be.
    """
    draw = random.Random(SEED)
    ends = [caption for system in systems for caption in system.first]
    return [
        Candidates.single([
            crossed(draw.choice(systems).first[clip], draw.choice(ends))
            for clip in range(len(systems[0]))
        ])
        for _ in range(count)
    ]  # fmt: skip


def with_a_tenth_changed(system: Candidates, other: Candidates) -> Candidates:
    """A system in which every tenth caption ends as another system has it."""
    return Candidates.single(
        [
            crossed(said, other.first[clip]) if clip % 10 == 0 else said
            for clip, said in enumerate(system.first)
        ]
    )


def crossed(first: str, second: str) -> str:
    """The first half of one caption's words and the second half of another's.

    >>> crossed("a dog barks loudly", "rain falls on roofs")
    'a dog on roofs'
    """
    begin, end = first.split(), second.split()
    return " ".join([*begin[: (len(begin) + 1) // 2], *end[(len(end) + 1) // 2 :]])


def distinct(*sides: Sequence[str]) -> list[str]:
    """Every caption once."""
    return list(dict.fromkeys(itertools.chain(*sides)))


def made_up(clips: int, references: int) -> tuple[Candidates, References]:
    """Captions and references of so many clips; none comes twice before ``MADE_UP`` of them."""
    drawn = _made_up()
    told = References.build(
        (f"{clip}.wav", list(itertools.islice(drawn, references))) for clip in range(clips)
    )
    return Candidates.single(list(itertools.islice(drawn, clips))), told


def _made_up() -> Iterator[str]:
    for number in itertools.count():
        left, words = number * _STEP % MADE_UP, []
        for part in _PARTS:
            left, place = divmod(left, len(part))
            words.append(part[place])
        yield " ".join(words[:4]) + words[4] + words[5]
