"""The queue in a folder: whoever reads while another writes finds a whole message or none."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection

from leaderboard.celery import app

TRANSPORT = "leaderboard.broker:Transport"
MESSAGES = 400


@contextmanager
def channel(folder: Path) -> Iterator[Any]:
    (folder / "queue").mkdir(exist_ok=True)
    options = {
        "data_folder_in": str(folder / "queue"),
        "data_folder_out": str(folder / "queue"),
        "control_folder": str(folder / "control"),
    }
    with (
        Connection("filesystem://", transport=TRANSPORT, transport_options=options) as connection,
        connection.channel() as opened,
    ):
        yield opened


def put_all(folder: Path, sender: int) -> None:
    """Messages long enough that writing one takes more than a moment."""
    with channel(folder) as sent_to:
        for number in range(MESSAGES):
            sent_to._put("cpu", {"from": sender, "number": number, "body": "x" * 20_000})


def bind_all(folder: Path, start: int) -> None:
    with channel(folder) as bound:
        for number in range(start, start + 60):
            bound._queue_bind("cpu", f"key {number}", "", f"queue {number}")
            bound.get_table("cpu")


def workers(many: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(many, mp_context=get_context("spawn"))


def test_a_reader_never_sees_half_a_message(tmp_path: Path) -> None:
    got: list[tuple[int, int]] = []
    with workers(2) as pool, channel(tmp_path) as taken_from:
        senders = [pool.submit(put_all, tmp_path, sender) for sender in range(2)]
        while len(got) < 2 * MESSAGES:
            if all(sender.done() for sender in senders) and not list(tmp_path.glob("queue/*.msg")):
                break
            try:
                message = taken_from._get("cpu")
            except Empty:
                continue
            got.append((message["from"], message["number"]))
        for sender in senders:
            sender.result()
    assert sorted(got) == [(sender, number) for sender in range(2) for number in range(MESSAGES)]
    for which in range(2):
        numbers = [number for sender, number in got if sender == which]
        assert numbers == sorted(numbers)


def test_tables_written_side_by_side_keep_every_line(tmp_path: Path) -> None:
    with workers(2) as pool:
        for done in [pool.submit(bind_all, tmp_path, start) for start in (0, 1000)]:
            done.result()
    with channel(tmp_path) as read:
        names = {line[2] for line in read.get_table("cpu")}
    assert names == {f"queue {start + number}" for start in (0, 1000) for number in range(60)}


def test_a_damaged_message_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with channel(tmp_path) as used:
        (tmp_path / "queue" / "0_crashed.cpu.msg").write_text("")
        used._put("cpu", {"number": 1})
        with pytest.raises(Empty):
            used._get("cpu")
        assert "damaged message of the queue cpu" in caplog.text
        assert used._get("cpu") == {"number": 1}


def test_the_site_uses_it(settings: Any) -> None:
    if not settings.CELERY_BROKER_URL.startswith("filesystem:"):
        pytest.skip("The queue is in Redis here.")
    with app.connection_for_write() as connection:
        assert connection.transport_cls == TRANSPORT
        assert type(connection.transport).__module__ == "leaderboard.broker"
