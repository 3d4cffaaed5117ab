"""Writing captions: listen to a sound and describe it, with nothing else shown.

As Clotho's captions were gathered (Drossos, Lipping, Virtanen, 2020, section 2.2).
"""

from typing import Any

from annotation.kinds.caption_texts import LIMIT_LABELS, WIDEST, checked_caption, word_limits
from annotation.kinds.names import WRITE
from annotation.kinds.work_kind import ItemFields, ShownItem, Value, WorkKind, WorkTask


class Write(WorkKind):
    """A caption of a sound, in so many words, by somebody who has heard all of it."""

    name = WRITE
    title = "Write captions"
    summary = "People listen to sounds and describe each in a sentence, with nothing else shown."
    act = "Write"
    items = "sounds"
    option_labels = LIMIT_LABELS
    # As many as Clotho has captions of a clip.
    people = 5
    checks_text = True
    widest: Value = WIDEST

    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """A number: names of files often say what is heard."""
        return ShownItem(f"Sound {item.position + 1}")

    def options(self, stored: Value) -> Value:
        """``least`` and ``most`` words of a caption, 8 and 20 where nothing is set."""
        return word_limits(stored)

    def checked(self, value: Value, task: WorkTask, *, complete: bool) -> dict[str, Any]:
        """``text`` in one line, ``heard`` true."""
        return checked_caption(value, task.options, complete=complete, act="describe it")

    def said(self, value: Value) -> str:
        """The caption."""
        return str(value.get("text", ""))


KIND = Write()
