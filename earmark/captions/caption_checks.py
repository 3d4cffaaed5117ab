"""Checks of one caption: what would surprise its author in the scores."""

import re

from earmark.captions.faults import FaultLog, count_of, cut
from earmark.captions.file_layout import Limits

# Tab and line breaks are white space to every metric; other controls become tokens.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOTHING = {"nan", "none", "null", "na", "n/a", "<na>", "undefined"}
_MODEL_TOKEN = re.compile(r"<(?:unk|pad|s|/s|sos|bos|eos|start|end)>|\[(?:UNK|PAD|CLS|SEP)\]", re.I)


def has_words(caption: str) -> bool:
    """Whether a metric would see any word: a letter or a digit in any script."""
    return any(char.isalnum() for char in caption)


def check_caption(caption: str, line: int, column: str, limits: Limits, faults: FaultLog) -> None:
    """Note everything that is wrong with a caption that is not blank."""
    place = (line, column, caption)
    control = _CONTROL.search(caption)
    if control is not None:
        faults.error(
            f"The caption holds the control character U+{ord(control.group()):04X} at character"
            f" {control.start() + 1}. Remove it.",
            *place,
        )
    if _SURROGATE.search(caption):
        faults.error(
            "The caption holds half of a character (a lone surrogate). Write the file again as"
            " UTF-8.",
            *place,
        )
    if len(caption) > limits.max_caption_chars:
        faults.error(
            f"The caption has {count_of(len(caption), 'character')} and the limit is"
            f" {limits.max_caption_chars:,}. Shorten it.",
            *place,
        )
    if not has_words(caption):
        faults.error("The caption has no words. Write a caption with at least one word.", *place)
    _warn(place, faults)


def _warn(place: tuple[int, str, str], faults: FaultLog) -> None:
    caption = place[-1]
    if caption.strip().casefold() in _NOTHING:
        faults.warning(
            "This looks like a missing value written as text, and is scored as that word. Check"
            " the program that wrote the file.",
            *place,
        )
    token = _MODEL_TOKEN.search(caption)
    if token is not None:
        faults.warning(
            f"The caption holds the model token {cut(token.group())}, which is scored as a word."
            " Remove it.",
            *place,
        )
    if "\ufffd" in caption:
        faults.warning(
            "The caption holds U+FFFD, the mark of a character that an earlier conversion lost."
            " Restore it.",
            *place,
        )
