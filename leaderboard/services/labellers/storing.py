"""The folder of labellers: each appears there whole or not at all, and is not written again."""

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from leaderboard.selectors.labellers.files import FILES, REPORT, fault_of, folder_of
from leaderboard.services.labellers.refusing import LabellerRefused
from scoring.models.descriptors.labeller import PLACE

_READ_ONLY, _OWN = 0o444, 0o755
_INCOMING, _LEFT_SECONDS = ".incoming-", 24 * 3600
# What is left to others who write on the same disk.
SPARE = 200_000_000


@contextmanager
def staging() -> Iterator[Path]:
    """Give an empty folder beside the labellers, so that what is in it can be moved at once."""
    home = _home()
    _tidy(home)
    place = Path(tempfile.mkdtemp(prefix=_INCOMING, dir=home))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def room() -> int:
    """Tell how many bytes may still be stored."""
    return max(0, shutil.disk_usage(_home()).free - SPARE)


def _home() -> Path:
    home = Path(settings.LABELLERS_DIR)
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    return home


def _tidy(home: Path) -> None:
    """Delete what somebody was storing when the power went."""
    for left in home.glob(f"{_INCOMING}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def take_files(source: Path, place: Path) -> None:
    """Copy a labeller's two files; raise ``LabellerRefused`` where one is missing or too large."""
    size = 0
    for name in FILES:
        path = source / name
        if path.is_symlink() or not path.is_file():
            raise LabellerRefused(f"{name} is missing.")
        size += path.stat().st_size
    check_size(size)
    for name in FILES:
        shutil.copyfile(source / name, place / name)


def check_size(size: int) -> None:
    """Refuse what is larger than this installation keeps, or than the disk has room for."""
    most: int = settings.MAX_LABELLER_BYTES
    if size > most:
        raise LabellerRefused(
            f"It has {size / 1e6:,.1f} MB and the limit is {most / 1e6:,g} MB. Train a small head "
            "or low-rank updates, or let the administrator raise the limit."
        )
    if size > room():
        raise LabellerRefused("The disk of the server has no room for it. Tell the administrator.")


def settle(place: Path, sha256: str) -> None:
    """Move a staged labeller to where its hash says; what lies there already and is right stays."""
    goal = folder_of(sha256)
    if goal.exists():
        if not fault_of(sha256):
            _place_anew(place, goal)
            return
        _set_aside(goal)
    for path in place.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
        path.chmod(_READ_ONLY)
    place.chmod(_OWN)
    # Where another stores the same at this moment, it is theirs that stays.
    with contextlib.suppress(OSError):
        place.rename(goal)
    reason = fault_of(sha256)
    if reason:
        raise LabellerRefused(f"It could not be stored: {reason}. Try again.")
    _sync(goal.parent)


def _place_anew(place: Path, goal: Path) -> None:
    """Note where its backbone lies now, which is no part of a labeller."""
    noted = place / PLACE
    if noted.is_file():
        noted.chmod(_READ_ONLY)
        noted.replace(goal / PLACE)


def report_replace(sha256: str, content: str) -> None:
    """Put another report in the place of that beside a labeller, in one step."""
    with staging() as place:
        write_report(place, content)
        (place / REPORT).chmod(_READ_ONLY)
        (place / REPORT).replace(folder_of(sha256) / REPORT)


def write_report(place: Path, content: str) -> None:
    """Put what was measured beside a staged labeller."""
    (place / REPORT).write_text(content, encoding="utf-8")


def remove(sha256: str) -> None:
    """Delete a labeller's files; what is not there is deleted already."""
    goal = folder_of(sha256)
    if goal.exists():
        _set_aside(goal)


def _set_aside(goal: Path) -> None:
    """Take a folder away in one step, so that nobody finds it half deleted."""
    with staging() as place:
        goal.rename(place / goal.name)


def _sync(folder: Path) -> None:
    """Make sure that a move outlives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
