"""The folder of labellers: each appears there complete or not at all, and is not written again.

Whoever downloads a labeller learns the name and the hash of its backbone, not the folder in
which it lies. That is noted beside the labeller's files and is no part of them.
"""

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from earmark.models.descriptors.backbone import BACKBONE_LOCATION
from leaderboard.models import Labeller
from leaderboard.selectors.labellers.files import CONFIG, FILES, REPORT, fault_of, folder_of
from leaderboard.services.labellers.configuration import LabellerRefused

_READ_ONLY, _OWN = 0o444, 0o755
_INCOMING, _LEFT_SECONDS = ".incoming-", 24 * 3600
# Bytes of the disk that are left to others.
SPARE = 200_000_000


@contextmanager
def staging_folder() -> Iterator[Path]:
    """An empty folder beside the labellers, so that its content can be moved in one step."""
    home = _labellers_folder()
    for left in home.glob(f"{_INCOMING}*"):  # by a crash
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_SECONDS:
                shutil.rmtree(left, ignore_errors=True)
    place = Path(tempfile.mkdtemp(prefix=_INCOMING, dir=home))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def free_bytes() -> int:
    """How many bytes may still be stored."""
    return max(0, shutil.disk_usage(_labellers_folder()).free - SPARE)


def _labellers_folder() -> Path:
    home = Path(settings.LABELLERS_DIR)
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    return home


def files_copy(source: Path, place: Path) -> None:
    """Copy a labeller's two files; raises ``LabellerRefused`` where one is missing or too large."""
    size = 0
    for name in FILES:
        path = source / name
        if path.is_symlink() or not path.is_file():
            raise LabellerRefused(f"{name} is missing. Add it.")
        size += path.stat().st_size
    size_check(size)
    for name in FILES:
        shutil.copyfile(source / name, place / name)


def size_check(size: int) -> None:
    """Refuse files larger than this installation's limit, or than the free disk space."""
    most: int = settings.MAX_LABELLER_BYTES
    if size > most:
        raise LabellerRefused(
            f"The labeller has {size / 1e6:,.1f} MB and the limit is {most / 1e6:,g} MB. Train a "
            "head or low-rank updates, or ask the administrator to raise the limit."
        )
    if size > free_bytes():
        raise LabellerRefused("The server has no room for the labeller. Tell the administrator.")


def staged_move(place: Path, sha256: str) -> None:
    """Move a staged labeller to the folder of its hash; intact files there already stay."""
    goal = folder_of(sha256)
    if goal.exists():
        if not fault_of(sha256):
            # Where the backbone is may have changed; it is no part of a labeller.
            noted = place / BACKBONE_LOCATION
            if noted.is_file():
                noted.chmod(_READ_ONLY)
                noted.replace(goal / BACKBONE_LOCATION)
            return
        _set_aside(goal)
    for path in place.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
        path.chmod(_READ_ONLY)
    place.chmod(_OWN)
    # Where somebody stores the same at this moment, theirs stays.
    with contextlib.suppress(OSError):
        place.rename(goal)
    reason = fault_of(sha256)
    if reason:
        raise LabellerRefused(f"The labeller could not be stored: {reason}. Try again.")
    folder_sync(goal.parent)


def report_replace(labeller: Labeller) -> None:
    """Replace the report beside a labeller in one step."""
    with staging_folder() as place:
        report_write(place, labeller)
        (place / REPORT).chmod(_READ_ONLY)
        (place / REPORT).replace(folder_of(labeller.sha256) / REPORT)


def report_write(place: Path, labeller: Labeller) -> None:
    """Write the report of a labeller beside its staged files."""
    report = {"data_hash": labeller.data_hash, "recipe": labeller.recipe, **labeller.scores}
    text = json.dumps(report, indent=1, ensure_ascii=False)
    (place / REPORT).write_text(f"{text}\n", encoding="utf-8")


def files_delete(sha256: str) -> None:
    """Delete a labeller's files, if there are any."""
    goal = folder_of(sha256)
    if goal.exists():
        _set_aside(goal)


def _set_aside(goal: Path) -> None:
    """Move a folder away in one step, so that nobody finds it half deleted."""
    with staging_folder() as place:
        goal.rename(place / goal.name)


def folder_sync(folder: Path) -> None:
    """Make sure that names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def backbone_path_hide(folder: Path) -> None:
    """Replace the backbone's path by its name in a labeller that was trained here."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    backbone = Path(config.get("backbone") or "")
    if backbone.is_absolute():
        (folder / BACKBONE_LOCATION).write_text(str(backbone), encoding="utf-8")
        config["backbone"] = backbone.name
        (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def backbone_path_note(folder: Path) -> None:
    """Note the path of the named backbone where this installation has it.

    Its hash is compared when it is loaded.
    """
    try:
        name = json.loads((folder / CONFIG).read_bytes())["backbone"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return  # the checks that follow say what is wrong
    for backbone in map(Path, settings.BACKBONES):
        if backbone.is_absolute() and backbone.name == name:
            (folder / BACKBONE_LOCATION).write_text(str(backbone), encoding="utf-8")
            return
