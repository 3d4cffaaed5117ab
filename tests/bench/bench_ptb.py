"""Compare the PTB tokens with Java's, on the lines of a file or on all of AudioCaps.

Needs Java and the jar that pycocoevalcap brings. Run from the root of the project:

    python -m tests.bench.bench_ptb                 # every distinct AudioCaps caption
    python -m tests.bench.bench_ptb captions.txt    # one caption a line

Writes each caption whose tokens differ, with both, then how many differ and the captions per
second of the Python tokeniser. The captions go to Java as one stream, as COCO's evaluation sends
them, so an initial at the end of a line can differ by its stop where the next line starts a
sentence.
"""

import argparse
import csv
import gzip
import io
import sys
import time
from pathlib import Path

from earmark.text.ptb import tokenize
from tests.bench.coco import java_tokens, java_version
from tests.bench.data import add_data_argument, stop_without

AUDIOCAPS = ("train.csv.gz", "val.csv", "test.csv")


def audiocaps(data: Path) -> list[str]:
    """The distinct captions of AudioCaps in their order."""
    captions: dict[str, None] = {}
    for name in AUDIOCAPS:
        path = data / "audiocaps" / name
        stop_without(path)
        raw = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
        rows = csv.DictReader(io.StringIO(raw.decode("utf-8"), newline=""))
        captions |= dict.fromkeys(row["caption"] for row in rows)
    return [text for text in captions if text.strip()]


def main() -> None:
    """Read the captions, run both and report."""
    parser = argparse.ArgumentParser(description="Compare the PTB tokens with Java's.")
    parser.add_argument("captions", type=Path, nargs="?", help="text file, one caption a line")
    add_data_argument(parser)
    parsed = parser.parse_args()
    if parsed.captions is None:
        captions = audiocaps(parsed.data)
    else:
        lines = parsed.captions.read_text(encoding="utf-8").split("\n")
        captions = [line for line in lines if line.strip()]
    started = time.perf_counter()
    ours = [" ".join(tokenize(caption)) for caption in captions]
    rate = len(captions) / (time.perf_counter() - started)
    if java_version() is None:
        sys.stdout.write(f"Not compared: no Java. {rate:.0f} captions a second\n")
        return
    told = java_tokens({number: [caption] for number, caption in enumerate(captions)})
    different = 0
    for number, (caption, here) in enumerate(zip(captions, ours, strict=True)):
        if here != told[number][0]:
            different += 1
            sys.stdout.write(f"{caption!a}\n  here {here!a}\n  Java {told[number][0]!a}\n")
    sys.stdout.write(f"{different} of {len(captions)} differ; {rate:.0f} captions a second\n")


if __name__ == "__main__":
    main()
