"""The text of a caption as an answer: in one line, in so many words, by who heard the sound."""

from collections.abc import Mapping
from typing import Any
from unicodedata import category

from annotation.kinds.work_kind import AnswerFault, Value, WorkKind, WorkTask
from earmark.captions.faults import in_quotes

LEAST_WORDS, MOST_WORDS = 8, 20
# What the options may be set to.
WORD_LIMITS = range(1, 101)
LONGEST_TEXT = 1000
LIMIT_LABELS: Mapping[str, str] = {
    "least": "Fewest words of a caption",
    "most": "Most words of a caption",
}
NOT_HEARD = "Listen to the whole sound first, then {act}."


def word_limits(stored: Value) -> dict[str, int]:
    """``least`` and ``most`` words of a caption, 8 and 20 where nothing is set.

    Raises ``AnswerFault`` for limits that cannot be met.
    """
    least, most = stored.get("least", LEAST_WORDS), stored.get("most", MOST_WORDS)
    whole = type(least) is int and type(most) is int
    if not (whole and WORD_LIMITS[0] <= least <= most <= WORD_LIMITS[-1]):
        raise AnswerFault(
            f"A caption cannot have from {least} to {most} words. Choose two whole numbers "
            f"from {WORD_LIMITS[0]} to {WORD_LIMITS[-1]}, the smaller one first."
        )
    return {"least": least, "most": most}


class CaptionWork(WorkKind):
    """What kinds of work have in common whose answers are captions.

    ``after_hearing`` says what is done with a sound once it was heard.
    """

    option_labels = LIMIT_LABELS
    checks_text = True
    widest = {"least": WORD_LIMITS[0], "most": WORD_LIMITS[-1]}
    after_hearing: str

    def options(self, stored: Value) -> Value:
        """``least`` and ``most`` words of a caption, 8 and 20 where nothing is set."""
        return word_limits(stored)

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
            raise AnswerFault(NOT_HEARD.format(act=self.after_hearing))
        least, most = task.options["least"], task.options["most"]
        if not least <= words <= most:
            raise AnswerFault(
                f"The caption has {words} {'word' if words == 1 else 'words'}: {in_quotes(text)}. "
                f"Write {least} to {most} words."
            )
        return {"text": text, "heard": True}

    def said(self, value: Value) -> str:
        """The caption."""
        return str(value.get("text", ""))


def one_line(text: str) -> str:
    """The text in one line, without control characters, halves of characters and runs of spaces."""
    seen = "".join(mark if category(mark) not in {"Cc", "Cs"} else " " for mark in text)
    return " ".join(seen.split())
