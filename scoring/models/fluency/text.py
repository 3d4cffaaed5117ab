"""The text that a fluency detector sees, and what it says about it."""

import re

CLASSES = ("add_tail", "repeat_event", "repeat_adv", "remove_conj", "remove_verb", "error")
ERROR = CLASSES.index("error")

_REMOVED = re.compile(r"[^\w\s]")


def normalise(caption: str) -> str:
    r"""Remove everything but words and space (``[^\w\s]``), and lower the case.

    >>> normalise("A dog, far off, barks.")
    'a dog far off barks'
    """
    return _REMOVED.sub("", caption).lower()
