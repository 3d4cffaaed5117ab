"""``label``: sound descriptors of captions."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earmark.captions.caption_lists import NoCaptions, read_numbered_captions, read_text
from earmark.cli.files import Misuse, add_device, command_parser

if TYPE_CHECKING:
    from earmark.models.descriptors import LabelledCaption

_DESCRIPTION = """\
Label the words of captions with sound descriptors. One JSON object per caption goes to standard
output, in the order of the file and in Prodigy's form, as labelling projects import it: "text" as
written; "tokens", its words without the punctuation around them; "spans", runs of words with one
label, each with "token_start" and "token_end" (both inside), "start" and "end" (code points of
the text, end outside), "label", and "confidence", the mean of its words' probabilities; "meta",
with the "line" of the file, the "labeller", and whatever a line of JSON has there; the labeller
is also given as annotator. Words in no span describe nothing. Empty captions are skipped and
reported on standard error."""


def add_command(commands: Any) -> None:
    """Add ``label`` to the parser."""
    parser = command_parser(
        commands, "label", "label the words of captions with sound descriptors", _DESCRIPTION
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a text file with one caption per line, a table (.csv, .tsv), or .jsonl with text",
    )
    parser.add_argument(
        "--labeller",
        default="",
        metavar="DIR",
        help="folder of a labeller trained here (default: the shipped one)",
    )
    add_device(parser, "the labeller runs")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Label, print, and return the exit code."""
    from earmark.models.descriptors import find_labeller, label

    path = Path(parsed.file)
    all_captions = _captions(path)
    for text, meta in all_captions:
        if not text.strip():
            sys.stderr.write(f"{path}, line {meta['line']}: no caption, left out\n")
    captions = [(text, meta) for text, meta in all_captions if text.strip()]
    texts = [text for text, _ in captions]
    labeller = find_labeller(parsed.labeller)
    labelled = label(labeller, texts, device=parsed.device)
    sys.stdout.writelines(_lines(captions, labelled, labeller.identity))
    return 0


# A caption as written, and what is known of its origin.
_Caption = tuple[str, dict[str, Any]]


def _captions(path: Path) -> list[_Caption]:
    """Read captions; of JSON lines the key ``text``."""
    if ".jsonl" not in path.suffixes[-2:]:
        return [(one.text, {"line": one.line}) for one in read_numbered_captions(path)]
    captions = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            captions.append(_of_json(line, number, f"{path}, line {number}"))
    if not any(text.strip() for text, _ in captions):
        raise NoCaptions(path)
    return captions


def _of_json(line: str, number: int, place: str) -> _Caption:
    try:
        row = json.loads(line)
        text = row["text"]
    except (ValueError, KeyError, TypeError) as error:
        raise Misuse(
            f'{place}: There is no "text" here. Write each line as an object such as '
            '{"text": "a dog barks"}.'
        ) from error
    if not isinstance(text, str):
        raise Misuse(f'{place}: "text" is not a string. Found: {text!r}')
    meta = row.get("meta")
    return text, {**(meta if isinstance(meta, dict) else {}), "line": number}


def _lines(
    captions: Sequence[_Caption], labelled_captions: "Sequence[LabelledCaption]", labeller: str
) -> Iterator[str]:
    # As the user name of an annotator may be written.
    annotator = f"labeller-{labeller.replace('@', '-')}"
    for (text, meta), labelled in zip(captions, labelled_captions, strict=True):
        row = {
            "text": text,
            "tokens": [
                {
                    "text": text[word.start : word.end],
                    "start": word.start,
                    "end": word.end,
                    "id": number,
                    "ws": text[word.end : word.end + 1].isspace(),
                }
                for number, word in enumerate(labelled.words)
            ],
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
            "meta": {**meta, "labeller": labeller},
            "_annotator_id": annotator,
            "_session_id": annotator,
        }
        yield json.dumps(row, ensure_ascii=False) + "\n"
