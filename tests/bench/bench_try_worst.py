"""Print what the most expensive texts that may be tried cost, in seconds of the processor.

OMP_NUM_THREADS=1 python -m tests.bench.bench_try_worst

One caption against ten references, each as long as the form allows, after the models are
loaded. The limit of seconds is lifted, so that the whole cost shows; in the web process what
is over ``MOST_PROCESSOR_SECONDS`` is given up. Run with EARMARK_VAR set to a folder of its own.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from unittest import mock

from tests.bench.bench_try_it import measured
from tests.bench.output import say

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

REFERENCES = 10


def words(of: Sequence[str], count: int, first: int = 0) -> str:
    """Repeat words up to a number of them, beginning at one."""
    return " ".join(islice(cycle(of), first, first + count))


def rare(letters: str, step: int, count: int, first: int = 0) -> str:
    """Words that no vocabulary has, each of several sub-words."""
    return " ".join(f"{letters[(at + first) % 4]}{at * step + first}q" for at in range(count))


def texts(most: int) -> Iterator[tuple[str, str, list[str]]]:
    """A name, a caption and its references, of at most so many words each."""
    turns = range(REFERENCES)
    yield "one word", words(["dog"], most), [words(["dog"], most - at) for at in turns]
    mark = "\u0301"
    yield "accents", "b" + mark * (most - 1), ["b" + mark * (most - 2 - at) for at in turns]
    dogs, hounds = ["dog", "hound", "dogs"], ["hound", "dogs", "dog"]
    yield "synonyms", words(dogs, most), [words(hounds, most, at) for at in turns]
    talk, speak = ["is", "talking", "to", "the"], ["speaks", "to", "a"]
    yield "paraphrases", words(talk, most), [words(speak, most, at) for at in turns]
    yield "rare words", rare("zxjk", 7, 99), [rare("wvyh", 9, 99, at) for at in turns]
    long = ["abcdefghij"[at] + "x" * 20 for at in range(10)]
    other = ["abcdefghij"[at] + "y" * 20 for at in range(10)]
    yield "long words", words(long, 23), [words(other, 23, at) for at in turns]
    emoji = "\U0001f415"
    yield "emoji", "a" + emoji * 499, ["b" + emoji * (499 - at) for at in turns]
    yield "semicolons", "; " * 249 + "a", ["; " * (248 - at) + "b" for at in turns]


def main() -> int:
    """Measure and print."""
    import django

    django.setup()
    from leaderboard.services.playground import computing
    from leaderboard.services.playground.texts import MOST_WORDS, example_texts, texts_read

    computing.playground_compute(example_texts())
    computing.playground_compute(example_texts("meteor"))
    no_limit = mock.patch.multiple(computing, MOST_SECONDS=1e9, MOST_PROCESSOR_SECONDS=1e9)
    for name, caption, references in texts(MOST_WORDS):
        cut = [text[:500].strip() for text in (caption, *references)]
        read, _ = texts_read(caption=cut[0], references=cut[1:])
        with no_limit:
            _, processor, families = measured(partial(computing.playground_compute, read))
        dear = sorted(families.items(), key=lambda pair: -pair[1])[:3]
        told = ", ".join(f"{family} {seconds:.2f}" for family, seconds in dear)
        say(f"{name}: {processor:.2f} s ({told})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
