"""What captions say between their joints: pieces such as "a dog barks", taken out and put in."""

import re
from collections.abc import Sequence
from random import Random

JOINTS = (" and ", " while ", ", then ", " followed by ")
_BETWEEN = re.compile(
    r"(\s*,\s*(?:and then|then|and|followed by|while|as|before|after|with)\s+"
    r"|\s+(?:and then|followed by|and|while|as|before|then|after|with)\s+|\s*,\s*)",
    re.IGNORECASE,
)


def events_of(captions: Sequence[str]) -> list[str]:
    """What stands between the joints of captions, of two to nine words."""
    rows = (parts_of(caption)[0] for caption in captions)
    return [
        continued(part)
        for row in rows
        if len(row) > 1
        for part in row
        if 2 <= len(part.split()) <= 9
    ]


def parts_of(caption: str) -> tuple[list[str], list[str]]:
    """The events of a caption and the joints between them."""
    pieces = _BETWEEN.split(caption.strip().rstrip("."))
    return pieces[0::2], pieces[1::2]


def with_event(caption: str, event: str, rng: Random) -> str:
    """The caption that goes on with one more event, behind a joint that is drawn."""
    return f"{caption.rstrip('. ')}{rng.choice(JOINTS)}{event}"


def continued(text: str) -> str:
    """A text that goes on after another one."""
    return text[:1].lower() + text[1:]
