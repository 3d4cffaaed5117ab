"""Faults on the terminal: one line each."""

from collections.abc import Iterator
from typing import Any, TextIO

from scoring.captions import Fault
from scoring.captions.faults import counted
from scoring.cli.files import Inputs


def faults_by_file(inputs: Inputs) -> Iterator[tuple[str, tuple[Fault, ...]]]:
    """Give each file that was read with its faults."""
    yield inputs.references_path, inputs.references.faults
    if inputs.candidates is not None:
        yield inputs.candidates_path, inputs.candidates.faults


def write_faults(inputs: Inputs, out: TextIO) -> None:
    """Write every fault of both files, one per line, then what was counted."""
    for path, faults in faults_by_file(inputs):
        out.writelines(f"{path}: {fault.severity}: {fault}\n" for fault in faults)
    if inputs.candidates is None:
        out.write(f"{inputs.candidates_path}: not checked, as the references have errors\n")


def write_summary(inputs: Inputs, out: TextIO) -> None:
    """Write how many clips and faults there are."""
    faults = [fault for _, found in faults_by_file(inputs) for fault in found]
    errors = sum(fault.severity == "error" for fault in faults)
    warnings = counted(len(faults) - errors, "warning")
    references = inputs.references.value
    clips = "" if references is None else f"{counted(len(references), 'clip')}, "
    out.write(f"{clips}{counted(errors, 'error')}, {warnings}\n")


def faults_json(inputs: Inputs) -> list[dict[str, Any]]:
    """Give the faults for ``--json``."""
    return [fault_json(path, fault) for path, faults in faults_by_file(inputs) for fault in faults]


def fault_json(path: str, fault: Fault) -> dict[str, Any]:
    """Give one fault with the file that it is in."""
    return {
        "file": path,
        "line": fault.line,
        "column": fault.column,
        "value": fault.value,
        "message": fault.message,
        "severity": fault.severity,
    }
