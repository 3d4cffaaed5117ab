"""``simulate intervals``: coverage of intervals and level of paired tests, as tables."""

import argparse
import sys
from collections.abc import Collection, Iterable
from dataclasses import astuple
from typing import Any

from scoring.cli.files import Misuse, command_parser

_DESCRIPTION = """\
Simulate how often 95 % intervals hold the true value, and how often paired tests find two systems
different that are equal (level) and that are not (power): for 20 to 1,045 clips, and scores of
the shapes that metrics have. Prints tables in Markdown; docs/measurements/intervals.md has those
of one run."""


def add_subject(subjects: Any) -> None:
    """Add ``intervals`` to the subjects of ``simulate``."""
    parser = command_parser(subjects, "intervals", "intervals and paired tests", _DESCRIPTION)
    parser.add_argument("--corpora", type=int, default=4000, help="corpora for each row")
    parser.add_argument("--resamples", type=int, default=2000, help="draws of clips for each test")
    parser.add_argument("--seed", type=int, default=1, help="seed of all draws")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Simulate, print, and return the exit code."""
    from scoring.statistics import simulation

    corpora, seed = parsed.corpora, parsed.seed
    if corpora < 1 or parsed.resamples < simulation.FEWEST_RESAMPLES:
        fewest = simulation.FEWEST_RESAMPLES
        raise Misuse(f"Give at least 1 corpus and {fewest} resamples.")
    _print(
        "Share of corpora whose interval holds the true rate",
        ("clips", "rate", "jackknife", "Wilson", "ours"),
        map(astuple, simulation.rate_coverage(corpora * 10, seed)),
    )
    _print(
        "Share of corpora whose jackknife interval holds the true corpus value",
        ("clips", "scores", "covered"),
        map(astuple, simulation.mean_coverage(corpora, seed)),
    )
    _print(
        "Share of corpora on which two systems differ, p < .05",
        (
            "clips",
            "scores",
            "equal: bootstrap",
            "equal: ours",
            "unequal: bootstrap",
            "unequal: ours",
            "interval holds the difference",
        ),
        map(astuple, simulation.paired_tests(corpora, parsed.resamples, seed)),
    )
    return 0


def _print(title: str, heads: Collection[str], rows: Iterable[tuple[Any, ...]]) -> None:
    lines = [title, "", _row(heads), _row("---" for _ in heads)]
    for clips, subject, *shares in rows:
        lines.append(_row([f"{clips:,}", subject, *(f"{share:.3f}" for share in shares)]))
    sys.stdout.write("\n".join(lines) + "\n\n")


def _row(cells: Iterable[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
