"""Whether files are a labeller that this site can use: told before anything is kept.

Nothing of them is run: the configuration is JSON and the weights are safetensors, which
hold numbers alone.
"""

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from leaderboard.selectors.labellers.files import CONFIG, WEIGHTS, is_identity
from leaderboard.services.labellers.configuring import check_config
from leaderboard.services.labellers.refusing import LabellerRefused
from scoring.errors import ScoringError

MOST_CONFIG_BYTES = 64_000
MOST_TENSORS = 2_000
_TYPES = {"F32", "F16", "BF16"}
# The one tensor that holds no numbers but a text: the tokeniser of a labeller that has all weights.
_BYTES = {"tokenizer.json": "U8"}


@dataclass(frozen=True, slots=True)
class Checked:
    """What the files say of themselves; ``identity`` is as it stands in signatures."""

    name: str
    identity: str
    labels: tuple[str, ...]
    size: int


def labeller_checked(folder: Path, *, made_here: bool) -> Checked:
    """Read a labeller's two files with all that can be wrong in them.

    ``made_here``: they were written by this site and not sent by a person. Raises
    ``LabellerRefused``. The encoder is loaded once, to see that the weights fit.
    """
    size = sum(_size(folder / name) for name in (CONFIG, WEIGHTS))
    if (folder / CONFIG).stat().st_size > MOST_CONFIG_BYTES:
        raise LabellerRefused(f"{CONFIG} is larger than {MOST_CONFIG_BYTES:,} bytes.")
    told = json_object((folder / CONFIG).read_bytes(), CONFIG)
    labels = check_config(told, made_here=made_here, weights=(folder / WEIGHTS).stat().st_size)
    _check_weights(folder / WEIGHTS)
    identity = _fitted(folder)
    if not is_identity(identity):
        raise LabellerRefused(f"{CONFIG} has the name {str(told['name'])[:80]!r}. Take another.")
    return Checked(str(told["name"]), identity, labels, size)


def json_object(data: bytes, name: str) -> dict[str, Any]:
    """Read a JSON object, with numbers and letters that a database can keep.

    Raises ``LabellerRefused``.
    """

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"it has the number {constant}")

    try:
        told = json.loads(data.decode("utf-8"), parse_constant=refuse)
        # Also refuses halves of surrogate pairs, and numbers beyond those of computers.
        text = json.dumps(told, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise LabellerRefused(f"{name} cannot be read as JSON: {reason}.") from error
    if "\\u0000" in text:
        raise LabellerRefused(f"{name} holds the character NUL. Take it out.")
    if not isinstance(told, dict):
        raise LabellerRefused(f"{name} is no JSON object.")
    return told


def _size(path: Path) -> int:
    try:
        found = path.lstat()
    except OSError as error:
        raise LabellerRefused(f"{path.name} is missing.") from error
    if not stat.S_ISREG(found.st_mode):
        raise LabellerRefused(f"{path.name} is no file.")
    return found.st_size


def _check_weights(path: Path) -> None:
    """Look into the head of the weights, and see that every number is one."""
    import torch
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as weights:
            names = list(weights.keys())
            if not 1 <= len(names) <= MOST_TENSORS:
                raise LabellerRefused(f"{WEIGHTS} has {len(names):,} tensors.")
            for name in names:
                kind = weights.get_slice(name).get_dtype()
                if kind == _BYTES.get(name):
                    continue
                if kind not in _TYPES:
                    raise LabellerRefused(
                        f"{WEIGHTS} has {name[:60]!r} as {kind}. Store floating-point numbers."
                    )
                if not bool(torch.isfinite(weights.get_tensor(name)).all()):
                    raise LabellerRefused(
                        f"{WEIGHTS} has values in {name[:60]!r} that are no numbers. "
                        "The training went wrong; train it anew."
                    )
    except (SafetensorError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:160]
        raise LabellerRefused(f"{WEIGHTS} cannot be read as safetensors: {reason}.") from error


def _fitted(folder: Path) -> str:
    """Load it as the scorer would, and give its identity."""
    from scoring.models.descriptors import find_labeller
    from scoring.models.descriptors.files import load_network

    try:
        load_network(folder, "cpu")
        return find_labeller(str(folder)).identity
    except (ScoringError, RuntimeError, ValueError, TypeError, ArithmeticError) as error:
        # The folder is one of ours, of no use to who reads this.
        reason = str(error).replace(str(folder), "the upload")[:300]
        raise LabellerRefused(f"The weights and {CONFIG} do not fit: {reason}") from error
