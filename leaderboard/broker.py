"""The queue in a folder that `make run` uses where there is no Redis.

Kombu's file-system transport opens a message's file before it fills it, and empties an
exchange's table before it writes it again. A process that reads in that moment finds no
JSON; in a worker that ends the process. Here a message appears whole or not at all, and
tables are read and written in turn.
"""

import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.utils.json import dumps

logger = logging.getLogger(__name__)


class Channel(filesystem.Channel):  # type: ignore[misc]
    """A channel on two folders: one of messages, one of tables."""

    def _put(self, queue: str, payload: dict[str, Any], **_: Any) -> None:
        """Store a message under a name that sorts by the time at which it was sent."""
        name = f"{time.time_ns()}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        unfinished = folder / f"{name}.part"  # no queue reads a name that ends so
        unfinished.write_text(dumps(payload))
        unfinished.replace(folder / name)

    def _get(self, queue: str) -> dict[str, Any]:
        """Take the oldest message; one that a full disk or a crash has damaged is left out."""
        try:
            message: dict[str, Any] = super()._get(queue)
        except ValueError:
            logger.warning("A damaged message of the queue %s was left out.", queue)
            raise Empty from None
        return message

    def get_table(self, exchange: str) -> list[tuple[str, str, str]]:
        """Which queues an exchange leads to, as (routing key, pattern, queue)."""
        with self._in_turn():
            table: list[tuple[str, str, str]] = super().get_table(exchange)
        return table

    def _queue_bind(self, *args: Any) -> None:
        with self._in_turn():
            super()._queue_bind(*args)

    def _delete(self, *args: Any, **kwargs: Any) -> None:
        with self._in_turn():
            super()._delete(*args, **kwargs)

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Wait until no other process reads or writes a table."""
        self.control_folder.mkdir(parents=True, exist_ok=True)
        with (self.control_folder / "turn.lock").open("w") as file:
            filesystem.lock(file, filesystem.LOCK_EX)
            yield


class Transport(filesystem.Transport):  # type: ignore[misc]
    """Kombu's file-system transport with the channel above."""

    Channel = Channel
