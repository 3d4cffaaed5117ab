"""What pages call a descriptor, whose label is a name for programs."""

from typing import Any

# The same wherever words are labelled.
LABELS = {
    "WHO": "who",
    "WHO_WHAT_PROPERTY": "who/what property",
    "WHAT": "what",
    "HOW": "how",
    "HOW_PROPERTY": "how property",
    "WHEN": "when",
    "WHERE": "where",
    "WHAT/WHERE": "what/where",
    "SOUND_TYPE": "sound",
    "SOUND_PROPERTY": "sound property",
    "NON_AUDITORY_SENSATION": "not heard",
    "OTHER": "other",
}


def label_name(label: Any) -> str:
    """The short name of a descriptor."""
    return LABELS.get(str(label), str(label).replace("_", " ").lower())


def label_title(label: Any) -> str:
    """The short name of a descriptor as the heading of a row."""
    name = label_name(label)
    return name[:1].upper() + name[1:]
