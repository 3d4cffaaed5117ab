"""``score``: metrics of one system over one corpus."""

import argparse
import csv
import io
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scoring import __version__
from scoring.captions import Candidates, References
from scoring.cli.faults import write_faults, write_summary
from scoring.cli.files import STDOUT, add_input_arguments, check_outputs, read_inputs, write_text
from scoring.cli.misuse import FAULTY, INCOMPLETE, Misuse
from scoring.cli.progress import progress_shown
from scoring.registry import METRICS, families_of, metric
from scoring.results import MetricResult
from scoring.workspace import Workspace

if TYPE_CHECKING:
    from scoring.pipeline import Scores

_DESCRIPTION = """\
Score captions. The table on the terminal has the corpus value of every metric with its 95 %
interval and the number of clips that it could judge.
Exit code 0 where every metric was computed, 1 where the files have faults (printed as by
validate), 2 for wrong arguments, 3 where a metric was unavailable: it is named with its
reason, and all others stand."""


def add_command(commands: Any) -> None:
    """Add ``score`` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "score",
        help="compute metrics with their intervals",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input_arguments(parser)
    parser.add_argument(
        "-m",
        "--metrics",
        default="all",
        metavar="NAMES",
        help='metric names with commas between, or "all" (default); see "metrics"',
    )
    parser.add_argument(
        "--json", metavar="FILE", help='write the corpus values as JSON ("-": standard output)'
    )
    parser.add_argument(
        "--per-clip", metavar="FILE", help='write one row per clip as CSV ("-": standard output)'
    )
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="where models run (default: a GPU where there is one)",
    )
    parser.add_argument(
        "--cache",
        metavar="FOLDER",
        help="keep what is prepared from the references here (default: earmark in the user's"
        " cache folder)",
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Score, print and write, and give the exit code."""
    wanted = wanted_metrics(parsed.metrics)
    check_outputs((parsed.references, parsed.candidates), parsed.json, parsed.per_clip)
    inputs = read_inputs(parsed)
    write_faults(inputs, sys.stderr if inputs.usable else sys.stdout)
    if inputs.candidates is None or inputs.candidates.value is None:
        write_summary(inputs, sys.stdout)
        return FAULTY
    references = inputs.references.value
    if references is None:
        return FAULTY
    cache = Path(parsed.cache) if parsed.cache else default_cache()
    scores = _score(inputs.candidates.value, references, wanted, cache, parsed)
    if parsed.json is not None:
        write_text(parsed.json, scores_json(scores, len(references)))
    if parsed.per_clip is not None:
        write_text(parsed.per_clip, per_clip_csv(scores, references))
    _print_table(scores, to_stderr=STDOUT in (parsed.json, parsed.per_clip))
    return INCOMPLETE if scores.unavailable else 0


def wanted_metrics(names: str, every: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """Read the list of metrics; "all" means ``every``. Raises ``UnknownMetric``."""
    listed = [name.strip() for name in names.split(",") if name.strip()]
    if not listed:
        raise Misuse('No metric is named. Write their names with commas between, or "all".')
    if "all" in listed:
        return every or tuple(METRICS)
    return tuple(metric(name).name for name in listed)


def default_cache() -> Path:
    """Give earmark's folder among the user's caches (XDG base directories)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return folder / "earmark"


def _score(
    candidates: Candidates,
    references: References,
    wanted: tuple[str, ...],
    cache: Path,
    parsed: argparse.Namespace,
) -> "Scores":
    from scoring.pipeline import score

    with progress_shown(families_of(wanted), len(references)) as report:
        workspace = Workspace(cache_dir=cache, device=parsed.device, progress=report)
        return score(candidates, references, wanted, workspace)


def scores_json(scores: "Scores", clips: int) -> str:
    """Write the corpus values as JSON; what is not a finite number is null."""
    found = {
        "scorer": __version__,
        "clips": clips,
        "metrics": {name: _result_json(result) for name, result in scores.results.items()},
        "unavailable": {name: why.reason for name, why in scores.unavailable.items()},
    }
    return json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _result_json(result: MetricResult) -> dict[str, Any]:
    return {
        "value": _finite(result.value),
        "low": _finite(result.interval.low),
        "high": _finite(result.interval.high),
        "coverage": result.coverage,
        "signature": result.signature,
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def per_clip_csv(scores: "Scores", references: References) -> str:
    """Write one row per clip in the order of the references.

    Every float32 is written with the digits that read back as the same
    number; a clip that a metric says nothing about has an empty cell.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["file_name", *scores.results])
    columns = [[_digits(value) for value in result.per_clip] for result in scores.results.values()]
    for index, name in enumerate(references.file_names):
        writer.writerow([name, *(column[index] for column in columns)])
    return out.getvalue()


def _digits(value: Any) -> str:
    return "" if math.isnan(value) else str(value)


def _print_table(scores: "Scores", *, to_stderr: bool) -> None:
    console = Console(stderr=to_stderr)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("metric", no_wrap=True)
    for heading in ("value", "95 % interval", "clips"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("better", no_wrap=True)
    for name, result in scores.results.items():
        info = METRICS[name]
        table.add_row(
            name,
            _rounded(result.value, info.decimals),
            _interval(result, info.decimals),
            f"{result.coverage:,}",
            info.direction,
        )
    if scores.results:
        console.print(table, soft_wrap=True)
    for name, why in scores.unavailable.items():
        console.print(Text(f"{name} is unavailable: {why.reason}"), soft_wrap=True)


def _rounded(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}" if math.isfinite(value) else "none"


def _interval(result: MetricResult, decimals: int) -> str:
    low, high = result.interval.low, result.interval.high
    if not (math.isfinite(low) and math.isfinite(high)):
        return "none"
    return f"{low:.{decimals}f} to {high:.{decimals}f}"
