"""Time one caption, and 64, by a ``Scorer`` whose references are prepared and models loaded.

    OMP_NUM_THREADS=1 taskset -c 0 python -m tests.bench.bench_library [--clips 1045] [--repeats 30]

Made-up captions, five references a clip. Prints the median of each metric family in milliseconds of
processor time: one caption by its clip (``score_one``), a batch of 64 clips
(``score(..., clips=)``), and both as multiples of what sentence-transformers takes to encode the
same texts in the same process. Captions are never the same twice.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from earmark.models.encoder import find_encoder
from earmark.registry import METRICS, standard_families
from earmark.scorer import Scorer
from tests.bench.bench_families import DOES, WHERE, WHILE, WHO
from tests.bench.output import say

BATCH = 64
ENCODE = "encode"
SENTENCES = tuple(map(" ".join, itertools.product(WHO, DOES, WHERE, WHILE)))
ENDINGS = ("", " and stops", " again", " once more", " for a while", " and fades away")


def main() -> None:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--families", default="", help="names with commas between (default: all)")
    parsed = parser.parse_args()
    families = parsed.families.split(",") if parsed.families else standard_families()
    say(f"{'':16} {'one, ms':>9} {'/ encode':>9} {f'{BATCH}, ms':>9} {'/ encode':>9}")
    encode = (1.0, 1.0)
    for name, took in family_costs(parsed.clips, parsed.repeats, families):
        encode = took if name == ENCODE else encode
        say(line(name, took, encode))


def family_costs(
    clips: int, repeats: int, families: Sequence[str]
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Median seconds of one caption and of a batch: of ``encode`` first, then of families."""
    drawn = itertools.cycle(SENTENCES)
    references = [list(itertools.islice(drawn, 5)) for _ in range(clips)]
    encode_one(captions(1))  # loads
    yield ENCODE, (median(encode_one, repeats), median(encode_batch, repeats))
    for family in families:
        names = [name for name, info in METRICS.items() if info.family == family]
        scorer = Scorer(references, names, device="cpu")
        scorer.score(captions(clips))  # prepares and loads
        yield (
            family,
            (
                median(lambda texts: scorer.score_one(texts[0], 7), repeats),  # noqa: B023
                median(
                    lambda texts: scorer.score(texts, clips=range(len(texts))),  # noqa: B023
                    repeats,
                    size=BATCH,
                ),
            ),
        )


_fresh = (f"{sentence}{end}" for end in itertools.cycle(ENDINGS) for sentence in SENTENCES)


def captions(count: int) -> list[str]:
    """Captions that have not been scored before."""
    return list(itertools.islice(_fresh, count))


def median(run: Callable[[list[str]], object], repeats: int, size: int = 1) -> float:
    """Median seconds of a call with ``size`` new captions."""
    times = []
    for texts in [captions(size) for _ in range(repeats)]:
        began = time.process_time()
        run(texts)
        times.append(time.process_time() - began)
    return statistics.median(times)


def encode_one(texts: Sequence[str]) -> None:
    """Encode a caption as sentence-transformers does."""
    _sentence_transformer().encode(list(texts), show_progress_bar=False)


@cache
def _sentence_transformer() -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(find_encoder().folder), device="cpu")


def encode_batch(_: Sequence[str]) -> None:
    """Encode a batch of captions."""
    encode_one(captions(BATCH))


def line(name: str, took: tuple[float, float], encode: tuple[float, float]) -> str:
    """A row of the table."""
    cells = (
        f"{seconds * 1000:9.2f} {seconds / base:9.2f}"
        for seconds, base in zip(took, encode, strict=True)
    )
    return f"{name:16} {' '.join(cells)}"


if __name__ == "__main__":
    main()
