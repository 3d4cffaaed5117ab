"""Count findings in AudioCaps' training captions by kind, and draw those that somebody reads.

    python -m tests.bench.bench_findings [--sample FOLDER --seed 1] [--kinds all] [--file FILE]
    python -m tests.bench.bench_findings --slips --file clotho/clotho_development.csv.gz

With --sample a table of 50 findings of each kind, drawn with the seed, and one of 200
captions drawn with it, are written into the folder, to be judged by the rules of
docs/measurements/data-sets.md. They hold captions: keep them out of the repository.

With --slips the words of ten captions or more are typed wrong in every way of two kinds, and what
is found of that is counted: a letter typed twice, one of two equal letters left out.
"""

import argparse
import csv
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from earmark.datasets.findings import (
    DEFAULT_KINDS,
    KINDS,
    CheckedCaptions,
    CheckFinding,
    check_captions,
)
from earmark.datasets.findings.captions_file import read_captions_file
from earmark.datasets.findings.dictionary import is_common, is_english
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say

SAMPLE = 50
READ = 200
COMMON = 10


def main() -> None:
    """Read the options, look for findings, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--file", type=Path, default=Path("audiocaps/train.csv.gz"))
    parser.add_argument("--kinds", default="all", help="names with commas (default: all)")
    parser.add_argument("--sample", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slips", action="store_true")
    options = parser.parse_args()
    path = options.data / options.file
    stop_without(path)
    captions = read(path)
    if options.slips:
        slips_found(captions)
        return
    findings = found(captions, options.kinds.split(","))
    table(findings, captions)
    if options.sample is not None:
        options.sample.mkdir(parents=True, exist_ok=True)
        draw(findings, captions, options.sample, options.seed)


def slips_found(captions: CheckedCaptions) -> None:
    """Type common words wrong, and print how many of the slips are found."""
    counts = captions.word_counts
    words = [word for word in counts if counts[word] >= COMMON and word.isalpha() and len(word) > 3]
    doubled = {word[:at] + word[at - 1 :] for word in words for at in range(1, len(word) + 1)}
    dropped = {
        word[:at] + word[at + 1 :]
        for word in words
        for at in range(1, len(word))
        if word[at] == word[at - 1]
    }
    for name, slips in (("a letter typed twice", doubled), ("one of two left out", dropped)):
        found = [slip for slip in slips if not is_english(slip)]
        say(f"{name}: {len(found):,} of {len(slips):,} found, {len(found) / len(slips):.3f}")
        common = sum(is_common(slip) for slip in slips.difference(found))
        say(f"  of those not found, {common:,} are words of a dictionary")


def read(path: Path) -> CheckedCaptions:
    """The captions of a file."""
    reading = read_captions_file(path)
    if reading.value is None:
        raise SystemExit(f"{path}: {reading.errors[0]}")
    return CheckedCaptions(reading.value)


def found(captions: CheckedCaptions, kinds: Sequence[str]) -> list[CheckFinding]:
    """All findings; says how long they took."""
    began = time.process_time()
    findings = list(check_captions(captions, kinds=kinds))
    took = time.process_time() - began
    say(f"{len(captions.captions):,} captions, {took:.0f} s of processor time")
    return findings


def table(findings: Sequence[CheckFinding], captions: CheckedCaptions) -> None:
    """Print the number of findings of each kind, and of captions that have one."""
    counts = Counter(one.kind for one in findings)
    with_one = {kind: {one.caption for one in findings if one.kind == kind} for kind in counts}
    suggested = Counter(one.kind for one in findings if one.suggestions)
    say("| kind | on by default | findings | captions with one | with a suggestion |")
    say("|---|---|---:|---:|---:|")
    for kind in KINDS:
        if kind in counts:
            on = "yes" if kind in DEFAULT_KINDS else "no"
            of = f"{len(with_one[kind]):,} | {suggested[kind]:,}"
            say(f"| `{kind}` | {on} | {counts[kind]:,} | {of} |")
    to_look_at = {one.caption for one in findings if one.kind in DEFAULT_KINDS}
    say(f"Captions with a finding of a default kind: {len(to_look_at):,}")
    others = {one.caption for one in findings if one.kind in {*DEFAULT_KINDS} - {"length"}}
    say(f"Of these, with another than of length: {len(others):,}")


def draw(
    findings: Sequence[CheckFinding], captions: CheckedCaptions, folder: Path, seed: int
) -> None:
    """Write 50 findings of each kind, and 200 captions."""
    for kind in KINDS:
        of_kind = [one for one in findings if one.kind == kind]
        drawn = Random(f"{seed} {kind}").sample(of_kind, min(SAMPLE, len(of_kind)))
        with (folder / f"{kind}-{seed}.tsv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, delimiter="\t")
            rows.writerows(
                (number, one.text, " | ".join(one.suggestions), one.caption.text)
                for number, one in enumerate(drawn, 1)
            )
    of_set = Random(f"{seed} captions").sample(captions.captions, READ)
    lines = [f"{number}\t{one.text}\n" for number, one in enumerate(of_set, 1)]
    (folder / f"captions-{seed}.tsv").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
