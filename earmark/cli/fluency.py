"""``fluency``: probabilities of errors in captions, by the error detector."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earmark.captions.caption_lists import read_captions
from earmark.cli.files import Misuse, add_device, command_parser

if TYPE_CHECKING:
    from earmark.models.fluency import Probabilities

_THRESHOLD = 0.9
_DESCRIPTION = """\
Find captions that are not fluent. One JSON object per caption goes to standard output, in
the order of the file: the caption, the probability of each class of error, and whether it is
flagged (the probability of "error" is over the threshold)."""


def add_command(commands: Any) -> None:
    """Add ``fluency`` to the parser."""
    parser = command_parser(
        commands, "fluency", "find captions that are not fluent, and say why", _DESCRIPTION
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a text file with one caption per line, or a candidates file (.csv, .tsv)",
    )
    parser.add_argument(
        "--detector",
        default="",
        metavar="PATH",
        help="folder of a detector trained here, or the original authors' .ckpt file"
        " (default: the shipped one)",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=_THRESHOLD,
        metavar="P",
        help="flag above this probability of an error (default: 0.9)",
    )
    add_device(parser, "the detector runs")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Judge, print, and return the exit code."""
    from earmark.models.fluency import detect, find_detector

    if not 0 <= parsed.threshold <= 1:
        raise Misuse(
            f"The threshold {parsed.threshold} is not a probability. Give a number from 0 to 1."
        )
    captions = read_captions(Path(parsed.file))
    probabilities = detect(find_detector(parsed.detector), captions, device=parsed.device)
    sys.stdout.writelines(_lines(captions, probabilities, parsed.threshold))
    return 0


def _lines(
    captions: Sequence[str], probabilities: "Probabilities", threshold: float
) -> Iterator[str]:
    from earmark.models.fluency import CLASSES, ERROR

    for caption, row in zip(captions, probabilities, strict=True):
        judged: dict[str, Any] = {"caption": caption}
        judged |= {name: round(float(value), 6) for name, value in zip(CLASSES, row, strict=True)}
        judged["flag"] = bool(row[ERROR] > threshold)
        yield json.dumps(judged, ensure_ascii=False) + "\n"
