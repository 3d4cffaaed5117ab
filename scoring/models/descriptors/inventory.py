"""Inventories of sound descriptors: the labels that a word can have.

Source: the ACES inventories (METRICS.md, "ACES"). They are data, so that an
organiser's own inventory goes the same way.
"""

import json
from functools import lru_cache
from pathlib import Path

RESOURCES = Path(__file__).parents[2] / "resources" / "descriptors"

OUTSIDE = "O"  # the label of a word that describes nothing
DEFAULT_INVENTORY = "aces-13"


@lru_cache(maxsize=1)
def inventories() -> dict[str, tuple[str, ...]]:
    """Give every shipped inventory by name, labels in their order, ``O`` last."""
    text = (RESOURCES / "inventory.json").read_text(encoding="utf-8")
    listed: dict[str, list[str]] = json.loads(text)["inventories"]
    return {name: tuple(labels) for name, labels in listed.items()}
