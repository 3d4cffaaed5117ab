"""Reading the two files of a command, and writing results whole or not at all."""

import argparse
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scoring.captions import Candidates, Reading, References, read_candidates, read_references
from scoring.cli.misuse import Misuse

STDOUT = "-"


@dataclass(frozen=True)
class Inputs:
    """What the two files held; ``candidates`` is None where the references are unusable."""

    references_path: str
    candidates_path: str
    references: Reading[References]
    candidates: Reading[Candidates] | None

    @property
    def usable(self) -> bool:
        """Whether both files can be scored."""
        return self.candidates is not None and self.candidates.value is not None


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two files that validate and score need."""
    parser.add_argument(
        "-r",
        "--references",
        required=True,
        metavar="FILE",
        help="reference captions: CSV, JSON or JSONL in the form of Clotho or AudioCaps",
    )
    parser.add_argument(
        "-c",
        "--candidates",
        required=True,
        metavar="FILE",
        help="captions to check: CSV with file_name,caption_predicted, JSON or JSONL",
    )


def read_inputs(parsed: argparse.Namespace) -> Inputs:
    """Read both files; raise ``Misuse`` where one cannot be opened."""
    references = read_references(read_file(parsed.references), file_name=parsed.references)
    data = read_file(parsed.candidates)
    candidates = (
        None
        if references.value is None
        else read_candidates(data, references.value, file_name=parsed.candidates)
    )
    return Inputs(parsed.references, parsed.candidates, references, candidates)


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
        if path != STDOUT:
            _check_writable(path)
        target = Path(path).resolve()
        if target in taken:
            raise Misuse(f"{path} is used twice. Give each result a file of its own.")
        taken.add(target)


def _check_writable(path: str) -> None:
    folder = Path(path).resolve().parent
    if Path(path).is_dir():
        raise Misuse(f"Cannot write {path}: it is a folder. Give a file name.")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise Misuse(f"Cannot write {path}: the folder {folder} is not there or not writable.")


def write_text(path: str, text: str) -> None:
    """Write a result, replacing the file in one step; "-" is standard output."""
    if path == STDOUT:
        sys.stdout.write(text)
        return
    target = Path(path).resolve()
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8", newline="")  # a device or a pipe
        else:
            _replace(target, text)
    except OSError as error:
        raise Misuse(f"Cannot write {path}: {error.strerror}.") from error


def _replace(target: Path, text: str) -> None:
    part = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
