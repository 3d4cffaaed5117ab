"""``tricks``: what captions gain that help no listener."""

import argparse
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from earmark.cli.files import (
    FAULTY,
    INCOMPLETE,
    STDOUT,
    add_input_arguments,
    check_outputs,
    command_parser,
    read_usable_inputs,
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
from earmark.registry import METRICS, families_of, metrics_for

if TYPE_CHECKING:
    from earmark.tricks.false_sounds import MetricChanges
    from earmark.tricks.measuring import MetricUnderTricks

_NARROWEST = 150  # a table that is cut says nothing

_DESCRIPTION = """\
Score an honest system's captions, and captions made from them that help no listener more: said
twice, drawn out, hedged with "or", keywords alone, and so on. A value in bold is better than the
whole 95 % interval of the honest one: the trick raises the metric.
With --false-sounds say instead in how many cases each metric rises when a sound that is not there
is added to a caption: to one reference of each clip, scored against the others, and to the
system's.
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
        "--false-sounds",
        action="store_true",
        help="add a false sound to every caption, and count where each metric rises",
    )
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write values and signatures as JSON: what the pages of the site show is kept in"
        ' this form ("-": standard output)',
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Score honest and altered captions, print and write, and return the exit code."""
    from earmark.tricks import false_sounds, measuring

    wanted = metric_names(parsed.metrics, metrics_for(several=False))
    check_outputs((parsed.references, *parsed.candidates), parsed.report)
    parameters = model_parameters(parsed, wanted)
    inputs = read_usable_inputs(parsed)
    if inputs is None:
        return FAULTY
    (candidates,), references = inputs
    files = PurePath(parsed.candidates[0]).name, PurePath(parsed.references).name
    with run_workspace(parsed, families_of(wanted), len(references)) as workspace:
        inputs_of_all = (candidates, references, wanted, workspace, parameters)
        if parsed.false_sounds:
            changes, missing = false_sounds.measure_false_sounds(*inputs_of_all)
            table = _changes_table(changes)
            changed = false_sounds.FalseSoundResults(*files, changes)
            report = false_sounds.results_json(changed)
        else:
            values, missing = measuring.measure_tricks(*inputs_of_all)
            table = _table(values)
            results = measuring.TrickResults(*files, len(references), values)
            report = measuring.results_json(results)
    if parsed.report is not None:
        write_text(parsed.report, report)
    console = Console(stderr=parsed.report == STDOUT)
    console.width = max(console.width, _NARROWEST)
    if table.row_count:
        console.print(table, soft_wrap=True)
    print_unavailable(console, missing)
    return INCOMPLETE if missing else 0


def _changes_table(changes: "dict[str, MetricChanges]") -> Table:
    sides = ("people: rises", "falls", "cases", "system: rises", "falls", "cases")
    table = figures_table("metric", *sides)
    for name, row in changes.items():
        cells = (
            cell
            for side in (row.human, row.system)
            for cell in (f"{side.percent:.0f} %", f"{side.percent_worse:.0f} %", f"{side.cases:,}")
        )
        table.add_row(name, *cells)
    return table


def _table(metrics: "dict[str, MetricUnderTricks]") -> Table:
    from earmark.tricks.captions import TRICKS

    table = figures_table("metric", "honest", *(trick.label for trick in TRICKS))
    for name, row in metrics.items():
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
