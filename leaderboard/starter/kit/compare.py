"""Compare a system with captions that nobody listened for.

``python compare.py captions.csv references.csv`` compares it with the captions of other clips and
with the commonest caption. Differences are paired by clip, with the 95 % intervals and p-values of
the leaderboard's own comparison. Further files of captions are compared with the first as well.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from captions import words_of
from earmark import Scorer
from earmark.captions import ReadResult, References, read_candidates, read_references
from earmark.comparing import compare_scores

METRICS = ("fense", "cider_d")


def main() -> None:
    """Print each metric of the first file, and how much better it is than the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("captions", type=Path, help="the system's captions")
    parser.add_argument("references", type=Path, help="the references of the same clips")
    parser.add_argument("others", type=Path, nargs="*", help="captions of other systems")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    path = options.references
    references = known(read_references(path.read_bytes(), file_name=path.name), path)
    others = {str(other): captions_of(other, references) for other in options.others}
    others["captions of other clips"] = of_other_clips(references, options.seed)
    others["the commonest caption"] = commonest(references)
    scorer = Scorer(references, METRICS)
    own = scorer.score(captions_of(options.captions, references))
    print(own)
    for name, captions in others.items():
        print(f"A: {options.captions}, B: {name}")
        print(compare_scores(own, scorer.score(captions)))


def captions_of(path: Path, references: References) -> list[str]:
    """The first candidate of each clip, in the order of the references."""
    reading = read_candidates(path.read_bytes(), references, file_name=path.name)
    return list(known(reading, path).first)


def known(reading: ReadResult[Any], path: Path) -> Any:
    """What a file says; its errors end the program."""
    if reading.value is None:
        sys.exit("\n".join(f"{path}: {fault}" for fault in reading.errors))
    return reading.value


def of_other_clips(references: References, seed: int) -> list[str]:
    """For each clip a caption of another one; every clip is the other one once."""
    draw = random.Random(seed)  # noqa: S311
    order = list(range(len(references)))
    draw.shuffle(order)
    others = dict(zip(order, order[1:] + order[:1], strict=True))
    return [draw.choice(references.clips[others[place]].references) for place in range(len(order))]


def commonest(references: References) -> list[str]:
    """For every clip the commonest reference; of equally common ones, that of common words."""
    counts = Counter(" ".join(words_of(text)) for text in references.captions)
    words = Counter(word for text in counts for word in set(text.split()))

    def commonness(text: str) -> tuple[int, float]:
        listed = text.split()
        return counts[text], sum(words[word] for word in listed) / max(1, len(listed))

    return [max(counts, key=commonness)] * len(references)


if __name__ == "__main__":
    main()
