"""Captions parsed by a process of their own, beside the one that needs their parses.

Parsing holds Python's lock nearly all the time, so that a thread would gain nothing.
"""

import atexit
import logging
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Lock, Thread
from types import TracebackType
from typing import Self

from earmark.text.parser import Parse, Parser, parse_here, parsed_token

logger = logging.getLogger(__name__)

_BATCH = 128
# Values of a token, in the order of its fields.
_Token = tuple[str, str, str, str, str, int]
_Batch = list[tuple[_Token, ...]]


class ParsingProcess:
    """A process that parses captions, from the first that are handed to it until all are taken.

    What it cannot do, for want of memory or because it was killed, the caller does. A program
    that makes one needs the guard ``if __name__ == "__main__"``. Threads may share it.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()
        self._found: dict[tuple[Parser, str], tuple[Future[_Batch], int]] = {}
        self._failed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._failed = True
            if self._pool is not None:
                self._pool.shutdown(wait=kind is None, cancel_futures=True)

    def begin(self, texts: Iterable[str], parser: Parser) -> None:
        """Hand over texts, in the form in which they are parsed; returns at once."""
        with self._lock:
            self._begin(texts, parser)

    def parses(self, texts: Sequence[str], parser: Parser) -> list[Parse] | None:
        """Parses of texts, in order, waited for; None where this process has to parse them."""
        try:
            with self._lock:  # another thread may take the same
                self._begin(texts, parser)
                begun = [self._found[parser, text] for text in texts]
            batches = [(future.result(), place) for future, place in begun]
        except Exception:
            # KeyError after a failed start; BrokenProcessPool; or what parsing itself raised,
            # which the caller comes to again.
            self._fail()
            return None
        with self._lock:  # the caller keeps them; all of a batch are freed with its last
            for text in texts:
                self._found.pop((parser, text), None)
            if self._pool is not None and not self._found:
                # It holds 170 MB, and often all is parsed. Another begins where more comes.
                self._pool.shutdown(wait=False)
                self._pool = None
        return [tuple(parsed_token(*token) for token in batch[place]) for batch, place in batches]

    def _begin(self, texts: Iterable[str], parser: Parser) -> None:
        new = [text for text in dict.fromkeys(texts) if (parser, text) not in self._found]
        for start in range(0, len(new), _BATCH):
            self._hand_over(new[start : start + _BATCH], parser)

    def _hand_over(self, texts: list[str], parser: Parser) -> None:
        if self._failed:
            return
        try:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(1, get_context("spawn"), _set_up)
            future = self._pool.submit(_parse, texts, parser)
        except (OSError, RuntimeError):  # no memory for it; it has ended
            self._fail()
            return
        self._found.update(((parser, text), (future, at)) for at, text in enumerate(texts))

    def _fail(self) -> None:
        if not self._failed:
            logger.info("Captions are parsed in this process", exc_info=True)
        self._failed = True


def _set_up() -> None:
    """Make the new process ready: it ends with the one that began it, which a key may stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Its memory goes back as a whole, without a second of taking spaCy apart.
    atexit.register(os._exit, 0)
    Thread(target=_end_with_parent, daemon=True).start()
    # spaCy imports torch where there is one, for models that are not used here: a second of
    # time and 200 MB of memory.
    sys.modules["torch"] = None  # type: ignore[assignment]


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)


def _parse(texts: list[str], parser: Parser) -> _Batch:
    """Parse a batch, in the process of its own."""
    return [
        tuple((t.word, t.lemma, t.tag, t.pos, t.dep, t.head) for t in parsed)
        for parsed in parse_here(texts, parser)
    ]
