"""Names that strangers read: of teams, systems and tokens."""

import re
import unicodedata
from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError

# Besides what Unicode itself calls a control, a format or an unassigned character (those
# that turn the reading direction are among them), letters and marks that show nothing:
# with them a name could pass for another. The two joiners stay, which some scripts need.
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
_BLANK = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS = "\u200c\u200d"
_JOINED = re.compile(rf"(?<=[^\x00-\u02ff])[{_JOINERS}](?=[^\x00-\u02ff])")
# What the site itself calls a row of leaderboards that no team made.
HUMAN_TEAM, HUMAN_SYSTEM = "Human captions", "Human"
# More marks upon one letter than any script needs reach over the rows around it.
_MOST_MARKS = 4


def name_key(name: str) -> str:
    """The key of a name: equal for names that differ in case, width, style or joiners only."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join(re.sub(rf"[{_JOINERS}\ufe00-\ufe0f]", "", plain).split())


def is_sites_own(name: str) -> bool:
    """Whether readers would take a name for one that the site itself gives."""
    return name_key(name) in {name_key(own) for own in (HUMAN_TEAM, HUMAN_SYSTEM)}


def _unseen(text: str) -> bool:
    visible = _JOINED.sub("", text)
    return any(unicodedata.category(char) in _UNSEEN or char in _BLANK for char in visible)


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
        """The tidied name; raises ``ValidationError``."""
        text = unicodedata.normalize("NFC", super().to_python(value) or "")
        if _unseen(text):
            raise ValidationError(
                "The name has an invisible character. Type it instead of pasting it."
            )
        if _stacked(text):
            raise ValidationError("The name holds too many accents upon one letter.")
        return " ".join(text.split())


class RowNameField(NameField):
    """The name of a row of leaderboards: none that the site itself gives to a row."""

    def to_python(self, value: Any) -> str:
        """The tidied name; raises ``ValidationError``."""
        name = super().to_python(value)
        if is_sites_own(name):
            raise ValidationError(
                f"{name!r} is what this site calls the row of what people wrote. "
                "Choose another name."
            )
        return name


def no_address(name: str) -> None:
    """Refuse a user name that could be somebody's e-mail address.

    People are invited and log in by either, so that a name that looks like the address of
    somebody else would be taken for them.
    """
    if "@" in name:
        raise ValidationError("A user name has no @, so that nobody takes it for an address.")


# What signing up and renaming hold a user name to (ACCOUNT_USERNAME_VALIDATORS).
USER_NAME = [UnicodeUsernameValidator(), no_address]
