"""What Earmark's processes are seen at.

    python -m tests.bench.shares --spy py-spy [--data FOLDER]

One system of Clotho evaluation by every metric, as a command: with nothing prepared, and again
with its references prepared. py-spy notes a hundred times a second where each thread stands that
does not wait, which slows them; two that compute count twice.
"""

import argparse
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.bench.performance.captions import references_file, system_file
from tests.real_data import ROOT


def main() -> None:
    """Read the command line, and score twice."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--spy", metavar="PROGRAM", required=True, help="py-spy")
    options = parser.parse_args()
    stop_without(references_file(options.data))
    with TemporaryDirectory() as folder:
        for title in ("nothing prepared", "references prepared"):
            stacks = Path(folder) / title
            score = [
                *(sys.executable, "-m", "earmark", "score", "--metrics", "all", "--device", "cpu"),
                *("--references", str(references_file(options.data))),
                *("--candidates", str(system_file(options.data))),
                *("--details", f"{folder}/details.jsonl", "--json", f"{folder}/scores.json"),
                *("--cache", f"{folder}/cache"),
            ]
            command = [*recording(options.spy, stacks), "--", *score]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            say(title)
            tell(stacks)


# Where a thread stands that waits; its stack is not counted.
WAITING = re.compile(
    r"\((threading|queue|leaderboard/parent_watch|(billiard|celery|kombu)/\S+)\.py:\d+\)$"
)
# What a stack is counted as: the first of these with a word that a file of it has.
SHARES = {
    "imports": ("<frozen importlib",),
    "networks": ("(earmark/models/",),
    "parsing": ("(earmark/text/", "spacy/"),
    "METEOR": ("metrics/meteor/",),
    "n-grams": ("metrics/bleu/", "metrics/rouge_l/", "metrics/cider_d/", "metrics/vocab/"),
    "other metrics": ("(earmark/metrics/",),
    "statistics and details": ("(earmark/",),
    "details, packed": ("(leaderboard/models/evaluation.py",),
    "the site: reading, storing, ranks": ("(leaderboard/",),
    "other": ("",),
}


@contextmanager
def spied(program: str | None, group: int, stacks: Path) -> Iterator[None]:
    """Tell the shares of what the processes of a worker are seen at meanwhile."""
    if program is None:
        yield
        return
    spy = subprocess.Popen(
        [*recording(program, stacks), "--pid", str(group)], stdout=subprocess.DEVNULL
    )
    yield
    spy.send_signal(signal.SIGINT)
    spy.wait()
    tell(stacks)


def recording(program: str, stacks: Path) -> list[str]:
    """The command that notes stacks of a process and of those that it starts."""
    return [program, "record", "--subprocesses", "--format", "raw", "--output", str(stacks)]


def tell(stacks: Path) -> None:
    """Print the shares of stacks that were noted."""
    seen: Counter[str] = Counter()
    for line in stacks.read_text().splitlines():
        frames, _, count = line.rpartition(" ")
        if WAITING.search(frames):
            continue
        kind = next(kind for kind, names in SHARES.items() if any(name in frames for name in names))
        seen[kind] += int(count)
    for kind, samples in seen.most_common():
        say(f"  {samples / seen.total():.0%} {kind}")


if __name__ == "__main__":
    main()
