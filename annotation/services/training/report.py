"""What is kept of a training's report: numbers that JSON can hold, and no captions of others."""

from math import isfinite
from typing import Any

from annotation.selectors.backbones import backbone_said


def storable_report(report: dict[str, Any], *, own: str) -> dict[str, Any]:
    """Give a report as it is kept; ``own`` names the inventory of the project.

    Captions of projects that only helped are left out: who reads this project's report
    may not read theirs. So is the folder of the backbone on this server.
    """
    found: dict[str, Any] = _finite(report)
    for part in ("inventories", "folds"):
        for name, told in (found.get(part) or {}).items():
            if name != own and isinstance(told, dict):
                told["errors"] = []
    recipe = found.get("recipe") or {}
    if "backbone" in recipe:
        recipe["backbone"] = backbone_said(str(recipe["backbone"]))
    return found


def _finite(value: Any) -> Any:
    """Put nothing in the place of numbers that are not finite, at any depth."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value
