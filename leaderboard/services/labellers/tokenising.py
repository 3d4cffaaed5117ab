"""What may stand in the tokeniser that an uploaded labeller brings along.

Tokenisers are programs in JSON: patterns that take for ever, replacements that double a text
again and again, pieces drawn by chance. What the encoders that are taken here need is little,
and anything else is refused before any of it is run.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from leaderboard.services.labellers.refusing import LabellerRefused

MOST_PARTS, LONGEST_WORD, LONGEST_AFFIX = 12, 1_000, 8
# A table of characters and what is written for them, as SentencePiece has it.
MOST_TABLE_BYTES, LONGEST_OF_TABLE = 2_000_000, 256
# Runs of spaces become one.
PATTERNS = {" {2,}", "\\s+", " +"}
MODELS = {"WordPiece", "BPE", "Unigram", "WordLevel"}
# Place -> the kinds of steps that may stand there, each once except those that only shorten.
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


def check_tokeniser(told: Mapping[str, Any]) -> None:
    """Look at every step; raise ``LabellerRefused`` for one that is not known to end soon."""
    for place, known in STEPS.items():
        _check_steps(place, list(_steps(told.get(place), 0)), known)
    model = told.get("model")
    if not isinstance(model, dict) or model.get("type") not in MODELS:
        raise _wrong("model", "Give one of: " + ", ".join(sorted(MODELS)) + ".")
    if model.get("dropout"):
        raise _wrong("model", "It cuts words by chance, so that scores could not be repeated.")
    longest = model.get("max_input_chars_per_word", 100)
    if not isinstance(longest, int) or longest > LONGEST_WORD:
        raise _wrong("model", f"It reads words of more than {LONGEST_WORD:,} characters.")
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        if len(str(model.get(key) or "")) > LONGEST_AFFIX:
            raise _wrong("model", f"Its {key} has more than {LONGEST_AFFIX} characters.")


def _steps(part: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Give the steps of a part in order, those of sequences one by one."""
    if part is None:
        return
    if not isinstance(part, dict) or depth > MOST_PARTS:
        raise _wrong("steps", "They are not told as tokenisers tell them.")
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
        raise _wrong(place, f"It has more than {MOST_PARTS} steps.")
    for step, kind in zip(steps, kinds, strict=True):
        if not isinstance(kind, str) or kind not in known:
            raise _wrong(place, f"{str(kind)[:40]!r} is no step that is taken here.")
        if kind == "Replace":
            _check_replacement(place, step)
        elif kinds.count(kind) > 1:
            # Each may make a text longer; one after the other they would fill the memory.
            raise _wrong(place, f"{kind} stands there twice.")
        if kind == "Precompiled":
            _check_table(place, step.get("precompiled_charsmap"))
        if kind == "Prepend" and len(str(step.get("prepend"))) > 1:
            raise _wrong(place, "Prepend adds more than one character.")


def _check_replacement(place: str, step: Mapping[str, Any]) -> None:
    """Take what leaves a text as long as it was, or makes it shorter."""
    pattern, content = step.get("pattern"), step.get("content")
    told = pattern if isinstance(pattern, dict) and len(pattern) == 1 else {}
    plain, regex = told.get("String"), told.get("Regex")
    if isinstance(regex, str) and regex not in PATTERNS:
        raise _wrong(place, f"The pattern {regex[:60]!r} is none that is taken here.")
    longest = len(plain) if isinstance(plain, str) else 1 if isinstance(regex, str) else 0
    if not longest or not isinstance(content, str) or len(content) > longest:
        raise _wrong(place, "A replacement is longer than what it replaces.")


def _check_table(place: str, stored: Any) -> None:
    """Take a table that writes few characters for each; behind its tree stand the texts."""
    if stored is None:
        return
    try:
        table = base64.b64decode(stored, validate=True) if isinstance(stored, str) else b""
    except ValueError:
        table = b""
    texts = 4 + int.from_bytes(table[:4], "little")
    if not 4 < texts < len(table) <= MOST_TABLE_BYTES:
        raise _wrong(place, "Its table of characters cannot be read.")
    if max(map(len, table[texts:].split(b"\0"))) > LONGEST_OF_TABLE:
        raise _wrong(place, "Its table of characters writes whole texts for one.")


def _wrong(place: str, fix: str) -> LabellerRefused:
    return LabellerRefused(f"The tokeniser of the labeller has a {place} that is refused. {fix}")
