"""Writing captions: listen to a sound and describe it, with nothing else shown.

As Clotho's captions were gathered (Drossos, Lipping, Virtanen, 2020, section 2.2).
"""

from collections.abc import Mapping
from typing import Any
from unicodedata import category

from annotation.kinds.work_kind import AnswerFault, ItemFields, ShownItem, Value, WorkTask
from scoring.captions.faults import in_quotes

LEAST_WORDS, MOST_WORDS = 8, 20
# What the options may be set to.
WORD_LIMITS = range(1, 101)
LONGEST_TEXT = 1000


class Write:
    """A caption of a sound, in so many words, by somebody who has heard all of it."""

    name = "write"
    title = "Write captions"
    summary = "People listen to sounds and describe each in a sentence, with nothing else shown."
    act = "Write"
    items = "sounds"
    option_labels: Mapping[str, str] = {
        "least": "Fewest words of a caption",
        "most": "Most words of a caption",
    }
    has_labels = False
    checks_text = True

    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """A number: names of files often say what is heard."""
        return ShownItem(f"Sound {item.position + 1}")

    def options(self, stored: Value) -> Value:
        """``least`` and ``most`` words of a caption, 8 and 20 where nothing is set."""
        least, most = stored.get("least", LEAST_WORDS), stored.get("most", MOST_WORDS)
        whole = type(least) is int and type(most) is int
        if not (whole and WORD_LIMITS[0] <= least <= most <= WORD_LIMITS[-1]):
            raise AnswerFault(
                f"A caption cannot have from {least} to {most} words. Choose two whole numbers "
                f"from {WORD_LIMITS[0]} to {WORD_LIMITS[-1]}, the smaller one first."
            )
        return {"least": least, "most": most}

    def checked(self, value: Value, task: WorkTask, *, complete: bool) -> dict[str, Any]:
        """``text`` in one line, ``heard`` true."""
        text, heard = value.get("text", ""), value.get("heard") is True
        if not isinstance(text, str) or len(text) > LONGEST_TEXT:
            raise AnswerFault(
                f"A caption is a text of at most {LONGEST_TEXT:,} characters. Shorten it."
            )
        text = one_line(text)
        words = len(text.split())
        if not complete:
            return {"text": text, "heard": heard}
        if not heard:
            raise AnswerFault("Listen to the sound to its end first, then describe it.")
        least, most = task.options["least"], task.options["most"]
        if not least <= words <= most:
            raise AnswerFault(
                f"The caption has {words} {'word' if words == 1 else 'words'}: {in_quotes(text)}. "
                f"Write {least} to {most}."
            )
        return {"text": text, "heard": True}

    def said(self, value: Value) -> str:
        """The caption."""
        return str(value.get("text", ""))


def one_line(text: str) -> str:
    """The text in one line, without control characters, halves of characters and runs of spaces."""
    seen = "".join(mark if category(mark) not in {"Cc", "Cs"} else " " for mark in text)
    return " ".join(seen.split())


KIND = Write()
