"""``tricks``: what captions gain that help no listener."""

import argparse
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scoring.cli.files import (
    FAULTY,
    INCOMPLETE,
    STDOUT,
    add_input_arguments,
    check_outputs,
    command_parser,
    read_usable_inputs,
    write_text,
)
from scoring.cli.metric_runs import (
    add_run_arguments,
    model_parameters,
    run_workspace,
    wanted_metrics,
)
from scoring.registry import METRICS, families_of, metrics_for

if TYPE_CHECKING:
    from scoring.tricks.measuring import MetricUnderTricks

_NARROWEST = 150  # a table that is cut says nothing

_DESCRIPTION = """\
Score an honest system's captions, and captions made from them that help no listener more: said
twice, drawn out, hedged with "or", keywords alone, and so on. A value in bold is better than the
whole 95 % interval of the honest one: the trick raises the metric.
Exit code 0 where every metric was computed, 1 where the files have errors, 2 for wrong
arguments, 3 where a metric was unavailable: it is named with its reason."""


def add_command(commands: Any) -> None:
    """Add ``tricks`` to the parser."""
    parser = command_parser(
        commands, "tricks", "show by how much tricks raise each metric", _DESCRIPTION
    )
    add_input_arguments(parser)
    add_run_arguments(parser)
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write values and signatures as JSON: what the pages of the site show is kept in"
        ' this form ("-": standard output)',
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Score honest captions and tricks, print and write, and return the exit code."""
    from scoring.tricks.measuring import TrickResults, measure_tricks, results_json

    wanted = wanted_metrics(parsed.metrics, every=metrics_for(several=False))
    check_outputs((parsed.references, parsed.candidates), parsed.report)
    parameters = model_parameters(parsed, wanted)
    inputs = read_usable_inputs(parsed)
    if inputs is None:
        return FAULTY
    candidates, references = inputs
    with run_workspace(parsed, families_of(wanted), len(references)) as workspace:
        found, missing = measure_tricks(candidates, references, wanted, workspace, parameters)
    if parsed.report is not None:
        files = PurePath(parsed.candidates).name, PurePath(parsed.references).name
        write_text(parsed.report, results_json(TrickResults(*files, len(references), found)))
    console = Console(stderr=parsed.report == STDOUT)
    console.width = max(console.width, _NARROWEST)
    if found:
        console.print(_table(found), soft_wrap=True)
    for name, why in missing.items():
        console.print(Text(f"{name} is unavailable: {why.reason}"), soft_wrap=True)
    return INCOMPLETE if missing else 0


def _table(found: "dict[str, MetricUnderTricks]") -> Table:
    from scoring.tricks.captions import TRICKS

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric", no_wrap=True)
    for heading in ("honest", *(trick.label for trick in TRICKS)):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, row in found.items():
        decimals, raised = METRICS[name].decimals, row.raised_by
        table.add_row(
            name,
            f"{row.honest:.{decimals}f}",
            *(
                Text(f"{row.values[trick.name]:.{decimals}f}", "bold" * (trick.name in raised))
                for trick in TRICKS
            ),
        )
    return table
