"""``metrics``: what can be computed, and what each number depends on."""

import argparse
import json
import math
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from earmark.cli.files import write_text
from earmark.errors import ScoringError
from earmark.explanations.document import metrics_document
from earmark.registry import METRICS, MetricInfo, load_family
from earmark.signature import signature
from earmark.workspace import Workspace

_ANY_REFERENCES = "?"


def add_command(commands: Any) -> None:
    """Add ``metrics`` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "metrics",
        help="list every metric with range, direction, signature and source",
        description="List every metric. The signature names all that a number depends on; the"
        " number of references (refs) is known only with a corpus and stands as ?.",
    )
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.add_argument(
        "--document",
        metavar="FILE",
        help='write what each metric is, with a worked example, as Markdown ("-": standard output)',
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the metrics and return the exit code."""
    if parsed.document:
        write_text(parsed.document, metrics_document(Workspace(device="cpu")))
        return 0
    rows = [metric_json(info) for info in METRICS.values()]
    if parsed.json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
        return 0
    console = Console()
    for row in rows:
        console.print(_paragraph(row), soft_wrap=True)
    return 0


def metric_json(info: MetricInfo) -> dict[str, Any]:
    """Describe a metric; bounds that are infinite are null, and so is a signature with a reason."""
    signed, reason = _signature(info)
    return {
        "name": info.name,
        "label": info.label,
        "summary": info.summary,
        "low": info.low if math.isfinite(info.low) else None,
        "high": info.high if math.isfinite(info.high) else None,
        "direction": info.direction,
        "signature": signed,
        "unavailable": reason,
        "source": info.source,
    }


def _signature(info: MetricInfo) -> tuple[str | None, str | None]:
    try:
        family = load_family(info.family)
        parameters = family.parameters
    except (ScoringError, ImportError, OSError) as error:
        return None, str(error) or type(error).__name__
    return signature(info.name, parameters, _ANY_REFERENCES, family.revision), None


def _paragraph(row: dict[str, Any]) -> Text:
    low = _bound(row["low"])
    text = Text()
    text.append(row["name"], style="bold")
    text.append(f"  {row['label']}, {low} to {_bound(row['high'])}, {row['direction']} is better\n")
    text.append(f"    {row['summary']}\n")
    signed = row["signature"] or f"unavailable: {row['unavailable']}"
    text.append(f"    {signed}\n")
    text.append(f"    {row['source']}\n")
    return text


def _bound(value: float | None) -> str:
    return "any number" if value is None else f"{value:g}"
