"""Labelling words: descriptors on the words of a caption.

Its answers are spans, which have columns of their own: they follow the versions of a scheme.
"""

from typing import Any

from annotation.kinds.names import LABEL_WORDS
from annotation.kinds.work_kind import AnswerFault, ItemFields, ShownItem, Value, WorkKind, WorkTask


class LabelWords(WorkKind):
    """Words of a caption get labels of a scheme."""

    name = LABEL_WORDS
    title = "Label words"
    summary = "Annotators label the words of captions, which trains the labeller behind ACES."
    act = "Label"
    items = "captions"
    people = 2
    has_labels = True

    def shown(self, item: ItemFields, user: int) -> ShownItem:
        """The caption with its words."""
        return ShownItem(item.text, item.tokens, item.meta)

    def options(self, stored: Value) -> Value:
        """None beside the settings of a project."""
        return {}

    def checked(self, value: Value, task: WorkTask, *, complete: bool) -> dict[str, Any]:
        """Refuse every value: spans say what is answered."""
        raise AnswerFault("Captions of this project are answered with spans, not with a value.")

    def said(self, value: Value) -> str:
        """Nothing; the words are shown with their labels."""
        return ""


KIND = LabelWords()
