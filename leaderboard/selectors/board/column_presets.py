"""Choices of columns by name, from ``leaderboard/presets.toml``."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scoring.registry import METRICS

FILE = Path(__file__).parents[2] / "presets.toml"


@dataclass(frozen=True, slots=True)
class Preset:
    """Columns that are shown together."""

    name: str
    label: str
    about: str
    metrics: tuple[str, ...]


@cache
def presets() -> dict[str, Preset]:
    """Give the presets by name, in the order of the page; the last one shows everything."""
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["preset"]
    read = [Preset(row["name"], row["label"], row["about"], tuple(row["metrics"])) for row in rows]
    every = Preset("all", "All", "Every metric that some system has.", tuple(METRICS))
    return {preset.name: preset for preset in (*read, every)}
