"""What is computed of the stored results, kept in a process until something changes.

Where ``visitors_cache`` keeps whole pages, this keeps what pages of everyone are made of, such as
the ranking of a phase. It is kept with the version of all that visitors may be shown
(``public_version``), so that a result that comes in anywhere makes all of it anew. Who may see it
decides the caller, by what is in the key.
"""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar, cast

from django.db import connection

from leaderboard.models.public_change import public_version

T = TypeVar("T")

# A ranking of 2,000 systems has about 2 MB.
MOST = 64


class _Version:
    """What was made under the latest version, in the order in which it was last asked for."""

    number: tuple[int | None, ...] = ()
    values: OrderedDict[tuple[object, ...], Any] = OrderedDict()
    lock = Lock()


def kept_for_version(key: tuple[object, ...], make: Callable[[], T]) -> T:
    """What ``make()`` gave under ``key``, made anew once anything has changed; one query.

    It is given to many and must not be changed. ``make`` reads nothing but what the key names and
    the tables of ``public_change.WATCHED``. Within a transaction nothing is kept: it may be taken
    back, and its version come again with other changes.
    """
    if connection.in_atomic_block:
        return make()
    # Before anything is read: what changes meanwhile is in what is made, never missing.
    version = public_version()
    with _Version.lock:
        if _Version.number != version:
            _Version.number = version
            _Version.values.clear()
        elif key in _Version.values:
            _Version.values.move_to_end(key)
            return cast("T", _Version.values[key])
    made = make()
    with _Version.lock:
        if _Version.number == version:
            _Version.values[key] = made
            if len(_Version.values) > MOST:
                _Version.values.popitem(last=False)
    return made


def forget_kept() -> None:
    """Forget all that is kept, as after a change that no trigger notes."""
    with _Version.lock:
        _Version.number = ()
        _Version.values.clear()
