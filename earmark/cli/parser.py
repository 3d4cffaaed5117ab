"""The commands, their help and their exit codes."""

import argparse
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from earmark import __version__
from earmark.cli import (
    benchmark,
    compare,
    fluency,
    graph,
    label,
    metrics,
    score,
    sounds,
    train,
    tricks,
    validate,
)
from earmark.cli.files import MISUSED, Misuse
from earmark.errors import ScoringError
from earmark.runtime import share_memory_pools

_INTERRUPTED = 130
COMMANDS = (
    *(validate, score, compare, metrics, benchmark, tricks),
    *(fluency, graph, label, train, sounds),
)

PROG = "python -m earmark"
DESCRIPTION = "Score audio captions with every metric of the field, without Java."
_EXAMPLES = """\
examples:
  {prog} validate --references clotho.csv --candidates mine.csv
  {prog} score --references clotho.csv --candidates mine.csv
  {prog} score -r clotho.csv -c mine.csv --metrics meteor,cider_d --per-clip clips.csv
  {prog} score -r clotho.csv -c mine.csv --details details.jsonl
  {prog} compare -r clotho.csv -c mine.csv baseline.csv --metrics fense,cider_d
  {prog} metrics
  {prog} benchmark --judgments audiocaps_eval.json --metrics bleu_1,sbert_sim
  {prog} fluency mine.csv
  {prog} label mine.csv
  {prog} sounds made --clips 600

files:
  CSV with commas or tabs, JSON or JSONL, in UTF-8.
  candidates:  file_name,caption_predicted (or caption_predicted_1..k)
  references:  file_name,caption_1..n, or AudioCaps' youtube_id and caption
  A clip is found in spite of HTML entities or spaces around its name.
"""
_EXIT_CODES = """\
exit codes:
  0  done (warnings may have been printed)
  1  the files have errors; each is printed with its line and what to do
  2  wrong arguments, or a file that cannot be read or written
  3  scored, but a metric was unavailable; it is named with its reason
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command of ``python -m earmark``; returns its exit code."""
    return run_command(build_parser, arguments)


def run_command(
    make_parser: Callable[[], argparse.ArgumentParser], arguments: Sequence[str] | None
) -> int:
    """Run the ``run`` that the parser finds in the arguments; returns the exit code."""
    _print_anything()
    _collect_seldom()
    _wait_asleep()
    share_memory_pools()
    try:
        parsed = make_parser().parse_args(arguments)
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else MISUSED
    except (Misuse, ScoringError) as error:
        sys.stderr.write(f"error: {error}\n")
        return MISUSED
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has gone (as with "| head"); a second failure at exit
        # would only add noise.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _print_anything() -> None:
    """Escape what a terminal cannot show, as file names may hold any character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _collect_seldom() -> None:
    """Look for unused cycles a hundred times less often than Python would.

    Scoring makes hundreds of thousands of small objects that live to the end and
    form no cycles; walking through them again and again is a sixth of the time.
    """
    gc.set_threshold(70_000, 10, 10)


def _wait_asleep() -> None:
    """Let torch's threads sleep while they wait for each other, unless set otherwise.

    Awake, as they would by default, they take several times as long where other
    processes want the same cores. Read when torch is imported, which is later.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def build_parser() -> argparse.ArgumentParser:
    """Make the parser with its commands."""
    parser = argparse.ArgumentParser(
        prog=PROG,
        description=DESCRIPTION,
        epilog=f"{examples(PROG)}\n{_EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"earmark scoring {__version__}")
    add_commands(parser.add_subparsers(title="commands", metavar="COMMAND", required=True))
    return parser


def examples(prog: str) -> str:
    """Examples of a program that has the commands of this package, and what its files are."""
    return _EXAMPLES.format(prog=prog)


def add_commands(commands: Any) -> None:
    """Add every command of this package to a parser's commands."""
    for command in COMMANDS:
        command.add_command(commands)
