"""Networks read captions ahead in a thread of their own, while other families compute.

Networks leave Python's lock to others while they compute, and what reads words and sentences
needs it nearly all the time: with two processors or more both go on at once. Families find what
was read ahead in the workspace; what was not, or failed, they do and report themselves.
"""

import contextlib
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event, Thread, main_thread
from typing import Any, Protocol, runtime_checkable

from earmark.captions import Candidates, References
from earmark.errors import ScoringError
from earmark.models.threads import ThreadLimit, limited_to
from earmark.prepared_cache import are_prepared
from earmark.registry import load_family
from earmark.workspace import Workspace

logger = logging.getLogger(__name__)

# Seconds for which a thread may keep Python's lock while another waits for it, by default 0.005:
# a network needs it some thousand times a second, for microseconds.
_SWITCH_INTERVAL = 0.0005
# What it is put back to, also where two such threads overlap.
_USUAL_INTERVAL = sys.getswitchinterval()


@dataclass(frozen=True, slots=True)
class TextsAhead:
    """First candidates, and the references that are yet to be prepared (none where all are)."""

    candidates: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def captions(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.candidates, *self.references)


@runtime_checkable
class ReadsAhead(Protocol):
    """A family that lets networks or the process that parses read captions before its turn."""

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Leave in the workspace what networks make of captions; hand them over for parsing."""
        ...


class _Stopped(Exception):
    """Nobody needs what is read ahead any more."""


class ReadingAhead:
    """The thread that reads ahead for families by name, in their order; ``stop`` ends it."""

    def __init__(
        self,
        families: Sequence[str],
        candidates: Candidates,
        references: References,
        workspace: Workspace,
        parameters: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._families, self._parameters = families, parameters
        self._candidates, self._references = candidates, references
        self._stopping = Event()
        # One processor is left to whoever reads words and sentences meanwhile.
        self._limit = ThreadLimit(workspace.processors - 1)
        self._workspace = replace(workspace, progress=self._check)
        # No daemon: a process must not end while compiled code runs in one of its threads.
        self._thread = Thread(target=self._run, name="reading ahead", daemon=False)
        # What kept it from going on, if anything did: nobody else needs to fail of it.
        self.error: Exception | None = None
        if workspace.processors > 1:
            try:
                self._thread.start()
            except RuntimeError as error:  # no memory for a thread
                self.error = error

    def use(self, *, all_processors: bool) -> None:
        """Use all processors from now on, while the caller waits for networks, or leave it one."""
        self._limit.count = self._workspace.processors - (not all_processors)

    def stop(self) -> None:
        """End the thread within a batch, and wait for that."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _is_over(self) -> bool:
        """Whether nobody waits any more, be it that the process ends."""
        return self._stopping.is_set() or not main_thread().is_alive()

    def _check(self, _family: str, _done: int, _total: int) -> None:
        if self._is_over():
            raise _Stopped

    def _run(self) -> None:
        sys.setswitchinterval(_SWITCH_INTERVAL)
        try:
            with limited_to(self._limit):
                for name in self._families:
                    self._read(name)
        except _Stopped:
            pass
        finally:
            sys.setswitchinterval(_USUAL_INTERVAL)

    def _read(self, name: str) -> None:
        try:
            family = load_family(name, **self._parameters.get(name, {}))
            if not isinstance(family, ReadsAhead):
                return
            prepared = are_prepared(family, self._references, self._workspace)
            texts = TextsAhead(
                self._candidates.first, () if prepared else self._references.captions
            )
            family.read_ahead(texts, self._workspace)
        except (ScoringError, ImportError, OSError):
            pass  # the family comes to it again, and says it
        except _Stopped:
            raise
        except Exception as error:
            # A process that ends begins no threads any more, a moment before its main one is over.
            if self._is_over() or "interpreter shutdown" in str(error):
                raise _Stopped from None
            logger.warning("Reading ahead for %s failed", name, exc_info=True)
            self.error = error
            raise _Stopped from None


@contextlib.contextmanager
def reading_ahead(
    families: Sequence[str],
    candidates: Candidates,
    references: References,
    workspace: Workspace,
    parameters: Mapping[str, Mapping[str, Any]],
) -> Iterator[ReadingAhead]:
    """Read ahead for families while the block runs; ``parameters`` are theirs by name."""
    ahead = ReadingAhead(families, candidates, references, workspace, parameters)
    try:
        yield ahead
    finally:
        ahead.stop()
