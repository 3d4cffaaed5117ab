"""Writing captions: listen to a sound and describe it, with nothing else shown.

As Clotho's captions were gathered (Drossos, Lipping, Virtanen, 2020, section 2.2).
"""

from annotation.kinds.caption_texts import CaptionWork
from annotation.kinds.names import WRITE
from annotation.kinds.work_kind import ItemFields, ShownItem


class Write(CaptionWork):
    """A caption of a sound, in so many words, by somebody who has heard all of it."""

    name = WRITE
    title = "Write captions"
    summary = "People listen to sounds and describe each in a sentence, with nothing else shown."
    act = "Write"
    items = "sounds"
    # As many as Clotho has captions of a clip.
    people = 5
    after_hearing = "describe it"

    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """A number: names of files often say what is heard."""
        return ShownItem(f"Sound {item.position + 1}")


KIND = Write()
