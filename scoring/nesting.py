"""How deep values of JSON are: what readers give up on later is better refused at once."""

from typing import Any


def deeper_than(value: Any, most: int) -> bool:
    """Tell whether objects and lists lie in one another more than ``most`` deep.

    >>> deeper_than({"a": [1]}, 2), deeper_than({"a": [1]}, 1), deeper_than("a", 0)
    (False, True, False)
    """
    level = [value]
    for _ in range(most + 1):
        level = [one for one in level if isinstance(one, dict | list | tuple)]
        if not level:
            return False
        level = [
            inner for one in level for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return True
