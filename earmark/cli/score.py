"""``score``: metrics of one system over one corpus."""

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earmark import __version__
from earmark.captions import Candidates, References
from earmark.captions.csv_rows import csv_text
from earmark.cli.files import (
    FAULTY,
    INCOMPLETE,
    STDOUT,
    Misuse,
    add_input_arguments,
    check_outputs,
    command_parser,
    read_usable_inputs,
    write_lines,
    write_text,
)
from earmark.cli.metric_runs import (
    Parameters,
    add_run_arguments,
    asks_for_all,
    model_parameters,
    print_figures,
    run_workspace,
)
from earmark.json_values import details_by_family, json_bytes
from earmark.metric_sets import metric_names
from earmark.recordings import Recordings, folder_recordings
from earmark.registry import FAMILIES, families_of, metrics_for
from earmark.results import MetricScore
from earmark.scores import Scores

if TYPE_CHECKING:
    from earmark.pipeline import CorpusScores

_DESCRIPTION = """\
Score captions. The table on the terminal has the corpus value of every metric with its 95 %
interval and the number of clips that it could judge.
Exit code 0 where every metric was computed, 1 where the files have errors (printed as by
validate), 2 for wrong arguments, 3 where a metric was unavailable: it is named with its
reason, and all others stand."""


def add_command(commands: Any) -> None:
    """Add ``score`` to the parser."""
    parser = command_parser(commands, "score", "compute metrics with their intervals", _DESCRIPTION)
    add_scoring_arguments(parser)
    parser.add_argument(
        "--json", metavar="FILE", help='write the corpus values as JSON ("-": standard output)'
    )
    parser.add_argument(
        "--per-clip", metavar="FILE", help='write one row per clip as CSV ("-": standard output)'
    )
    parser.add_argument(
        "--details",
        metavar="FILE",
        help="write one JSON object per clip with captions, scores and why they are so, as JSON"
        ' lines ("-": standard output)',
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Score, print and write, and return the exit code."""
    from earmark.pipeline import score

    outputs = (parsed.json, parsed.per_clip, parsed.details)
    inputs = run_inputs(parsed, *outputs)
    if inputs is None:
        return FAULTY
    (candidates,), references, wanted, parameters, settings = inputs
    settings["details"] = parsed.details is not None
    with run_workspace(parsed, families_of(wanted), len(references), **settings) as workspace:
        scores = score(candidates, references, wanted, workspace, parameters)
    _write(parsed, scores, candidates, references)
    print_figures(Scores.of(scores, references).table, to_stderr=STDOUT in outputs)
    return INCOMPLETE if scores.unavailable else 0


# Candidates of each system, references, metrics, parameters, and settings of the workspace.
RunInputs = tuple[tuple[Candidates, ...], References, tuple[str, ...], Parameters, dict[str, Any]]


def run_inputs(parsed: argparse.Namespace, *outputs: str | None) -> RunInputs | None:
    """Check all options and read all files; None where these have errors, which are printed."""
    wanted = metric_names(parsed.metrics)
    check_outputs((parsed.references, *parsed.candidates), *outputs)
    parameters = model_parameters(parsed, wanted)
    inputs = read_usable_inputs(parsed)
    if inputs is None:
        return None
    systems, references = inputs
    if asks_for_all(parsed.metrics):
        wanted = metrics_for(several=any(candidates.several for candidates in systems))
    recordings, hearing_parameters = _hearing(parsed, wanted, references)
    for family, own in hearing_parameters.items():
        parameters[family] = {**parameters.get(family, {}), **own}
    return systems, references, wanted, parameters, {"recordings": recordings}


def add_scoring_arguments(parser: argparse.ArgumentParser, systems: int = 1) -> None:
    """Add the files of so many systems, what is computed, and what ``clap_score`` hears."""
    add_input_arguments(parser, systems)
    add_run_arguments(parser)
    parser.add_argument(
        "--clap",
        metavar="PATH",
        help="CLAP model with which clap_score and mace hear: a folder as transformers stores it",
    )
    parser.add_argument(
        "--recordings",
        metavar="FOLDER",
        help="recordings of the clips for clap_score and mace, each called as its clip",
    )


def _hearing(
    parsed: argparse.Namespace, wanted: tuple[str, ...], references: References
) -> tuple[Recordings, Parameters]:
    """The recordings of the clips, and the parameters of each wanted family that hears them.

    Raises ``Misuse`` where only one of model and recordings is given, or none hears them.
    """
    families = [
        name
        for name in families_of(wanted)
        if any(option.names_installed == "clap" for option in FAMILIES[name].options)
    ]
    if parsed.clap is None and parsed.recordings is None:
        return Recordings(), {}
    if not families:
        raise Misuse("None of the metrics asked for hears recordings. Leave --clap out.")
    if not parsed.clap or not parsed.recordings:
        raise Misuse("Give both --clap and --recordings.")
    recordings = folder_recordings(Path(parsed.recordings), references.file_names)
    own = {"model": parsed.clap, "recordings": recordings.digest}
    return recordings, dict.fromkeys(families, own)


def _write(
    parsed: argparse.Namespace,
    scores: "CorpusScores",
    candidates: Candidates,
    references: References,
) -> None:
    if parsed.json is not None:
        write_text(parsed.json, scores_json(scores, references))
    if parsed.per_clip is not None:
        write_text(parsed.per_clip, per_clip_csv(scores, references))
    if parsed.details is not None:
        write_lines(parsed.details, details_jsonl(scores, candidates, references))


def scores_json(scores: "CorpusScores", references: References) -> str:
    """Write the corpus values as JSON; what is not a finite number is null."""
    report = {
        "scorer": __version__,
        "clips": len(references),
        "metrics": {name: _result_json(result) for name, result in scores.results.items()},
        "notes": scores.notes(references),
        "unavailable": scores.unavailable,
    }
    return json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _result_json(result: MetricScore) -> dict[str, Any]:
    return {
        "value": _finite(result.value),
        "low": _finite(result.interval.low),
        "high": _finite(result.interval.high),
        "coverage": result.coverage,
        "signature": result.signature,
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def per_clip_csv(scores: "CorpusScores", references: References) -> str:
    """Write one row per clip in the order of the references.

    Every float32 is written with the digits that read back as the same
    number; a clip that a metric says nothing about has an empty cell.
    """
    columns = [[_digits(value) for value in result.per_clip] for result in scores.results.values()]
    header = ["file_name", *scores.results]
    return csv_text([header, *zip(references.file_names, *columns, strict=True)])


def _digits(value: Any) -> str:
    return "" if math.isnan(value) else str(value)


def details_jsonl(
    scores: "CorpusScores", candidates: Candidates, references: References
) -> Iterator[str]:
    """One line of JSON per clip in the order of the references: scores and why.

    The values are those of ``per_clip_csv``, null where a metric says nothing
    about the clip; metrics that were unavailable are left out. A clip with
    several candidates has them all beside its caption, which is the first.
    """
    for line in _clip_lines(scores, candidates, references):
        yield json_bytes(line).decode() + "\n"


def _clip_lines(
    scores: "CorpusScores", candidates: Candidates, references: References
) -> Iterator[dict[str, Any]]:
    # Through its digits, so that 0.1 in float32 does not read 0.10000000149011612.
    columns = {
        name: [float(digits) if (digits := _digits(value)) else None for value in result.per_clip]
        for name, result in scores.results.items()
    }
    families = details_by_family(scores.results.values())
    for index, clip in enumerate(references.clips):
        ranked = candidates.captions[index]
        yield {
            "file_name": clip.file_name,
            "caption": ranked[0],
            **({"candidates": list(ranked)} if len(ranked) > 1 else {}),
            "references": list(clip.references),
            "metrics": {name: column[index] for name, column in columns.items()},
            "details": {name: rows[index] for name, rows in families.items()},
        }
