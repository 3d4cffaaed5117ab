"""Editing captions: listen to a sound and correct or rephrase a caption that somebody wrote of it.

As Clotho's captions were edited (Drossos, Lipping, Virtanen, 2020, section 2.2); who wrote the
caption is not shown.
"""

from typing import Any

from annotation.kinds.caption_texts import LIMIT_LABELS, checked_caption, word_limits
from annotation.kinds.names import EDIT, WRITE
from annotation.kinds.work_kind import ItemFields, ShownItem, Value, WorkTask


class Edit:
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
    sources: tuple[str, ...] = (WRITE,)
    has_labels = False
    checks_text = True

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
