"""``validate``: list every fault of a predictions file."""

import argparse
import json
import sys
from typing import Any

from earmark.cli.files import (
    FAULTY,
    add_input_arguments,
    command_parser,
    faults_json,
    read_inputs,
    write_faults,
    write_summary,
)

_DESCRIPTION = """\
Check a predictions file against the references. All errors and warnings are printed, one per
line: where it is, what is wrong, how to fix it, and the value found. Exit code 0 where the file
can be scored (warnings may be printed), 1 where it has errors, 2 where a file cannot be read."""


def add_command(commands: Any) -> None:
    """Add ``validate`` to the parser."""
    parser = command_parser(
        commands,
        "validate",
        "list all errors in a predictions file, with line and fix",
        _DESCRIPTION,
    )
    add_input_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the errors and warnings as JSON")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Validate, print, and return the exit code."""
    inputs = read_inputs(parsed)
    if parsed.json:
        references = inputs.references.value
        report = {
            "ok": inputs.usable,
            "clips": None if references is None else len(references),
            "faults": faults_json(inputs),
        }
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    else:
        write_faults(inputs, sys.stdout)
        write_summary(inputs, sys.stdout)
    return 0 if inputs.usable else FAULTY
