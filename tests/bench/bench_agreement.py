"""How long agreement and the board of adjudication take.

    python -m tests.bench.bench_agreement [--captions 2000]

Made-up captions of 12 words by two people of whom the second copies four words in five.
Prints the median of five runs of each part.
"""

import argparse
import time
from collections.abc import Callable
from random import Random
from statistics import median

from annotation.agreement.captions import Caption, Labelling, disputes_of
from annotation.agreement.measures import alpha_of_all, pair_agreement, trend_of
from annotation.agreement.tables import either_counts

NAMES = (*(f"LABEL_{number}" for number in range(12)), "O")
WORDS = 12


def made_up(captions: int) -> list[Caption]:
    """Make captions on which two people mostly agree."""
    random = Random(1)
    return [_caption(number, random) for number in range(captions)]


def _caption(number: int, random: Random) -> Caption:
    ann = [random.choice(NAMES) for _ in range(WORDS)]
    bob = [label if random.random() < 0.8 else random.choice(NAMES) for label in ann]
    said = {
        name: Labelling(
            tuple(labels),
            frozenset((at, at, label) for at, label in enumerate(labels) if label != "O"),
        )
        for name, labels in (("ann", ann), ("bob", bob))
    }
    return Caption(number, tuple(f"word{at}" for at in range(WORDS)), said)


def _timed(name: str, run: Callable[[], object]) -> None:
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    print(f"{name:40} {1000 * median(taken):7.0f} ms")  # noqa: T201


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captions", type=int, default=2000)
    captions = made_up(parser.parse_args().captions)
    pair = ("ann", "bob")
    _timed("all measures of a pair, with intervals", lambda: pair_agreement(captions, *pair, NAMES))
    _timed("alpha, with its interval", lambda: alpha_of_all(captions, NAMES))
    _timed("trend, 50 captions a point", lambda: trend_of(captions, NAMES, pair=pair))
    _timed("captions by dispute", lambda: disputes_of(captions))
    _timed("words of any two people", lambda: either_counts(captions, NAMES))


if __name__ == "__main__":
    main()
