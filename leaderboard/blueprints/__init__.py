"""Blueprints of new challenges: the rules of known ones, as data files in this folder.

Each file has a title, a sentence about it, a text (Markdown) to be completed, and
phases with the rules of ``models.Phase``. Until 2023 DCASE called its hidden split
"testing" and its public one "evaluation"; in 2024 the hidden one is "evaluation" and
the public one "development-testing". That is why phases are named here and not guessed.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent
# Stands in a text where organisers have to write something.
TO_WRITE = "To be written:"


@dataclass(frozen=True, slots=True)
class Blueprint:
    """The beginning of a challenge; ``phases`` hold the values of the phases to make."""

    name: str
    title: str
    about: str
    summary: str
    description: str
    phases: tuple[dict[str, Any], ...]


@cache
def blueprints() -> dict[str, Blueprint]:
    """Every blueprint by its name, in the order in which they are offered."""
    found = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FOLDER.glob("*.yaml")}
    in_order = sorted(found.items(), key=lambda entry: int(entry[1]["order"]))
    return {name: _blueprint(name, data) for name, data in in_order}


def _blueprint(name: str, data: dict[str, Any]) -> Blueprint:
    return Blueprint(
        name=name,
        title=data["title"],
        about=data["about"],
        summary=data["summary"],
        description=data["description"],
        phases=tuple(data["phases"]),
    )
