"""``compare``: two systems on the same clips."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from earmark import __version__
from earmark.cli.files import FAULTY, INCOMPLETE, STDOUT, command_parser, write_text
from earmark.cli.metric_runs import print_figures, run_workspace
from earmark.cli.score import add_scoring_arguments, run_inputs
from earmark.json_values import json_ready
from earmark.registry import families_of

if TYPE_CHECKING:
    from earmark.comparing import Comparison

_DESCRIPTION = """\
Compare two systems, A and B, on the same clips. The table has the corpus values of both, by how
much A is better (in the metric's own direction, as a mean over clips) with its 95 % interval, and
the p-value of the paired permutation test: below 0.05 exactly where the interval leaves out 0.
Exit code 0 where every metric was computed, 1 where the files have errors (printed as by
validate), 2 for wrong arguments, 3 where a metric was unavailable: it is named with its reason."""


def add_command(commands: Any) -> None:
    """Add ``compare`` to the parser."""
    parser = command_parser(
        commands, "compare", "compare two systems, with intervals and p-values", _DESCRIPTION
    )
    add_scoring_arguments(parser, systems=2)
    parser.add_argument(
        "--json", metavar="FILE", help='write the comparison as JSON ("-": standard output)'
    )
    parser.add_argument(
        "--latex", metavar="FILE", help='write the table for LaTeX ("-": standard output)'
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Score both systems, print and write, and return the exit code."""
    from earmark.comparing import check_clips, compare_scores, scored_systems
    from earmark.scores import Scores

    inputs = run_inputs(parsed, parsed.json, parsed.latex)
    if inputs is None:
        return FAULTY
    systems, references, wanted, parameters, settings = inputs
    check_clips(len(references))
    with run_workspace(parsed, families_of(wanted), len(references), **settings) as workspace:
        scored = scored_systems(systems, references, wanted, workspace, parameters)
    comparison = compare_scores(*(Scores.of(one, references) for one in scored))
    if parsed.json is not None:
        write_text(parsed.json, comparison_json(comparison))
    if parsed.latex is not None:
        write_text(parsed.latex, comparison.latex())
    print_figures(comparison.table, to_stderr=STDOUT in (parsed.json, parsed.latex))
    return INCOMPLETE if any(one.unavailable for one in scored) else 0


def comparison_json(comparison: "Comparison") -> str:
    """Write a comparison as JSON; what is not a finite number is null."""
    report = {
        "scorer": __version__,
        "clips": len(comparison.a.clips),
        "metrics": {name: one.as_row() for name, one in comparison.items()},
        "left_out": comparison.left_out,
    }
    return json.dumps(json_ready(report), ensure_ascii=False, indent=2) + "\n"
