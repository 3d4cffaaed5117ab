"""Names that strangers read: of teams, systems and tokens."""

import re
import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

# Besides what Unicode itself calls a control, a format or an unassigned character (those
# that turn the reading direction are among them), letters and marks that show nothing:
# with them a name could pass for another. The two joiners stay, which some scripts need.
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_BLANK = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS = "\u200c\u200d"
_JOINED = re.compile(rf"(?<=[^\x00-\u02ff])[{_JOINERS}](?=[^\x00-\u02ff])")
# More marks upon one letter than any script needs reach over the rows around it.
_MOST_MARKS = 4


def name_key(name: str) -> str:
    """Reduce a name to what readers can tell apart: not by case, width, style or joiners."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(re.sub(rf"[{_JOINERS}\ufe00-\ufe0f]", "", plain).split())


def _unseen(text: str) -> bool:
    seen = _JOINED.sub("", text)
    return any(unicodedata.category(char) in _UNSEEN or char in _BLANK for char in seen)


def _stacked(text: str) -> bool:
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks > _MOST_MARKS:
            return True
    return False


class NameField(forms.CharField):
    """A one-line name: composed (NFC), with single spaces, and without unseen characters."""

    def to_python(self, value: Any) -> str:
        """Give the tidied name, or raise ``ValidationError``."""
        text = unicodedata.normalize("NFC", super().to_python(value) or "")
        if _unseen(text):
            raise ValidationError(
                "The name holds an invisible character. Type it anew instead of pasting it."
            )
        if _stacked(text):
            raise ValidationError("The name holds too many accents upon one letter.")
        return " ".join(text.split())
