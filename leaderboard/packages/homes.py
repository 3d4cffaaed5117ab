"""Where each key of the metadata belongs, and where one that stands elsewhere was meant to be."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from leaderboard.packages.metadata import Metadata

Path = tuple[str, ...]
# What people write for a key; all compared without case, and with _ for other marks.
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
class Home:
    """The place of a key; ``listed`` where it stands in the items of a list.

    ``holds`` is the part that stands under it, ``many`` where that is a list of them.
    """

    path: Path
    listed: bool
    holds: type[Any] | None
    many: bool = False


def plain_key(key: str) -> str:
    """Reduce a key to the name that it has in DCASE's files."""
    plain = re.sub(r"[\s\-]+", "_", key.strip().lower()).strip("_")
    return SYNONYMS.get(plain, plain)


def _walk(kind: type[Any], path: Path, *, listed: bool) -> Iterator[tuple[str, Home]]:
    for spec in fields(kind):
        if spec.name == "more":
            continue
        holds = spec.metadata.get("part") or spec.metadata.get("parts")
        yield spec.name, Home(path, listed, holds, "parts" in spec.metadata)
        if holds is not None:
            inner = listed or "parts" in spec.metadata
            yield from _walk(holds, (*path, spec.name), listed=inner)


HOMES: dict[str, list[Home]] = {}
for _name, _home in _walk(Metadata, (), listed=False):
    HOMES.setdefault(_name, []).append(_home)


def known_at(path: Path, key: str) -> bool:
    """Tell whether a key belongs to the part at ``path``, whose lists are left out."""
    meant = _at_home(path)
    return any(home.path == meant for home in HOMES.get(plain_key(key), ()))


def _at_home(path: Path) -> Path:
    """Give the path under which a part belongs, wherever its file has it."""
    names = tuple(plain_key(name) for name in path)
    home = home_of(names[0]) if names else None
    return names if home is None else (*home.path, *names)


def home_of(key: str) -> Home | None:
    """Give the one place outside of lists where a key belongs, None where there are others."""
    single = [home for home in HOMES.get(plain_key(key), ()) if not home.listed]
    return single[0] if len(single) == 1 else None
