"""The weights of the parts: a small file that comes with the package or is trained anew."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from earmark.errors import ScoringError

SHIPPED = Path(__file__).parents[2] / "resources" / "earmark" / "weights.json"
SUM_TO = 1e-6


class WeightsUnusable(ScoringError):
    """A file that has no weights of the metric."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"The weights of earmark in {path} cannot be used: {problem} "
            "Give a file that `train earmark` wrote."
        )


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each part by name, 0 or more, together 1; ``identity`` names them."""

    identity: str
    by_part: Mapping[str, float]


def weights_json(name: str, by_part: Mapping[str, float]) -> str:
    """Write weights, without those of 0."""
    kept = {part: weight for part, weight in by_part.items() if weight > 0}
    return json.dumps({"name": name, "weights": kept}, indent=1) + "\n"


@cache
def read_weights(path: str, parts: tuple[str, ...]) -> Weights:
    """Read a file of weights of these parts; "" stands for the shipped one.

    Raises ``WeightsUnusable``.
    """
    place = Path(path) if path else SHIPPED
    try:
        data = place.read_bytes()
        content = json.loads(data)
    except (OSError, ValueError) as error:
        raise WeightsUnusable(place, f"{error}.") from error
    if problem := _problem(content, parts):
        raise WeightsUnusable(place, problem)
    weights = {part: float(content["weights"].get(part, 0.0)) for part in parts}
    digest = sha256(json.dumps(content["weights"], sort_keys=True).encode()).hexdigest()[:8]
    return Weights(f"{content['name']}@{digest}", weights)


def _problem(content: Any, parts: tuple[str, ...]) -> str:
    if not isinstance(content, dict) or not isinstance(content.get("name"), str):
        return "there is no name."
    weights = content.get("weights")
    if not isinstance(weights, dict):
        return "there are no weights."
    for part, weight in weights.items():
        if part not in parts:
            return f"there is no part {part!r}."
        if not isinstance(weight, int | float) or not isfinite(weight) or weight < 0:
            return f"the weight of {part!r} is {weight!r}, not a number of 0 or more."
    if abs(sum(weights.values()) - 1) > SUM_TO:
        return f"the weights add up to {sum(weights.values()):.6f}, not to 1."
    return ""
