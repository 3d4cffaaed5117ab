"""``train earmark``: learn how much the parts of the metric count."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earmark.captions import References, read_references
from earmark.captions.caption_lists import read_text
from earmark.cli.files import (
    Misuse,
    add_device,
    check_outputs,
    command_parser,
    given_options,
    make_folder,
    print_line,
    read_file,
    write_text,
)
from earmark.signature import signature

if TYPE_CHECKING:
    from earmark.benchmark import Judgments

_DESCRIPTION = """\
Learn the weights of earmark: how much similarity, content and fluency count. From pairs of
captions that people judged (JSON in the form of AudioCaps-Eval), and from pairs that are made of
references: a caption, and the same caption with one thing wrong. What is printed is measured
by nested cross-validation: each pair is ordered by weights that saw nothing of its clip. Use
the file of weights as the parameter weights of earmark."""


def add_model(models: Any) -> None:
    """Add ``train earmark`` to the models."""
    parser = command_parser(models, "earmark", "the weights of the metric earmark", _DESCRIPTION)
    parser.add_argument(
        "--judgments", required=True, metavar="FILE", help="pairs that people judged, JSON"
    )
    parser.add_argument(
        "--references",
        nargs="+",
        required=True,
        metavar="FILE",
        help="references of which captions with one thing wrong are made",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the weights")
    parser.add_argument(
        "--clips", type=int, default=None, help="clips of each file of references that are used"
    )
    parser.add_argument("--seed", type=int, default=None, help="seed of changes and folds")
    parser.add_argument("--name", default=None, help="name that appears in signatures")
    parser.add_argument(
        "--ablation",
        dest="ablated",
        action="store_true",
        help="validate without each part as well, and write ablation.json",
    )
    parser.add_argument(
        "--validated",
        metavar="FILE",
        help="write the validated accuracies with signature and intervals: what the pages of the"
        " site show is kept in this form",
    )
    add_device(parser, "models run")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Learn weights, print how well they do, and return the exit code."""
    from earmark.benchmark import read_judgments
    from earmark.benchmark_results import validated_json
    from earmark.train.earmark.training import EarmarkRecipe, train
    from earmark.workspace import Workspace

    if parsed.clips is not None and parsed.clips < 1:
        raise Misuse(f"{parsed.clips} clips are too few. Give at least 1.")
    check_outputs([parsed.judgments, *parsed.references], parsed.validated)
    judgments = read_judgments(read_file(parsed.judgments))
    corpora = [_references(path) for path in parsed.references]
    make_folder(Path(parsed.out))
    report = train(
        judgments,
        corpora,
        Path(parsed.out),
        Workspace(device=parsed.device),
        recipe=EarmarkRecipe(**given_options(parsed, "clips", "seed", "name", "ablated")),
        log=print_line,
    )
    if parsed.validated is not None:
        signed = _signature(Path(parsed.out), judgments)
        write_text(parsed.validated, validated_json(signed, report.validated))
    sys.stdout.write(report.as_json())
    return 0


def _signature(folder: Path, judgments: "Judgments") -> str:
    """What the new weights are signed with on these judgments."""
    from earmark.benchmark import queries
    from earmark.metrics.earmark.metric import Earmark
    from earmark.train.earmark.training import WEIGHTS_FILE

    metric = Earmark(weights=str(folder / WEIGHTS_FILE))
    judged = References.build(
        (caption.caption, caption.references) for caption in queries(judgments)
    )
    return signature(metric.name, metric.parameters, judged.counts_label, metric.revision)


def _references(path: str) -> References:
    """Read references, unpacked where the name ends in .gz; raise ``Misuse`` for what is wrong."""
    place = Path(path)
    text = read_text(place)
    reading = read_references(text.encode(), file_name=place.name.removesuffix(".gz"))
    if reading.value is None:
        raise Misuse(f"{path} cannot be used as references: {reading.faults[0]}")
    return reading.value
