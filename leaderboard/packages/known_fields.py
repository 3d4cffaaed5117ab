"""Known fields of the metadata: where each key belongs, and how people write it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from leaderboard.packages.metadata import Metadata

Path = tuple[str, ...]
# What people write for a key; compared without case, and with _ for other marks.
SYNONYMS = {
    "last_name": "lastname",
    "surname": "lastname",
    "family_name": "lastname",
    "first_name": "firstname",
    "given_name": "firstname",
    "e_mail": "email",
    "mail": "email",
    "institution": "institute",
    "audio_modeling": "audio_modelling",
    "word_modeling": "word_modelling",
    "optimiser": "optimizer",
    "total_params": "total_parameters",
    "num_parameters": "total_parameters",
    "spider_fl": "spiderfl",
    "external_data": "external_datasets",
    "code": "source_code",
}


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """The place of a field; ``listed`` where it is in the items of a list.

    ``holds`` is the part that it holds, ``many`` where it holds a list of them.
    """

    path: Path
    listed: bool
    holds: type[Any] | None
    many: bool = False


def plain_key(key: str) -> str:
    """A key under the name that it has in DCASE's files."""
    plain = re.sub(r"[\s\-]+", "_", key.strip().lower()).strip("_")
    return SYNONYMS.get(plain, plain)


def _walk(kind: type[Any], path: Path, *, listed: bool) -> Iterator[tuple[str, FieldPlace]]:
    for spec in fields(kind):
        if spec.name == "more":
            continue
        holds = spec.metadata.get("part") or spec.metadata.get("parts")
        yield spec.name, FieldPlace(path, listed, holds, "parts" in spec.metadata)
        if holds is not None:
            inner = listed or "parts" in spec.metadata
            yield from _walk(holds, (*path, spec.name), listed=inner)


FIELD_PLACES: dict[str, list[FieldPlace]] = {}
for _name, _home in _walk(Metadata, (), listed=False):
    FIELD_PLACES.setdefault(_name, []).append(_home)


def known_at(path: Path, key: str) -> bool:
    """Tell whether a key belongs to the part at ``path``, whose lists are left out."""
    meant = _usual_path(path)
    return any(home.path == meant for home in FIELD_PLACES.get(plain_key(key), ()))


def _usual_path(path: Path) -> Path:
    """The path under which a part belongs, wherever its file has it."""
    names = tuple(plain_key(name) for name in path)
    home = field_place(names[0]) if names else None
    return names if home is None else (*home.path, *names)


def field_place(key: str) -> FieldPlace | None:
    """The only place outside of lists where a key belongs, None where there are several."""
    single = [home for home in FIELD_PLACES.get(plain_key(key), ()) if not home.listed]
    return single[0] if len(single) == 1 else None


# Labels of the characteristics, in the order of forms and tables.
CHARACTERISTICS = {
    "audio_modelling": "Encoder",
    "word_modelling": "Decoder",
    "total_parameters": "Parameters",
    "external_datasets": "External data",
    "source_code": "Source code",
}
_PLACES = {name: (*FIELD_PLACES[name][0].path, name) for name in CHARACTERISTICS}


@dataclass(frozen=True, slots=True)
class Characteristics:
    """The characteristics of a system, None where its team left them out.

    ``parameters`` is None, too, where the value is no number; ``external_data`` names the
    data sets.
    """

    encoder: str | None
    decoder: str | None
    parameters: int | None
    external_data: tuple[str, ...]
    source_code: str | None


def characteristics_of(metadata: Any) -> Characteristics:
    """Read the characteristics from ``Submission.metadata``; never fails."""
    parameters = characteristic_value(metadata, "total_parameters")
    return Characteristics(
        encoder=_text(characteristic_value(metadata, "audio_modelling")),
        decoder=_text(characteristic_value(metadata, "word_modelling")),
        parameters=parameters if type(parameters) is int else None,
        external_data=_names(characteristic_value(metadata, "external_datasets")),
        source_code=_text(characteristic_value(metadata, "source_code")),
    )


def characteristic_value(metadata: Any, name: str) -> Any:
    """Stored value of a characteristic of ``CHARACTERISTICS``, None where there is none.

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
