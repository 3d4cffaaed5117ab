"""``label``: sound descriptors of captions."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.captions.lists import NoCaptions, read_captions, read_text
from scoring.cli.misuse import Misuse

if TYPE_CHECKING:
    from scoring.models.descriptors import Labelled

_DESCRIPTION = """\
Label the words of captions with sound descriptors. One JSON object per caption goes to standard
output, in the order of the file: "text" as written; "tokens", its words, lower-cased, split at
white space after punctuation is removed; "spans", runs of words with one label, each with
"token_start" and "token_end" (both inside), "start" and "end" (code points of the text, end
outside), "label", and "confidence", the mean of its words' probabilities. Words in no span
describe nothing."""


def add_command(commands: Any) -> None:
    """Add ``label`` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "label",
        help="label the words of captions with sound descriptors",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a text file with a caption a line, a table (.csv, .tsv), or .jsonl with text",
    )
    parser.add_argument(
        "--labeller",
        default="",
        metavar="DIR",
        help="folder of a labeller trained here (default: the shipped one)",
    )
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="where the labeller runs (default: a GPU where there is one)",
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Label, print, and give the exit code."""
    from scoring.models.descriptors import find_labeller, label

    captions = _captions(Path(parsed.file))
    found = label(find_labeller(parsed.labeller), captions, device=parsed.device)
    sys.stdout.writelines(_lines(captions, found))
    return 0


def _captions(path: Path) -> list[str]:
    """Read captions; of JSON lines the key ``text``."""
    if ".jsonl" not in path.suffixes[-2:]:
        return read_captions(path)
    captions = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            try:
                text = json.loads(line)["text"]
            except (ValueError, KeyError, TypeError) as error:
                raise Misuse(f'{path}, line {number}: There is no "text" here.') from error
            if not isinstance(text, str):
                raise Misuse(f'{path}, line {number}: "text" is no string. Found: {text!r}')
            captions.append(text)
    if not captions:
        raise NoCaptions(path)
    return captions


def _lines(captions: Sequence[str], found: "Sequence[Labelled]") -> Iterator[str]:
    for caption, labelled in zip(captions, found, strict=True):
        row = {
            "text": caption,
            "tokens": [word.text for word in labelled.words],
            "spans": [
                {
                    "token_start": span.first,
                    "token_end": span.last,
                    "start": labelled.words[span.first].start,
                    "end": labelled.words[span.last].end,
                    "label": span.label,
                    "confidence": round(span.confidence, 6),
                }
                for span in labelled.spans
            ],
        }
        yield json.dumps(row, ensure_ascii=False) + "\n"
