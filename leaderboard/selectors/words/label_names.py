"""What pages call a descriptor, whose label is a name for programs."""

from typing import Any

# As the scheme names them with which captions are labelled (annotation/schemes/aces-13.yaml).
LABELS = {
    "WHO": "who",
    "WHO_WHAT_PROPERTY": "property of who or what",
    "WHAT": "what",
    "HOW": "how",
    "HOW_PROPERTY": "property of how",
    "WHEN": "when",
    "WHERE": "where",
    "WHAT/WHERE": "what or where",
    "SOUND_TYPE": "sound type",
    "SOUND_PROPERTY": "sound property",
    "NON_AUDITORY_SENSATION": "other sensation",
    "OTHER": "other",
}


def label_name(label: Any) -> str:
    """The short name of a descriptor."""
    return LABELS.get(str(label), str(label).replace("_", " ").lower())


def label_title(label: Any) -> str:
    """The short name of a descriptor as the heading of a row."""
    name = label_name(label)
    return name[:1].upper() + name[1:]
