"""Files of commands: reading them, printing their faults, writing results whole or not at all."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from earmark.captions import (
    Candidates,
    Fault,
    ReadResult,
    References,
    read_candidates,
    read_references,
)
from earmark.captions.faults import count_of

FAULTY = 1
MISUSED = 2
INCOMPLETE = 3


class Misuse(Exception):
    """An argument or a path that cannot be used; the text says what to do."""


STDOUT = "-"


@dataclass(frozen=True)
class Inputs:
    """Contents of the files; none of candidates were read where the references are unusable."""

    references_path: str
    candidates_paths: tuple[str, ...]
    references: ReadResult[References]
    candidates: tuple[ReadResult[Candidates], ...]

    @property
    def usable(self) -> bool:
        """Whether all files can be scored."""
        return bool(self.candidates) and all(one.value is not None for one in self.candidates)


def make_folder(folder: Path) -> None:
    """Raise ``Misuse`` now where a model could not be written after the work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"Cannot write into {folder}: {error.strerror}.") from error


def command_parser(
    commands: Any, name: str, summary: str, description: str
) -> argparse.ArgumentParser:
    """Add a command whose description keeps its lines; returns its parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_device(parser: argparse.ArgumentParser, runs: str) -> None:
    """Add the choice of where something runs, such as "the detector runs"."""
    parser.add_argument(
        "--device",
        default="auto",
        help=f"where {runs}: cpu, cuda, cuda:1, mps (default: a GPU if there is one)",
    )


def given_options(parsed: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The options of these names that were given; the others have defaults elsewhere."""
    options = {name: getattr(parsed, name) for name in names}
    return {name: value for name, value in options.items() if value is not None}


def print_line(line: str) -> None:
    """Write a line on standard error at once."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def add_input_arguments(parser: argparse.ArgumentParser, systems: int = 1) -> None:
    """Add the references, and the candidates of so many systems."""
    parser.add_argument(
        "-r",
        "--references",
        required=True,
        metavar="FILE",
        help="reference captions: CSV, JSON or JSONL in the format of Clotho or AudioCaps",
    )
    parser.add_argument(
        "-c",
        "--candidates",
        required=True,
        nargs=systems,
        metavar="FILE",
        help="captions of each system: CSV with file_name,caption_predicted, JSON or JSONL",
    )


def read_inputs(parsed: argparse.Namespace) -> Inputs:
    """Read all files; raise ``Misuse`` where one cannot be opened."""
    references = read_references(read_file(parsed.references), file_name=parsed.references)
    paths, known = tuple(parsed.candidates), references.value
    read = [(path, read_file(path)) for path in paths]
    candidates = (
        read_candidates(data, known, file_name=path) for path, data in read if known is not None
    )
    return Inputs(parsed.references, paths, references, tuple(candidates))


def read_usable_inputs(
    parsed: argparse.Namespace,
) -> tuple[tuple[Candidates, ...], References] | None:
    """Read all files and print their errors; None, with a summary, where they cannot be scored."""
    inputs = read_inputs(parsed)
    write_faults(inputs, sys.stderr if inputs.usable else sys.stdout)
    references = inputs.references.value
    if references is None or not inputs.usable:
        write_summary(inputs, sys.stdout)
        return None
    return tuple(one.value for one in inputs.candidates if one.value is not None), references


def read_file(path: str) -> bytes:
    """Read a file; raise ``Misuse`` where it cannot be opened."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Misuse(f"Cannot read {path}: {error.strerror}. Check the path.") from error


def check_outputs(inputs: Iterable[str], *outputs: str | None) -> None:
    """Raise ``Misuse`` now where the results could not be written after the work."""
    taken = {Path(path).resolve() for path in inputs}
    for path in outputs:
        if path is None:
            continue
        target = Path(path).resolve()
        folder = target.parent
        if path != STDOUT and Path(path).is_dir():
            raise Misuse(f"Cannot write {path}: it is a folder. Give a file name.")
        if path != STDOUT and not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise Misuse(
                f"Cannot write {path}: the folder {folder} does not exist or is not writable."
            )
        if target in taken:
            raise Misuse(f"{path} is used twice. Write each result to a separate file.")
        taken.add(target)


def write_text(path: str, text: str) -> None:
    """Write a result, replacing the file in one step; "-" is standard output."""
    write_lines(path, (text,))


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write lines with their ends, as ``write_text`` does, each as soon as it is there."""
    if path == STDOUT:
        sys.stdout.writelines(lines)
        return
    target = Path(path).resolve()
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="") as file:  # a device or a pipe
                file.writelines(lines)
        else:
            _replace(target, lines)
    except OSError as error:
        raise Misuse(f"Cannot write {path}: {error.strerror}.") from error


def _replace(target: Path, lines: Iterable[str]) -> None:
    part = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def faults_by_file(inputs: Inputs) -> Iterator[tuple[str, tuple[Fault, ...]]]:
    """Each file that was read, with its faults."""
    yield inputs.references_path, inputs.references.faults
    for path, candidates in zip(inputs.candidates_paths, inputs.candidates, strict=False):
        yield path, candidates.faults


def write_faults(inputs: Inputs, out: TextIO) -> None:
    """Write every fault of all files, one per line, then what was counted."""
    for path, faults in faults_by_file(inputs):
        out.writelines(f"{path}: {fault.severity}: {fault}\n" for fault in faults)
    for path in inputs.candidates_paths[len(inputs.candidates) :]:
        out.write(f"{path}: not checked, because the references have errors\n")


def write_summary(inputs: Inputs, out: TextIO) -> None:
    """Write how many clips and faults there are."""
    faults = [fault for _, in_file in faults_by_file(inputs) for fault in in_file]
    errors = sum(fault.severity == "error" for fault in faults)
    warnings = count_of(len(faults) - errors, "warning")
    references = inputs.references.value
    clips = "" if references is None else f"{count_of(len(references), 'clip')}, "
    out.write(f"{clips}{count_of(errors, 'error')}, {warnings}\n")


def faults_json(inputs: Inputs) -> list[dict[str, Any]]:
    """Faults of all files for ``--json``, each with the file that it is in."""
    return [
        {
            "file": path,
            "line": fault.line,
            "column": fault.column,
            "value": fault.value,
            "message": fault.message,
            "severity": fault.severity,
        }
        for path, faults in faults_by_file(inputs)
        for fault in faults
    ]
