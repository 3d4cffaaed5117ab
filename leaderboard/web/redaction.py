"""Texts for people, without the folders of this server."""

import re

# Neither "and/or" nor an address on the web.
_PATH = re.compile(r"(?<![\w/.:<])/(?:[^\s/'\"<>,;:]+/)*([^\s/'\"<>,;:]+)/?")


def without_paths(text: str) -> str:
    """A text with paths replaced by their last names, so that no folder of the server is shown.

    >>> without_paths("The backbone '/srv/models/roberta' cannot be used")
    "The backbone 'roberta' cannot be used"
    >>> without_paths("WHAT/WHERE and/or https://example.org/x")
    'WHAT/WHERE and/or https://example.org/x'
    """
    return _PATH.sub(r"\1", text)
