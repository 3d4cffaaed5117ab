"""The form with which a reader tries the metrics."""

from typing import Any

from django import forms

from earmark.captions import Fault
from earmark.registry import METRICS
from leaderboard.services.playground.texts import (
    CAPTION,
    MOST_CHARS,
    MOST_REFERENCES,
    MOST_WORDS,
    PlaygroundTexts,
    lines_of,
    texts_read,
)
from leaderboard.web.refusals import Refused


class PlainText(forms.CharField):
    """A text as it was typed; ``texts_read`` says what is wrong with it, NUL included."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=False, **options)

    def run_validators(self, value: Any) -> None:
        """Leave it to ``texts_read``."""


class PlaygroundForm(forms.Form):
    """One caption, its references one a line, and the metric to begin with."""

    # No maxlength: browsers cut what is pasted without a word.
    caption = PlainText(label="Caption", widget=forms.TextInput(attrs={"required": True}))
    references = PlainText(
        label="References",
        widget=forms.Textarea(attrs={"rows": 6, "required": True}),
        help_text=(
            f"One per line, at most {MOST_REFERENCES}; each of at most {MOST_CHARS} characters and "
            f"{MOST_WORDS} words."
        ),
    )
    metric = PlainText(widget=forms.HiddenInput)

    @classmethod
    def showing(cls, texts: PlaygroundTexts, metric: str) -> "PlaygroundForm":
        """The form with texts in it to change."""
        lines = "\n".join(texts.references)
        return cls(initial={"caption": texts.caption, "references": lines, "metric": metric})

    def clean(self) -> None:
        """Read the texts, or add every fault to its field."""
        values = self.cleaned_data
        try:
            self.texts, self.warnings = texts_read(
                caption=values.get("caption", ""),
                references=lines_of(values.get("references", "")),
            )
        except Refused as refused:
            for fault in refused.faults:
                self.add_error(fault.column, fault_sentence(fault))

    @property
    def chosen(self) -> str:
        """The name of the metric that is shown first, empty where none was chosen."""
        name = str(self["metric"].value() or "")
        return name if name in METRICS else ""


def fault_sentence(fault: Fault) -> str:
    """A fault as a sentence, with its line and what was found there."""
    place = f"Line {fault.line}: " if fault.line is not None and fault.column != CAPTION else ""
    quote = f" Found: \u201c{fault.value}\u201d" if fault.value else ""
    return f"{place}{fault.message}{quote}"
