"""Checking whether files are a labeller that this site can use, before anything is stored.

No code of theirs is run: the configuration is JSON and the weights are safetensors, which
hold numbers alone, and the steps of a tokeniser are looked at one by one. Then a few
captions are labelled, since files that can be read may still not label.
"""

import json
import stat
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn

from earmark.json_values import deeper_than
from leaderboard.models import Labeller
from leaderboard.selectors.labellers.files import CONFIG, WEIGHTS, is_identity
from leaderboard.services.labellers.configuration import (
    LabellerRefused,
    check_config,
    check_tokeniser,
)
from leaderboard.web.redaction import without_paths

MOST_CONFIG_BYTES = 64_000
# The header of the weights is read at once; for so many tensors it is far shorter.
MOST_TENSORS, MOST_HEAD_BYTES = 2_000, 1_000_000
MOST_TOKENISER_BYTES = 40_000_000
MOST_LEVELS = 30
_TYPES = {"F32", "F16", "BF16"}
# The one tensor that holds no numbers but a text: the tokeniser of a labeller that has all weights.
TOKENISER = "tokenizer.json"
_BYTES = {TOKENISER: "U8"}
# Captions of several lengths, characters of several scripts, an endless word.
_TRIAL_CAPTIONS = (
    "a",
    "a dog barks",
    "A man's voice, then rain on a tin roof - 2 birds sing!",
    "\u00e9\u00e8 \u4e2d\u6587 \U0001f600 \u0627\u0644 e\u0301",
    "x" * 1_000,
    "a door creaks and shuts " * 60,
)
# Two whole networks at once could take more memory than there is.
_one_at_a_time = Lock()


def labeller_check(folder: Path, *, made_here: bool) -> Labeller:
    """Check a labeller's two files; returns a row, not saved, with its own description.

    ``made_here``: they were written by this site and not sent by a person. Raises
    ``LabellerRefused``. The encoder is loaded once, to see that the weights fit and label.
    """
    size = sum(_size(folder / name) for name in (CONFIG, WEIGHTS))
    if (folder / CONFIG).stat().st_size > MOST_CONFIG_BYTES:
        raise LabellerRefused(f"{CONFIG} is larger than {MOST_CONFIG_BYTES:,} bytes. Shorten it.")
    config = json_object((folder / CONFIG).read_bytes(), CONFIG)
    labels = check_config(config, made_here=made_here, weights=(folder / WEIGHTS).stat().st_size)
    _check_weights(folder / WEIGHTS)
    if not made_here and config.get("method") == "full":
        check_tokeniser(json_object(_tokeniser(folder / WEIGHTS), TOKENISER))
    identity = _identity_after_trial(folder, made_here=made_here)
    if not is_identity(identity):
        raise LabellerRefused(
            f"{CONFIG} has the name {str(config['name'])[:80]!r}. Choose another."
        )
    return Labeller(name=config["name"], identity=identity, labels=list(labels), size=size)


def json_object(data: bytes, name: str) -> dict[str, Any]:
    """A JSON object with numbers and characters that a database can store.

    Raises ``LabellerRefused``.
    """

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"it has the number {constant}")

    try:
        value = json.loads(data.decode("utf-8"), parse_constant=refuse)
        # Also refuses halves of surrogate pairs, and numbers beyond those of computers.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise LabellerRefused(f"{name} cannot be read as JSON: {reason}.") from error
    if "\\u0000" in text:
        raise LabellerRefused(f"{name} contains the character NUL. Remove it.")
    if not isinstance(value, dict):
        raise LabellerRefused(f"{name} is not a JSON object. Write it as {{...}}.")
    if deeper_than(value, MOST_LEVELS):
        raise LabellerRefused(
            f"{name} has more than {MOST_LEVELS} levels of objects and lists. Use fewer."
        )
    return value


def _size(path: Path) -> int:
    try:
        status = path.lstat()
    except OSError as error:
        raise LabellerRefused(f"{path.name} is missing. Add it.") from error
    if not stat.S_ISREG(status.st_mode):
        raise LabellerRefused(f"{path.name} is not a file. Replace it by the file.")
    return status.st_size


def _check_weights(path: Path) -> None:
    """Check the header of the weights, and that every number is finite."""
    import torch
    from safetensors import SafetensorError, safe_open

    with path.open("rb") as file:
        if int.from_bytes(file.read(8), "little") > MOST_HEAD_BYTES:
            raise LabellerRefused(
                f"{WEIGHTS} cannot be read as safetensors: its header is longer than "
                f"{MOST_HEAD_BYTES:,} bytes. Save it again."
            )
    try:
        with safe_open(path, framework="pt") as weights:
            names = list(weights.keys())
            if not 1 <= len(names) <= MOST_TENSORS:
                raise LabellerRefused(
                    f"{WEIGHTS} has {len(names):,} tensors. It may have 1 to {MOST_TENSORS:,}."
                )
            for name in names:
                kind = weights.get_slice(name).get_dtype()
                if kind == _BYTES.get(name):
                    continue
                if kind not in _TYPES:
                    raise LabellerRefused(
                        f"{WEIGHTS} stores {name[:60]!r} as {kind}. Store floating-point numbers."
                    )
                if not bool(torch.isfinite(weights.get_tensor(name)).all()):
                    raise LabellerRefused(
                        f"{WEIGHTS} has values in {name[:60]!r} that are not finite numbers. "
                        "The training went wrong; train it again."
                    )
    except (SafetensorError, OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:160]
        raise LabellerRefused(f"{WEIGHTS} cannot be read as safetensors: {reason}.") from error


def _tokeniser(path: Path) -> bytes:
    """Text of the tokeniser that is stored among the weights."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as weights:
        if TOKENISER not in weights.keys():  # noqa: SIM118 - it is no dictionary
            raise LabellerRefused(
                f"{WEIGHTS} has no {TOKENISER}, the tokeniser of its encoder. Add it."
            )
        if weights.get_slice(TOKENISER).get_dtype() != _BYTES[TOKENISER]:
            raise LabellerRefused(
                f"{WEIGHTS} does not store {TOKENISER} as text. Store it as bytes of JSON."
            )
        stored = weights.get_tensor(TOKENISER)
    if stored.numel() > MOST_TOKENISER_BYTES:
        raise LabellerRefused(
            f"{TOKENISER} is larger than {MOST_TOKENISER_BYTES / 1e6:g} MB. Use a smaller one."
        )
    return bytes(stored.numpy().tobytes())


def _identity_after_trial(folder: Path, *, made_here: bool) -> str:
    """Load the labeller as the scorer would, label captions with it, and return its identity."""
    from earmark.models.descriptors import find_labeller, label_with_network
    from earmark.models.descriptors.files import load_network

    try:
        labeller = find_labeller(str(folder))
        with _one_at_a_time:
            network = load_network(folder, "cpu")
            if not made_here:
                _check_ids(network)
            tried = _TRIAL_CAPTIONS[:3] if made_here else _TRIAL_CAPTIONS
            label_with_network(network, labeller.labels, tried)
    except Exception as error:  # whatever torch and transformers find in what makes no sense
        # The folder is a temporary one of this server, of no use to readers.
        reason = without_paths(str(error).replace(str(folder), "the labeller"))[:300]
        raise LabellerRefused(f"The weights and {CONFIG} do not fit together: {reason}") from error
    return labeller.identity


def _check_ids(network: Any) -> None:
    """Check that there is a vector for each sub-word, also for captions that were not tried."""
    known = network.encoder.get_input_embeddings().num_embeddings
    if network.subwords.highest >= known:
        raise ValueError(f"its tokeniser has ids beyond the {known:,} vectors of its encoder")
