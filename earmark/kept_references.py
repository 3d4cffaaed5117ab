"""Prepared references of the last reference sets, kept in memory for the runs of a process."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")

SETS = 2


class KeptReferences:
    """What families prepared from the last few reference sets; of ``sets`` of them at most.

    Threads may share it. What two of them want at once is made once. Whatever is kept is
    read by all runs, so that nobody may change it.

    >>> kept = KeptReferences()
    >>> kept.once("references", "bleu", lambda: "counted"), len(kept)
    ('counted', 1)
    >>> kept.once("references", "bleu", lambda: "counted again")
    'counted'
    """

    def __init__(self, sets: int = SETS) -> None:
        self._sets = sets
        self._lock = Lock()
        # By the hash of the references, the least recently used first.
        self._by_set: OrderedDict[str, dict[str, _KeptEntry]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_set)

    def once(self, references: str, name: str, make: Callable[[], T]) -> T:
        """What is kept under a name for a set of references, or else what ``make`` returns.

        ``references`` is their content hash; ``name`` says the family with all that its
        preparation depends on. Nothing is kept where ``make`` raises.
        """
        entry = self._entry(references, name)
        with entry.lock:
            if not entry.made:
                entry.value = make()
                entry.made = True
            value: T = entry.value
            return value

    def has(self, references: str, name: str) -> bool:
        """Whether something is kept under a name for a set of references."""
        with self._lock:
            entry = self._by_set.get(references, {}).get(name)
        return entry is not None and entry.made

    def clear(self) -> None:
        """Forget everything; runs that use something of it now keep what they have."""
        with self._lock:
            self._by_set.clear()

    def _entry(self, references: str, name: str) -> "_KeptEntry":
        with self._lock:
            entries = self._by_set.setdefault(references, {})
            self._by_set.move_to_end(references)
            while len(self._by_set) > self._sets:
                self._by_set.popitem(last=False)
            return entries.setdefault(name, _KeptEntry())


class _KeptEntry:
    """One family's preparation, and the lock of whoever makes it."""

    __slots__ = ("lock", "made", "value")

    def __init__(self) -> None:
        self.lock = Lock()
        self.made = False
        self.value: Any = None
