"""``benchmark``: how often metrics agree with people."""

import argparse
import json
import math
from hashlib import sha256
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from earmark.cli.files import (
    INCOMPLETE,
    STDOUT,
    check_outputs,
    command_parser,
    read_file,
    write_text,
)
from earmark.cli.metric_runs import (
    add_run_arguments,
    figures_table,
    model_parameters,
    print_unavailable,
    run_workspace,
)
from earmark.metric_sets import metric_names
from earmark.registry import families_of

if TYPE_CHECKING:
    from earmark.benchmark import Accuracy, MetricPreferences

_NARROWEST = 110  # a table that is cut says nothing

_DESCRIPTION = """\
Compare metrics with human judgments (AudioCaps-Eval, Clotho-Eval): the share of pairs, in per
cent, that a metric orders as people did. A tie is wrong. HC: two human captions of the clip,
HI: the second is of another clip, HM: the second is a machine's, MM: two machines'. Intervals
are of 95 % and know that pairs of one clip belong together.
"all" leaves out fer (it says yes or no, so that nearly all pairs tie), vocab (it counts the
words of a corpus) and spider_max (a judged caption has no other candidates beside it); each
can be named.
aces takes the best of the references here, as its published numbers do, and not all of them
together as "score" does.
Exit code 0 where every metric was computed, 2 for wrong arguments or a file that is not one of
judgments, 3 where a metric was unavailable: it is named with its reason."""


def add_command(commands: Any) -> None:
    """Add ``benchmark`` to the parser."""
    parser = command_parser(
        commands, "benchmark", "compare metrics with human judgments", _DESCRIPTION
    )
    parser.add_argument(
        "-j",
        "--judgments",
        required=True,
        metavar="FILE",
        help="human judgments: JSON in the form of AudioCaps-Eval, or a table",
    )
    add_run_arguments(parser)
    parser.add_argument(
        "--json", metavar="FILE", help='write the accuracies as JSON ("-": standard output)'
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write signatures, counts of pairs, intervals and by how much each metric prefers the"
        " first caption of each pair as well, as JSON: what the pages of the site show is kept in"
        ' this form ("-": standard output)',
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Score all pairs, print and write, and return the exit code."""
    from earmark.benchmark import benchmark_metrics, human_agreement, queries, read_judgments
    from earmark.benchmark_results import benchmark_results_of, measured, results_json

    check_outputs([parsed.judgments], parsed.json, parsed.report)
    data = read_file(parsed.judgments)
    every = benchmark_metrics(unseen=sha256(data).hexdigest() != measured().sha256)
    wanted = metric_names(parsed.metrics, every)
    parameters = model_parameters(parsed, wanted)
    judgments = read_judgments(data)
    with run_workspace(parsed, families_of(wanted), len(queries(judgments))) as workspace:
        agreement = human_agreement(judgments, wanted, workspace, parameters)
    if parsed.json is not None:
        write_text(parsed.json, agreement_json(agreement))
    if parsed.report is not None:
        name = PurePath(parsed.judgments).name
        write_text(parsed.report, results_json(benchmark_results_of(agreement, name, data)))
    _print_table(agreement, to_stderr=STDOUT in (parsed.json, parsed.report))
    return INCOMPLETE if agreement.unavailable else 0


def agreement_json(agreement: "MetricPreferences") -> str:
    """Write the accuracies in per cent as JSON; null where a facet has no pair."""
    rows = {
        name: {
            facet: round(accuracy.percent, 4) if accuracy.pairs else None
            for facet, accuracy in facets.items()
        }
        for name, facets in agreement.accuracies.items()
    }
    return json.dumps(rows, indent=2, allow_nan=False) + "\n"


def _print_table(agreement: "MetricPreferences", *, to_stderr: bool) -> None:
    console = Console(stderr=to_stderr)
    console.width = max(console.width, _NARROWEST)
    if agreement.accuracies:
        console.print(_table(agreement), soft_wrap=True)
        console.print("Per cent of pairs ordered as people did, with the 95 % interval below.")
    print_unavailable(console, agreement.unavailable)


def _table(agreement: "MetricPreferences") -> Table:
    pairs = next(iter(agreement.accuracies.values())).items()
    facets = (f"{facet}\n{accuracy.pairs:,}" for facet, accuracy in pairs)
    table = figures_table("metric\npairs", *facets, "tied or\nno score")
    for name, accuracies in agreement.accuracies.items():
        undecided = accuracies["Total"].undecided
        table.add_row(name, *map(_cell, accuracies.values()), f"{undecided:,}")
    return table


def _cell(accuracy: "Accuracy") -> str:
    if math.isnan(accuracy.percent):
        return "none"
    low, high = accuracy.interval.low, accuracy.interval.high
    return f"{accuracy.percent:.1f}\n{low:.1f} to {high:.1f}"
