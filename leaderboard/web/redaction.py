"""Texts for people, without the folders of this server."""

import re

# Neither "and/or" nor an address on the web.
_PATH = re.compile(r"(?<![\w/.:<])/(?:[^\s/'\"<>,;:]+/)*([^\s/'\"<>,;:]+)/?")


def without_paths(text: str) -> str:
    """Name files and folders by their own names alone: where they lie is nobody's business.

    >>> without_paths("The backbone '/srv/models/roberta' cannot be used")
    "The backbone 'roberta' cannot be used"
    >>> without_paths("WHAT/WHERE and/or https://example.org/x")
    'WHAT/WHERE and/or https://example.org/x'
    """
    return _PATH.sub(r"\1", text)
