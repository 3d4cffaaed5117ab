"""Blueprints of new challenges: the rules of known ones, as data files in this folder.

Each file has a title, a sentence about it, a text (Markdown) to be completed, and
phases with the rules of ``models.Phase``. The text repeats none of these rules, which pages
show as they are set. Until 2023 DCASE called its hidden split
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


def left_to_write(text: str) -> str:
    """In how many places a text still asks to be written; empty where it does in none."""
    count = text.count(TO_WRITE)
    return "" if not count else "1 place" if count == 1 else f"{count} places"


@dataclass(frozen=True, slots=True)
class Blueprint:
    """The beginning of a challenge; ``phases`` hold the values of the phases to make."""

    name: str
    order: int
    title: str
    about: str
    summary: str
    description: str
    phases: list[dict[str, Any]]


@cache
def blueprints() -> dict[str, Blueprint]:
    """Every blueprint by its name, in the order in which they are offered."""
    read = [
        Blueprint(path.stem, **yaml.safe_load(path.read_text("utf-8")))
        for path in FOLDER.glob("*.yaml")
    ]
    return {blueprint.name: blueprint for blueprint in sorted(read, key=lambda row: row.order)}
