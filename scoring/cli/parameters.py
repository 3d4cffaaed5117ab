"""Parameters of metric families on the command line: ``--set sbf.tag_threshold=0.45``."""

import argparse
import math
from collections.abc import Iterable
from inspect import Parameter
from typing import Any, Literal, get_origin

from scoring.chosen_metrics import (
    ABOVE_NOUGHT,
    AT_MOST_ONE,
    FamilyNotAsked,
    ParametersUnusable,
    made_with,
    options_of,
)
from scoring.cli.files import Misuse
from scoring.errors import UnusableParameter
from scoring.pipeline import check_families
from scoring.registry import METRICS

_FORM = "FAMILY.PARAMETER=VALUE"


def add_set_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--set``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar=_FORM,
        help="a parameter of a metric family, or of the family of a metric, such as"
        " sbf.tag_threshold=0.45 or, shorter, sbf.tag_t=0.45; may be given several times, and"
        " overrules --encoder and --detector",
    )


def set_parameters(texts: Iterable[str], families: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Read what ``--set`` was given, and check it for the families that are asked for.

    Raises ``Misuse``, ``UnknownFamily``, ``FamilyNotAsked``, ``ParametersUnusable``,
    ``UnusableParameter``, and what a family raises for a value.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, given, value = text.partition("=")
        family, dot, option = name.partition(".")
        if not (given and dot):
            raise Misuse(f"--set: {text!r} is not {_FORM}, such as sbf.tag_threshold=0.45.")
        if family in METRICS:
            family = METRICS[family].family
        check_families({family: {}})
        if family not in families:
            raise FamilyNotAsked(family, families)
        whole = _whole_name(family, option)
        found.setdefault(family, {})[whole.name] = _value(family, whole, value)
    for family, own in found.items():
        made_with(family, own)
    return found


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
