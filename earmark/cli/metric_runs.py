"""Runs of metrics on the command line: options, parameters, models, cache and progress."""

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from inspect import Parameter
from pathlib import Path
from typing import Any, Literal, get_origin

from rich.console import Console
from rich.table import Table
from rich.text import Text

from earmark.as_published import as_published
from earmark.cache_folder import user_cache
from earmark.chosen_metrics import (
    ABOVE_NOUGHT,
    AT_MOST_ONE,
    FamilyNotAsked,
    ParametersUnusable,
    made_with,
    options_of,
)
from earmark.cli.files import Misuse, add_device
from earmark.errors import ScoringError, UnusableParameter
from earmark.metric_sets import ALL, split_names
from earmark.pipeline import check_families
from earmark.progress_bars import shown_progress
from earmark.registry import METRICS, families_of
from earmark.runtime import device_name, usable_processors
from earmark.tables import FiguresTable
from earmark.text.parsing_process import ParsingProcess
from earmark.workspace import Workspace

Parameters = dict[str, dict[str, Any]]
_FORM = "FAMILY.PARAMETER=VALUE"


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add which metrics are computed, with which models, and where."""
    parser.add_argument(
        "-m",
        "--metrics",
        default="all",
        metavar="NAMES",
        help="metric names separated by commas, a set of them such as dcase2024, or all"
        ' (default); see "metrics"',
    )
    parser.add_argument(
        "--encoder",
        metavar="NAME_OR_PATH",
        help="sentence encoder for every metric that uses one: a sentence-transformers model on"
        " this machine, by name or by the path of its folder (nothing is downloaded)",
    )
    parser.add_argument(
        "--detector",
        metavar="PATH",
        help="fluency detector for every metric that uses one: the folder of one trained here, or"
        " the original authors' .ckpt file",
    )
    parser.add_argument(
        "--as-published",
        metavar="FOLDER",
        type=Path,
        help="the models and settings of the papers for every metric whose paper used others; the"
        " models lie in this folder under their own names (docs/reference/scoring.md lists them)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar=_FORM,
        help="a parameter of a metric family, or of the family of a metric, such as"
        " sbf.tag_threshold=0.45 or, shorter, sbf.tag_t=0.45; may be given several times, and"
        " overrules --encoder and --detector",
    )
    add_device(parser, "models run")
    parser.add_argument(
        "--cache",
        metavar="FOLDER",
        help="keep what is prepared from the references here (default: earmark in the user's"
        " cache folder)",
    )


def asks_for_all(names: str) -> bool:
    """Whether every metric is wanted that the captions allow."""
    return ALL in split_names(names)


def model_parameters(parsed: argparse.Namespace, wanted: tuple[str, ...]) -> Parameters:
    """Parameters by family: as published, the wanted models for all that take them, ``--set``.

    What comes later overrules. Raises ``OriginalsMissing`` where a paper's model is not there,
    ``EncoderMissing`` or ``DetectorMissing`` where there is no such model, ``Misuse`` where no
    metric asked for would use it, and as ``set_parameters``.
    """
    models = {
        name: value
        for name in ("encoder", "detector")
        if (value := getattr(parsed, name)) is not None
    }
    _find(models)
    families = families_of(wanted)
    parameters: Parameters = {}
    if parsed.as_published is not None:
        parameters = as_published(parsed.as_published, families)
        if not parameters:
            raise Misuse("--as-published changes none of the metrics asked for. Leave it out.")
    taken = {family: _parameters_of(family) for family in families if models}
    for name, value in models.items():
        users = [family for family, names in taken.items() if name in names]
        if not users:
            raise Misuse(f"None of the metrics asked for uses the model of --{name}. Leave it out.")
        for family in users:
            parameters[family] = {**parameters.get(family, {}), name: value}
    for family, own in set_parameters(parsed.set, families).items():
        parameters[family] = {**parameters.get(family, {}), **own}
    return parameters


def _find(models: dict[str, str]) -> None:
    """Raise now, and not once for each metric, where a model is not on this machine."""
    if "encoder" in models:
        from earmark.models.encoder import find_encoder

        find_encoder(models["encoder"])
    if "detector" in models:
        if not models["detector"]:
            raise Misuse("--detector has no path. Leave it out for the shipped detector.")
        from earmark.models.fluency import find_detector

        find_detector(models["detector"])


def _parameters_of(family: str) -> tuple[str, ...]:
    """Name what a family can be made with; nothing where it cannot be imported.

    Such a family is unavailable when it is scored, and says why there.
    """
    try:
        return tuple(options_of(family))
    except (ScoringError, ImportError, OSError):
        return ()


def set_parameters(texts: Iterable[str], families: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Read what ``--set`` was given, and check it for the families that are asked for.

    Raises ``Misuse``, ``UnknownFamily``, ``FamilyNotAsked``, ``ParametersUnusable``,
    ``UnusableParameter``, and what a family raises for a value.
    """
    chosen: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        family, dot, option = name.partition(".")
        if not (equals and dot):
            raise Misuse(f"--set: {text!r} is not {_FORM}, such as sbf.tag_threshold=0.45.")
        if family in METRICS:
            family = METRICS[family].family
        check_families({family: {}})
        if family not in families:
            raise FamilyNotAsked(family, families)
        whole = _whole_name(family, option)
        chosen.setdefault(family, {})[whole.name] = _value(family, whole, value)
    for family, own in chosen.items():
        made_with(family, own)
    return chosen


def _whole_name(family: str, name: str) -> Parameter:
    """The option of that name, or the only one of which each word begins like the name's."""
    options = options_of(family)
    words = name.split("_")
    near = [
        option
        for key, option in options.items()
        if len(words) == key.count("_") + 1
        and all(map(str.startswith, key.split("_"), words))
        and all(words)
    ]
    if name in options:
        return options[name]
    if len(near) != 1:
        known = ", ".join(sorted(options)) or "none"
        raise ParametersUnusable(f"{family} has no parameter {name!r}. Choose from: {known}.")
    return near[0]


def _value(family: str, option: Parameter, text: str) -> Any:
    kind = option.annotation
    if kind in (str, str | None) or get_origin(kind) is Literal:
        return text
    if kind is int and text.lstrip("+-").isdecimal():
        return int(text)
    if kind is int:
        raise UnusableParameter(family, option.name, text, "a whole number")
    if kind is not float:
        raise Misuse(f"--set: {option.name} of {family} is no single value. Give it in Python.")
    above, share = option.name in ABOVE_NOUGHT, option.name.endswith(AT_MOST_ONE)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    usable = f"a number {'above 0' if above else 'from 0 to 1' if share else 'from 0 up'}"
    too_low = number < 0 or (above and number == 0)
    if not math.isfinite(number) or too_low or (share and number > 1):
        raise UnusableParameter(family, option.name, text, usable)
    return number


@contextmanager
def run_workspace(
    parsed: argparse.Namespace, families: Sequence[str], clips: int, **settings: Any
) -> Iterator[Workspace]:
    """Open the workspace of a run, and show its progress while the block runs."""
    cache = Path(parsed.cache) if parsed.cache else user_cache()
    processors = usable_processors()
    parsing = ParsingProcess() if processors > 1 else None
    with shown_progress(families, clips) as report, parsing or nullcontext():
        yield Workspace(
            cache_dir=cache,
            device=device_name(parsed.device),
            processors=processors,
            parsing=parsing,
            progress=report,
            **settings,
        )


def figures_table(*headings: str) -> Table:
    """A table whose first column has names, and all others figures."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    return table


def print_figures(figures: FiguresTable, *, to_stderr: bool) -> None:
    """Print a table and what stands below it."""
    console = Console(stderr=to_stderr)
    table = figures_table(*figures.headings)
    for row in figures.rows:
        table.add_row(*row)
    if figures.rows:
        console.print(table, soft_wrap=True)
    for note in figures.notes:
        console.print(Text(note), soft_wrap=True)


def print_unavailable(console: Console, missing: Mapping[str, str]) -> None:
    """Name the metrics that could not be computed, each with its reason."""
    for name, reason in missing.items():
        console.print(Text(f"{name} is unavailable: {reason}"), soft_wrap=True)
