"""One table of what scoring costs, in one run, beside other packages.

    make bench                                          # all but sizes
    python -m tests.bench.bench_performance [--repeats 3] [--parts submission,one,peers,card]
    python -m tests.bench.bench_performance --scale [--huge] --parts ""

Times one system of Clotho evaluation (1,045 clips, five references each) by every metric: as a
command, in a worker, with and without prepared references; one caption and 64; and the same
metrics by pycocoevalcap, aac-metrics, bert-score and sentence-transformers, with the largest
difference of any clip. Everything runs in processes of its own, one after another and again and
again, and medians are printed: seconds on the clock and of processors, the most memory, and both
times as multiples of what sentence-transformers' ``encode`` takes for the same captions.

``make bench-peers`` makes the interpreter that has the other packages (``--peers-python``).
"""

import argparse
import os
import platform
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.bench.performance import parts
from tests.bench.performance.captions import references_file, system_file
from tests.bench.performance.processes import use_processors
from tests.bench.performance.table import Section, as_markdown, as_text
from tests.real_data import ROOT

PARTS = ("submission", "one", "peers", "card")
PEERS = ROOT / "var" / "bench-peers" / "bin" / "python"


def main() -> None:
    """Measure and print."""
    options = read_options()
    stop_without(system_file(options.data))
    stop_without(references_file(options.data))
    options.data = options.data.resolve()
    use_processors(options.processors)
    begun = os.getloadavg()[0]
    sections = measured(options)
    say(
        f"Medians of {options.repeats}, {options.processors} processors, load {begun:.1f} before;"
        f" Python {platform.python_version()}, {platform.machine()}\n"
    )
    say(as_markdown(sections) if options.markdown else as_text(sections))


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--repeats", type=int, default=3, help="runs whose medians are printed")
    parser.add_argument("--processors", type=int, default=usable(), help="default: all")
    parser.add_argument("--parts", default=",".join(PARTS), help="names with commas between")
    parser.add_argument("--peers-python", type=Path, default=PEERS if PEERS.exists() else None)
    parser.add_argument("--peak-tflops", type=float, help="1e12 operations a second of the card")
    parser.add_argument("--scale", action="store_true", help="by clips and references as well")
    parser.add_argument("--huge", action="store_true", help="with 100,000 clips, for hours")
    parser.add_argument("--markdown", action="store_true", help="for a document")
    options = parser.parse_args()
    options.parts = [name for name in options.parts.split(",") if name]
    options.peers_python = options.peers_python or Path(sys.executable)
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"There is no part {unknown[0]!r}. Choose from: {', '.join(PARTS)}.")
    for name in ("repeats", "processors"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} is {getattr(options, name)}. Give 1 or more.")
    return options


def usable() -> int:
    """Processors that this process may use."""
    from earmark.runtime import usable_processors

    return usable_processors()


def measured(options: argparse.Namespace) -> list[Section]:
    """Every part that was asked for; the first is needed by those that follow."""
    from earmark.registry import standard_families

    sections: list[Section] = []
    with TemporaryDirectory() as folder:
        prepared = Path(folder)
        if {"submission", "peers", "card"} & set(options.parts):
            section, whole = parts.submission(options, prepared)
            sections += [section, parts.encoder(options, whole)]
        if "one" in options.parts:
            sections.append(parts.one(options, standard_families()))
        if "peers" in options.parts:
            sections.append(parts.peers(options, prepared, whole))
        if "card" in options.parts:
            sections.append(parts.card(options, prepared))
    if options.scale:
        sections.append(parts.scale(options))
    return sections


if __name__ == "__main__":
    main()
