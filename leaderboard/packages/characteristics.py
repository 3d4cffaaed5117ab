"""What tables say of a system, from its stored metadata."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.packages.homes import HOMES

# What readers call the characteristics, in the order in which they are asked for and shown.
CHARACTERISTICS = {
    "audio_modelling": "Encoder",
    "word_modelling": "Decoder",
    "total_parameters": "Parameters",
    "external_datasets": "External data",
    "source_code": "Source code",
}
_PLACES = {name: (*HOMES[name][0].path, name) for name in CHARACTERISTICS}


@dataclass(frozen=True, slots=True)
class Characteristics:
    """The characteristics of a system, None where its team said nothing.

    ``parameters`` is None too where what was said is no number; ``external_data``
    names the data sets.
    """

    encoder: str | None
    decoder: str | None
    parameters: int | None
    external_data: tuple[str, ...]
    source_code: str | None


def characteristics_of(metadata: Any) -> Characteristics:
    """Read the characteristics from ``Submission.metadata``; never fails."""
    parameters = said(metadata, "total_parameters")
    return Characteristics(
        encoder=_text(said(metadata, "audio_modelling")),
        decoder=_text(said(metadata, "word_modelling")),
        parameters=parameters if type(parameters) is int else None,
        external_data=_names(said(metadata, "external_datasets")),
        source_code=_text(said(metadata, "source_code")),
    )


def said(metadata: Any, name: str) -> Any:
    """Give what stored metadata say under a name of ``CHARACTERISTICS``, None where nothing.

    They have DCASE's nesting; what was stored before has these names at the top.
    """
    here = metadata
    for key in _PLACES[name]:
        here = here.get(key) if isinstance(here, Mapping) else None
    if here is None and isinstance(metadata, Mapping):
        return metadata.get(name)
    return here


def _text(value: Any) -> str | None:
    return None if value in (None, "") else str(value)


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    if not isinstance(value, list):
        return ()
    names = [item.get("name") if isinstance(item, Mapping) else item for item in value]
    return tuple(str(name) for name in names if name)
