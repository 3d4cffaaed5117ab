"""Rules for a labeller's config.json and for the tokeniser that one from elsewhere brings along.

Tokenisers are programs in JSON: patterns that take for ever, replacements that double a text
again and again, pieces drawn by chance. The encoders that are accepted here need little of
that, and anything else is refused before any of it runs.
"""

import base64
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from earmark.errors import ScoringError
from earmark.models.descriptors.words import OUTSIDE
from leaderboard.selectors.labellers.files import CONFIG, is_identity


class LabellerRefused(ScoringError):
    """Files that are no labeller, or none for this site; the text says why."""


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
# Key -> the highest value; no labeller exceeds it, and larger ones would fill the memory.
HIGHEST = {"rank": 256, "hidden": 8_192}
METHODS = ("lora", "head", "full")
# Encoders of a labeller that has all weights of its encoder.
ENCODERS = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra")


def check_config(config: dict[str, Any], *, made_here: bool, weights: int) -> tuple[str, ...]:
    """Check every key; returns the labels.

    ``weights`` is the size of the other file in bytes. Raises ``LabellerRefused``.
    """
    unknown = sorted(config.keys() - set(KEYS))
    if unknown:
        raise LabellerRefused(
            f"{CONFIG} has a key that labellers do not have: {unknown[0][:60]!r}. "
            f"It may have: {', '.join(KEYS)}."
        )
    for key in ("name", "labels", "encoder"):
        if key not in config:
            raise LabellerRefused(f"{CONFIG} lacks the key {key!r}. Add it.")
    name = config["name"]
    # It fits into a signature: no separators of its fields, and no path.
    if not isinstance(name, str) or not is_identity(f"{name}@01234567"):
        raise _config_fault(
            "name",
            name,
            "It is part of signatures: use 1 to 60 characters without spaces, slashes, commas, "
            "colons, semicolons, | and @.",
        )
    for key, most in HIGHEST.items():
        _check_number(key, config.get(key, 0), most, whole=True)
    _check_number("alpha", config.get("alpha", 0), 10_000, whole=False)
    method = config.get("method", "lora")
    if method not in METHODS:
        raise _config_fault("method", method, f"Give one of: {', '.join(METHODS)}.")
    _check_backbone(config.get("backbone", ""), made_here=made_here)
    if not isinstance(config["encoder"], str) or not isinstance(config.get("digest", ""), str):
        raise _config_fault("encoder", config["encoder"], "Give a text.")
    if not made_here:
        _check_architecture(config.get("architecture", {}), method, weights)
    return _labels(config["labels"])


def _check_number(key: str, value: Any, most: int, *, whole: bool) -> None:
    kinds = int if whole else int | float
    right = isinstance(value, kinds) and not isinstance(value, bool)
    if not right or not 0 <= value <= most:  # nor what is no number, or without end
        raise _config_fault(key, value, f"Give a number from 0 to {most:,}.")


def _check_backbone(backbone: Any, *, made_here: bool) -> None:
    """Refuse paths from elsewhere, which would reveal the folders of this server."""
    if not isinstance(backbone, str):
        raise _config_fault("backbone", backbone, "Give a text.")
    if made_here or not backbone:
        return
    paths = (PurePosixPath(backbone), PureWindowsPath(backbone))
    parts = paths[1].parts
    if any(path.is_absolute() for path in paths) or ".." in parts or "\\" in backbone:
        raise _config_fault(
            "backbone",
            backbone,
            "That is a path on the machine that made it. Give the name of a model.",
        )
    if len(parts) > 2 or "." in parts or "~" in backbone:
        raise _config_fault("backbone", backbone, "Give the name of a model, such as roberta-base.")


def _check_architecture(shape: Any, method: str, weights: int) -> None:
    """Refuse an encoder that is much larger than the weights that came with it."""
    if not isinstance(shape, dict):
        raise _config_fault("architecture", shape, "Give an object.")
    if not shape:
        return
    if method != "full":
        raise _config_fault(
            "architecture", "{...}", f"Leave it out: the method {method} does not use it."
        )
    kind = shape.get("model_type")
    if kind not in ENCODERS:
        raise _config_fault("architecture", kind, f"Use one of: {', '.join(ENCODERS)}.")
    odd = next((key for key in shape if key.startswith("_") or key in {"auto_map"}), None)
    if odd is not None:
        raise _config_fault("architecture", odd, "Leave it out.")
    width = max(
        _whole_number(shape, "hidden_size", "dim"), _whole_number(shape, "embedding_size", usual=1)
    )
    layers = _whole_number(shape, "num_hidden_layers", "n_layers")
    inner = _whole_number(shape, "intermediate_size", "hidden_dim")
    rows = _whole_number(shape, "vocab_size") + _whole_number(shape, "max_position_embeddings")
    rows += _whole_number(shape, "type_vocab_size", usual=1)
    values = rows * width + layers * (4 * width * width + 2 * width * inner)
    if 2 * values > 1.2 * weights:
        raise _config_fault(
            "architecture",
            kind,
            "It is larger than the weights. Use the one of the trained encoder.",
        )


def _whole_number(shape: dict[str, Any], *names: str, usual: int | None = None) -> int:
    value = next((shape[name] for name in names if name in shape), usual)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _config_fault("architecture", value, f"Give {names[0]} as a whole number.")
    return value


def _labels(labels: Any) -> tuple[str, ...]:
    """The labels: several short words, each listed once, O among them."""
    if not isinstance(labels, list) or not 2 <= len(labels) <= MOST_LABELS:
        raise LabellerRefused(f"{CONFIG} must list 2 to {MOST_LABELS} labels under 'labels'.")
    for label in labels:
        if not isinstance(label, str) or not label or label != " ".join(label.split()):
            raise _config_fault("label", label, "Write text without extra spaces.")
        if len(label) > LONGEST_LABEL or not label.isprintable():
            raise _config_fault("label", label, f"Use up to {LONGEST_LABEL} visible characters.")
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise LabellerRefused(f"{CONFIG} has the label {twice!r} twice. Remove one.")
    if OUTSIDE not in labels:
        raise LabellerRefused(
            f"{CONFIG} has no label {OUTSIDE!r}, the one for words that describe nothing. Add it."
        )
    return tuple(labels)


def _config_fault(key: str, value: Any, fix: str) -> LabellerRefused:
    return LabellerRefused(f"{CONFIG} has the {key} {str(value)[:80]!r}. {fix}")


MOST_PARTS, LONGEST_WORD, LONGEST_AFFIX = 12, 1_000, 8
# A table of characters and their replacements, as SentencePiece has it.
MOST_TABLE_BYTES, LONGEST_OF_TABLE = 2_000_000, 256
# Runs of spaces become one.
PATTERNS = {" {2,}", "\\s+", " +"}
MODELS = {"WordPiece", "BPE", "Unigram", "WordLevel"}
# Place -> the kinds of steps allowed there, each once except those that only shorten.
STEPS = {
    "normalizer": {
        "BertNormalizer",
        "ByteLevel",
        "Lowercase",
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "Nmt",
        "Precompiled",
        "Prepend",
        "Replace",
        "Strip",
        "StripAccents",
    },
    "pre_tokenizer": {
        "BertPreTokenizer",
        "ByteLevel",
        "Digits",
        "Metaspace",
        "Punctuation",
        "UnicodeScripts",
        "Whitespace",
        "WhitespaceSplit",
    },
    "post_processor": {
        "BertProcessing",
        "ByteLevel",
        "RobertaProcessing",
        "TemplateProcessing",
    },
    "decoder": {
        "BPEDecoder",
        "ByteFallback",
        "ByteLevel",
        "Fuse",
        "Metaspace",
        "Replace",
        "Strip",
        "WordPiece",
    },
}
# Keys under which a sequence lists its steps.
_LISTS = ("normalizers", "pretokenizers", "processors", "decoders")


def check_tokeniser(tokeniser: Mapping[str, Any]) -> None:
    """Check every step; raises ``LabellerRefused`` for one that is not known to end soon."""
    for place, known in STEPS.items():
        _check_steps(place, list(_steps(tokeniser.get(place), 0)), known)
    model = tokeniser.get("model")
    if not isinstance(model, dict) or str(model.get("type")) not in MODELS:
        raise _tokeniser_fault("model", "Give one of: " + ", ".join(sorted(MODELS)) + ".")
    if model.get("dropout"):
        raise _tokeniser_fault(
            "model", "Set its dropout to 0: with dropout, scores cannot be repeated."
        )
    longest = model.get("max_input_chars_per_word", 100)
    if not isinstance(longest, int) or longest > LONGEST_WORD:
        raise _tokeniser_fault(
            "model", f"Set its max_input_chars_per_word to {LONGEST_WORD:,} or less."
        )
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        if len(str(model.get(key) or "")) > LONGEST_AFFIX:
            raise _tokeniser_fault(
                "model", f"Its {key} may have {LONGEST_AFFIX} characters at most."
            )


def _steps(part: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """The steps of a part in order, those of sequences one by one."""
    if part is None:
        return
    if not isinstance(part, dict) or depth > MOST_PARTS:
        raise _tokeniser_fault("steps", "Save the tokeniser with the library tokenizers.")
    if part.get("type") != "Sequence":
        yield part
        return
    for key in _LISTS:
        listed = part.get(key, [])
        for inner in listed if isinstance(listed, list) else [listed]:
            yield from _steps(inner, depth + 1)


def _check_steps(place: str, steps: list[Mapping[str, Any]], known: set[str]) -> None:
    kinds = [step.get("type") for step in steps]
    if len(kinds) > MOST_PARTS:
        raise _tokeniser_fault(place, f"It may have {MOST_PARTS} steps at most.")
    for step, kind in zip(steps, kinds, strict=True):
        if not isinstance(kind, str) or kind not in known:
            raise _tokeniser_fault(
                place, f"The step {str(kind)[:40]!r} is not one of: {', '.join(sorted(known))}."
            )
        if kind == "Replace":
            _check_replacement(place, step)
        elif kinds.count(kind) > 1:
            # Each may make a text longer; one after the other they would fill the memory.
            raise _tokeniser_fault(place, f"Use {kind} only once.")
        if kind == "Precompiled":
            _check_table(place, step.get("precompiled_charsmap"))
        if kind == "Prepend" and len(str(step.get("prepend"))) > 1:
            raise _tokeniser_fault(place, "Prepend may add one character only.")


def _check_replacement(place: str, step: Mapping[str, Any]) -> None:
    """Accept replacements that do not make a text longer."""
    pattern, content = step.get("pattern"), step.get("content")
    patterns = pattern if isinstance(pattern, dict) and len(pattern) == 1 else {}
    plain, regex = patterns.get("String"), patterns.get("Regex")
    if isinstance(regex, str) and regex not in PATTERNS:
        known = ", ".join(map(repr, sorted(PATTERNS)))
        raise _tokeniser_fault(place, f"The pattern {regex[:60]!r} is not one of: {known}.")
    longest = len(plain) if isinstance(plain, str) else 1 if isinstance(regex, str) else 0
    if not longest or not isinstance(content, str) or len(content) > longest:
        raise _tokeniser_fault(place, "A replacement may not be longer than what it replaces.")


def _check_table(place: str, stored: Any) -> None:
    """Accept a table with short replacements; the texts follow its tree."""
    if stored is None:
        return
    try:
        table = base64.b64decode(stored, validate=True) if isinstance(stored, str) else b""
    except ValueError:
        table = b""
    texts = 4 + int.from_bytes(table[:4], "little")
    if not 4 < texts < len(table) <= MOST_TABLE_BYTES:
        raise _tokeniser_fault(
            place, "Its table of characters cannot be read. Save the tokeniser again."
        )
    if max(map(len, table[texts:].split(b"\0"))) > LONGEST_OF_TABLE:
        raise _tokeniser_fault(
            place, f"Its table may replace a character by {LONGEST_OF_TABLE} bytes at most."
        )


def _tokeniser_fault(place: str, fix: str) -> LabellerRefused:
    return LabellerRefused(f"The tokeniser of the labeller has a {place} that is refused. {fix}")
