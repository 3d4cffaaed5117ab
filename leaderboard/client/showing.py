"""What the client writes: tables and messages for people, JSON for programs."""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scoring.captions import Fault
from scoring.captions.faults import one_line

MAX_FAULTS = 200


@dataclass
class Screen:
    """Results on the standard output, all else on the other."""

    as_json: bool = False
    out: Console = field(default_factory=lambda: Console(file=sys.stdout, highlight=False))
    err: Console = field(default_factory=lambda: Console(file=sys.stderr, highlight=False))

    def say(self, text: str) -> None:
        """Tell something that is not the result."""
        self.err.print(Text(one_line(text)), soft_wrap=True)

    def line(self, text: str) -> None:
        """Write a line of the result."""
        self.out.print(Text(one_line(text)), soft_wrap=True)

    def json(self, value: Any) -> None:
        """Write the result for a program."""
        sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True) + "\n")

    def table(self, titles: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        """Write a table; columns after the first two are numbers and stand to the right."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for at, title in enumerate(titles):
            table.add_column(title, justify="left" if at < 2 else "right")
        for row in rows:
            table.add_row(*(Text(one_line(cell)) for cell in row))
        self.out.print(table)

    def faults(self, faults: Iterable[Fault]) -> None:
        """List faults as the server words them."""
        listed = list(faults)
        for fault in listed[:MAX_FAULTS]:
            self.say(f"{fault.severity}: {fault}")
        if len(listed) > MAX_FAULTS:
            self.say(f"{len(listed) - MAX_FAULTS:,} more are not listed.")


def faults_of(answer: Mapping[str, Any]) -> list[Fault]:
    """Read the faults of an answer of the server."""
    rows = answer.get("faults")
    return [
        Fault(
            row.get("line"),
            row.get("column"),
            str(row.get("value") or ""),
            str(row.get("message") or ""),
            "warning" if row.get("severity") == "warning" else "error",
            row.get("file"),
        )
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    ]


def fault_json(fault: Fault) -> dict[str, Any]:
    """Give a fault as the API does."""
    return {
        "line": fault.line,
        "column": fault.column,
        "value": fault.value,
        "message": fault.message,
        "severity": fault.severity,
        "file": fault.file,
    }
