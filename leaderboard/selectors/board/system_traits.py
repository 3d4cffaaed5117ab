"""What a system is made of, read from what its team says of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.packages.metadata_fields import characteristic_value

_SUFFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9}
_NUMBER = re.compile(r"\s*([0-9][0-9,_ ]*(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,2})?)\s*([kmbg]?)", re.I)
_NOTHING = {"", "no", "none", "false", "n/a", "null", "~", "-"}


@dataclass(frozen=True, slots=True)
class Traits:
    """Characteristics by which systems are told apart; empty or None where nothing is said."""

    encoder: str = ""
    decoder: str = ""
    parameters: float | None = None
    external: bool | None = None


def traits_of(metadata: Mapping[str, Any]) -> Traits:
    """Read the characteristics; numbers as people write them, too."""
    return Traits(
        encoder=_text(characteristic_value(metadata, "audio_modelling")),
        decoder=_text(characteristic_value(metadata, "word_modelling")),
        parameters=_number(characteristic_value(metadata, "total_parameters")),
        external=_says_something(characteristic_value(metadata, "external_datasets")),
    )


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(inner) for inner in value)
    text = str(value).strip() if isinstance(value, str | int | float) else ""
    return "" if isinstance(value, bool) or text.lower() in _NOTHING else text


def _number(value: object) -> float | None:
    """Read a count as people write it: 98000000, "98,000,000", "98M"."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if 0 <= value < 1e18 else None
    found = _NUMBER.match(value) if isinstance(value, str) else None
    if found is None:
        return None
    digits = re.sub("[,_ ]", "", found[1])
    return float(digits) * _SUFFIXES[found[2].lower()] if len(digits) < 25 else None


def _says_something(value: object) -> bool | None:
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip().lower() not in _NOTHING
    return bool(value)
