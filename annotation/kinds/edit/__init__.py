"""Editing captions: listen to a sound and correct or rephrase a caption that somebody wrote of it.

As Clotho's captions were edited (Drossos, Lipping, Virtanen, 2020, section 2.2); who wrote the
caption is not shown.
"""

from typing import Any

from annotation.kinds.caption_texts import LIMIT_LABELS, WIDEST, checked_caption, word_limits
from annotation.kinds.names import EDIT, WRITE
from annotation.kinds.work_kind import AnswerFault, ItemFields, ShownItem, Value, WorkKind, WorkTask


class Edit(WorkKind):
    """A caption as it should be, by somebody who has heard all of the sound; it may stay as is.

    The ``content`` of an item is ``caption``, and in ``annotation`` the id of the answer that
    it is.
    """

    name = EDIT
    title = "Edit captions"
    summary = "People listen to sounds and correct or rephrase a caption that somebody wrote."
    act = "Edit"
    items = "captions"
    option_labels = LIMIT_LABELS
    people = 1
    sources = (WRITE,)
    checks_text = True
    widest: Value = WIDEST

    def content(self, stored: Value) -> dict[str, Any]:
        """``caption`` and, where it is known, ``annotation``."""
        known = stored.keys() <= {"caption", "annotation"}
        if not known or not isinstance(stored.get("caption"), str):
            raise AnswerFault("An item to edit has a caption, and the number of an answer.")
        if "annotation" in stored and type(stored["annotation"]) is not int:
            raise AnswerFault("The answer of a caption to edit is known by a whole number.")
        return dict(stored)

    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """A number and the caption; not whose it is."""
        content = {"caption": str(item.content.get("caption", ""))}
        return ShownItem(f"Caption {item.position + 1}", content=content)

    def options(self, stored: Value) -> Value:
        """``least`` and ``most`` words of a caption, 8 and 20 where nothing is set."""
        return word_limits(stored)

    def checked(self, value: Value, task: WorkTask, *, complete: bool) -> dict[str, Any]:
        """``text`` in one line, ``heard`` true."""
        return checked_caption(value, task.options, complete=complete, act="edit the caption")

    def said(self, value: Value) -> str:
        """The caption as it was left."""
        return str(value.get("text", ""))


KIND = Edit()
