"""What may stand in a labeller's config.json."""

import math
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from leaderboard.selectors.labellers.files import CONFIG, is_identity
from leaderboard.services.labellers.refusing import LabellerRefused
from scoring.models.descriptors.inventory import OUTSIDE

KEYS = (
    "name",
    "labels",
    "encoder",
    "rank",
    "alpha",
    "method",
    "backbone",
    "hidden",
    "digest",
    "architecture",
)
MOST_LABELS, LONGEST_LABEL = 60, 40
# Key -> the highest value; beyond it no labeller is, but memory would be gone.
HIGHEST = {"rank": 256, "hidden": 8_192}
METHODS = ("lora", "head", "full")
# Of a labeller that brings all weights of its encoder.
ENCODERS = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra")


def check_config(told: dict[str, Any], *, made_here: bool, weights: int) -> tuple[str, ...]:
    """Look at every key, and give the labels.

    ``weights`` is the size of the other file in bytes. Raises ``LabellerRefused``.
    """
    unknown = sorted(told.keys() - set(KEYS))
    if unknown:
        raise LabellerRefused(
            f"{CONFIG} has a key that labellers do not have: {unknown[0][:60]!r}. "
            f"Known are: {', '.join(KEYS)}."
        )
    for key in ("name", "labels", "encoder"):
        if key not in told:
            raise LabellerRefused(f"{CONFIG} does not say {key!r}.")
    _check_name(told["name"])
    for key, most in HIGHEST.items():
        _check_number(key, told.get(key, 0), most, whole=True)
    _check_number("alpha", told.get("alpha", 0), 10_000, whole=False)
    method = told.get("method", "lora")
    if method not in METHODS:
        raise _wrong("method", method, f"Give one of: {', '.join(METHODS)}.")
    _check_backbone(told.get("backbone", ""), made_here=made_here)
    if not isinstance(told["encoder"], str) or not isinstance(told.get("digest", ""), str):
        raise _wrong("encoder", told["encoder"], "Give a text.")
    if not made_here:
        _check_architecture(told.get("architecture", {}), method, weights)
    return _labels(told["labels"])


def _check_name(name: Any) -> None:
    """Take what can stand in a signature: neither the signs that part its fields nor a path."""
    if not isinstance(name, str) or not is_identity(f"{name}@01234567"):
        raise _wrong(
            "name",
            name,
            "It stands in signatures, so take 1 to 60 characters without spaces, slashes, "
            "commas, colons, semicolons, | and @.",
        )


def _check_number(key: str, value: Any, most: int, *, whole: bool) -> None:
    kinds = int if whole else int | float
    right = isinstance(value, kinds) and not isinstance(value, bool)
    if not right or not (math.isfinite(value) and 0 <= value <= most):
        raise _wrong(key, value, f"Give 0 to {most:,}.")


def _check_backbone(backbone: Any, *, made_here: bool) -> None:
    """Refuse a path from outside: which folders this server has is nobody's to ask."""
    if not isinstance(backbone, str):
        raise _wrong("backbone", backbone, "Give a text.")
    if made_here or not backbone:
        return
    paths = (PurePosixPath(backbone), PureWindowsPath(backbone))
    parts = paths[1].parts
    if any(path.is_absolute() for path in paths) or ".." in parts or "\\" in backbone:
        raise _wrong(
            "backbone",
            backbone,
            "That is a path of the machine on which it was made. Give the name of a model.",
        )
    if len(parts) > 2 or "." in parts or "~" in backbone:
        raise _wrong("backbone", backbone, "Give the name of a model, as roberta-base.")


def _check_architecture(told: Any, method: str, weights: int) -> None:
    """Refuse an encoder that is much larger than the weights that are to fill it."""
    if not isinstance(told, dict):
        raise _wrong("architecture", told, "Give an object.")
    if not told:
        return
    if method != "full":
        raise _wrong("architecture", "{...}", f"With the method {method} there is none.")
    kind = told.get("model_type")
    if kind not in ENCODERS:
        raise _wrong("architecture", kind, f"Known encoders are: {', '.join(ENCODERS)}.")
    odd = next((key for key in told if key.startswith("_") or key in {"auto_map"}), None)
    if odd is not None:
        raise _wrong("architecture", odd, "Leave it out.")
    width = max(_whole(told, "hidden_size", "dim"), _whole(told, "embedding_size", usual=1))
    layers = _whole(told, "num_hidden_layers", "n_layers")
    inner = _whole(told, "intermediate_size", "hidden_dim")
    rows = _whole(told, "vocab_size") + _whole(told, "max_position_embeddings")
    rows += _whole(told, "type_vocab_size", usual=1)
    values = rows * width + layers * (4 * width * width + 2 * width * inner)
    if 2 * values > 1.2 * weights:
        raise _wrong("architecture", kind, "It is larger than the weights that came with it.")


def _whole(told: dict[str, Any], *names: str, usual: int | None = None) -> int:
    value = next((told[name] for name in names if name in told), usual)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _wrong("architecture", value, f"Give {names[0]} as a whole number.")
    return value


def _labels(given: Any) -> tuple[str, ...]:
    """Give the labels: several, each a short word that stands once, O among them."""
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_LABELS:
        raise LabellerRefused(f"{CONFIG} must list 2 to {MOST_LABELS} labels.")
    for label in given:
        if not isinstance(label, str) or not label or label != " ".join(label.split()):
            raise _wrong("label", label, "It is no word.")
        if len(label) > LONGEST_LABEL or not label.isprintable():
            raise _wrong(
                "label", label, f"Take up to {LONGEST_LABEL} letters, digits and plain signs."
            )
    twice = next((label for label in given if given.count(label) > 1), None)
    if twice is not None:
        raise LabellerRefused(f"{CONFIG} has the label {twice!r} twice.")
    if OUTSIDE not in given:
        raise LabellerRefused(
            f"{CONFIG} has no label {OUTSIDE!r}, which words have that describe nothing."
        )
    return tuple(given)


def _wrong(key: str, value: Any, fix: str) -> LabellerRefused:
    return LabellerRefused(f"{CONFIG} has the {key} {str(value)[:80]!r}. {fix}")
