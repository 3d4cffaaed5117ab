"""The words of an explanation, from texts.toml."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("texts.toml")


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a metric's number comes about, what it does not see, and the clip that shows it."""

    name: str
    what: str
    misses: str
    clip: str


@cache
def explanations() -> dict[str, Explanation]:
    """Give the explanation of every metric by name."""
    with _FILE.open("rb") as file:
        rows = tomllib.load(file)
    return {name: Explanation(name, **_trimmed(row)) for name, row in rows.items()}


def _trimmed(row: dict[str, str]) -> dict[str, str]:
    return {key: value.strip() for key, value in row.items()}
