"""Time parsing with spaCy's rules run on each caption, and with words looked up.

    OMP_NUM_THREADS=1 python -m tests.bench.bench_word_attributes [--captions 1000] [--repeats 3]

References of Clotho evaluation. Prints median seconds of the processor, each way of parsing in
turn, and how many tokens come out otherwise (none should). Words are new in every repetition.
"""

import argparse
import statistics
import time

from earmark.captions import read_references
from earmark.text.parse import parse
from earmark.text.parser import load_pipeline, normalise
from earmark.text.word_attributes import RULES, Attributes, WordAttributes
from earmark.workspace import Workspace
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.earmark.corpora import CLOTHO


def main() -> None:
    """Print both times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--captions", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    stop_without(options.data / CLOTHO)
    references = read_references((options.data / CLOTHO).read_bytes()).value
    if references is None:
        raise SystemExit(f"{CLOTHO} has faults; see python -m earmark validate")
    texts = [normalise(text) for text in dict.fromkeys(references.captions)][: options.captions]
    parse(texts, Workspace())  # loads
    ways = {"rules on each caption": by_rules, "words looked up": looked_up}
    times: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, list[Attributes]] = {}
    for _ in range(options.repeats):
        for name, way in ways.items():
            began = time.process_time()
            found[name] = way(texts)
            times[name].append(time.process_time() - began)
    for name, took in times.items():
        say(f"{name}: {statistics.median(took):.2f} s for {len(texts):,} captions")
    first, second = found.values()
    differ = sum(a != b for a, b in zip(first, second, strict=True))
    say(f"{differ:,} of {len(first):,} tokens differ")


def by_rules(texts: list[str]) -> list[Attributes]:
    """Attributes of all tokens, with all steps of spaCy's on each caption."""
    documents = load_pipeline().pipe(texts, batch_size=128)
    return [(t.lemma_.lower(), t.tag_, t.pos_, t.dep_) for one in documents for t in one]


def looked_up(texts: list[str]) -> list[Attributes]:
    """The same, rules run once for each word (none is known before)."""
    pipeline = load_pipeline()
    attributes = WordAttributes(pipeline)
    documents = list(pipeline.pipe(texts, batch_size=128, disable=RULES))
    return [found for one in attributes.of(documents) for found in one]


if __name__ == "__main__":
    main()
