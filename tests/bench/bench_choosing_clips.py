"""Choose clips from a made pool, and compare with the best of many random subsets.

    python -m tests.bench.bench_choosing_clips [--pool 50000] [--tags 8000] [--count 5000]
        [--subsets 1000000] [--seed 0]

No real pool with tags is at hand, so that one is made: each clip has one of 200 topics and
about seven tags (geometric, at most 30) drawn by its topic's own weights, which are Zipf's law
over all tags times gamma noise. As in sound collections a few tags are on a large part of the
clips, half of them on ten clips or fewer, and tags come together. Times are those of the
processor; both searches use one core. Random subsets are drawn and counted with numpy.
"""

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from earmark.datasets.choosing import (
    ChoiceRequest,
    ClipPool,
    PoolClip,
    choose_clips,
    tag_entropy,
)
from tests.bench.output import say

TOPICS = 200
MEAN_TAGS, MOST_TAGS = 7, 30


def main() -> None:
    """Read the options, make the pool, search in both ways."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", type=int, default=50_000)
    parser.add_argument("--tags", type=int, default=8_000)
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--subsets", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    tags_of = made_tags(options.pool, options.tags, generator)
    seconds = chosen(tags_of, options.count, options.seed)
    drawn(tags_of, options.count, options.subsets, seconds, generator)


def made_tags(clips: int, tags: int, generator: np.random.Generator) -> list[NDArray[np.int64]]:
    """The tags of each clip, by number."""
    zipf = 1 / np.arange(1, tags + 1)
    weights = generator.gamma(0.3, 1, (TOPICS, tags)) * zipf
    chances = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
    sizes = np.clip(generator.geometric(1 / MEAN_TAGS, clips), 1, MOST_TAGS)
    owners = np.repeat(np.arange(clips), sizes)
    topics = generator.integers(0, TOPICS, clips)[owners]
    draws = generator.random(len(owners))
    found = np.empty(len(owners), dtype=np.int64)
    for topic in range(TOPICS):
        here = topics == topic
        found[here] = np.searchsorted(chances[topic], draws[here])
    pairs = np.unique(owners * tags + np.minimum(found, tags - 1))
    counts = np.bincount(pairs // tags, minlength=clips)
    return np.split(pairs % tags, np.cumsum(counts)[:-1])


def chosen(tags_of: list[NDArray[np.int64]], count: int, seed: int) -> float:
    """Choose clips, say how good each step is and when; returns the seconds that it took."""
    pool = ClipPool(
        tuple(
            PoolClip(number + 2, f"{number}.wav", tuple(map(str, tags.tolist())))
            for number, tags in enumerate(tags_of)
        )
    )
    began = time.process_time()

    def tell(step: str, entropy: float) -> None:
        say(f"{step:12} {entropy:.4f} bits after {time.process_time() - began:6.1f} s")

    found = choose_clips(pool, ChoiceRequest(count, seed=seed), tell)
    took = time.process_time() - began
    say(
        f"{count:,} of {len(pool):,} clips, {found.covered:,} of {found.tags:,} tags:"
        f" {found.entropy:.4f} bits; the pool {found.pool_entropy:.4f},"
        f" at most {found.entropy_limit:.4f}"
    )
    return took


def drawn(
    tags_of: list[NDArray[np.int64]],
    count: int,
    subsets: int,
    seconds: float,
    generator: np.random.Generator,
) -> None:
    """Say the best of random subsets: of those of the same time, and of all."""
    flat = np.concatenate(tags_of)
    sizes = np.array([len(tags) for tags in tags_of])
    starts = np.cumsum(sizes) - sizes
    best, in_time, began = 0.0, False, time.process_time()
    for number in range(1, subsets + 1):
        clips = generator.choice(len(sizes), count, replace=False, shuffle=False)
        ends = np.cumsum(sizes[clips])
        places = np.repeat(starts[clips] - ends + sizes[clips], sizes[clips])
        best = max(best, tag_entropy(np.bincount(flat[places + np.arange(ends[-1])])))
        took = time.process_time() - began
        if (took >= seconds and not in_time) or number == subsets:
            say(f"best of {number:9,} random subsets: {best:.4f} bits after {took:6.1f} s")
            in_time = True


if __name__ == "__main__":
    main()
