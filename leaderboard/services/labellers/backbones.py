"""Backbones of labellers that lie in folders of this server.

Whoever downloads a labeller learns what its backbone is called and the hash of it, not where
it lies. That is noted beside the labeller's files and is no part of them.
"""

import json
from pathlib import Path

from django.conf import settings

from leaderboard.selectors.labellers.files import CONFIG
from scoring.models.descriptors.labeller import PLACE


def backbone_named(folder: Path) -> None:
    """Name in a labeller that was trained here its backbone's folder by its name alone."""
    told = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    backbone = Path(told.get("backbone") or "")
    if backbone.is_absolute():
        (folder / PLACE).write_text(str(backbone), encoding="utf-8")
        told["backbone"] = backbone.name
        (folder / CONFIG).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def backbone_placed(folder: Path) -> None:
    """Note where the backbone that a labeller names is, where it is one of this installation's.

    Its hash is compared when it is loaded.
    """
    try:
        name = json.loads((folder / CONFIG).read_bytes())["backbone"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return  # what is wrong with it is told by who checks it
    found = next((one for one in map(Path, settings.BACKBONES) if _is(one, name)), None)
    if found is not None:
        (folder / PLACE).write_text(str(found), encoding="utf-8")


def _is(place: Path, name: object) -> bool:
    return place.is_absolute() and place.name == name
