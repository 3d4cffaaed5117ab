"""Editing captions: listen to a sound and correct or rephrase a caption that somebody wrote of it.

As Clotho's captions were edited (Drossos, Lipping, Virtanen, 2020, section 2.2); who wrote the
caption is not shown.
"""

from typing import Any

from annotation.kinds.caption_texts import CaptionWork
from annotation.kinds.names import EDIT, WRITE
from annotation.kinds.work_kind import AnswerFault, ItemFields, ShownItem, Value


class Edit(CaptionWork):
    """A caption as it should be, by somebody who has heard all of the sound; it may stay as is.

    The ``content`` of an item is ``caption``, and in ``annotation`` the id of the answer that
    it is.
    """

    name = EDIT
    title = "Edit captions"
    summary = "People listen to sounds and correct or rephrase a caption that somebody wrote."
    act = "Edit"
    items = "captions"
    people = 1
    sources = (WRITE,)
    after_hearing = "edit the caption"

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


KIND = Edit()
