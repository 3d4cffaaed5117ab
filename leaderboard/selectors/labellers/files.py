"""Where the files of a labeller lie, and whether they are still as they were stored.

A labeller's folder is named by a sha256 over its two files, namely that of what
``sha256sum config.json model.safetensors`` prints, so that it can be checked by hand.
``report.json`` beside them is for people and no part of it: to measure a labeller anew
does not make it another one.
"""

import hashlib
import re
import stat
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from earmark.errors import ScoringError
from earmark.models.descriptors import find_labeller
from leaderboard.models import Labeller

CONFIG, WEIGHTS, REPORT = "config.json", "model.safetensors", "report.json"
FILES = (CONFIG, WEIGHTS)
MISSING = "missing"
# As it stands in signatures: a name and 8 hex digits of the sha256 of the weights.
_IDENTITY = re.compile(r"[^\s@|:;,/\\]{1,60}@[0-9a-f]{8}")


def is_identity(text: str) -> bool:
    """Whether a text can be the name of a labeller in signatures, and no path."""
    return _IDENTITY.fullmatch(text) is not None and text.isprintable()


def folder_of(sha256: str) -> Path:
    """The place of a labeller's files."""
    return Path(settings.LABELLERS_DIR) / sha256


def labeller_folder(identity: str) -> Path:
    """The folder of a kept labeller, after its files were compared with the record.

    Raises ``ScoringError`` where it is not kept, or the files are not those of its hash.
    """
    sha256 = Labeller.objects.filter(identity=identity).values_list("sha256", flat=True).first()
    if sha256 is None:
        raise _not_kept(identity)
    reason = fault_of(sha256)
    if reason:
        raise ScoringError(
            f"The files of the labeller {identity} are not as they were stored: {reason}. "
            "Nothing is computed with it. Keep it again (manage.py labeller keep), or use another."
        )
    return folder_of(sha256)


def _not_kept(identity: str) -> ScoringError:
    return ScoringError(
        f"The labeller {identity[:80]!r} is not kept on this site. "
        "Keep it again (manage.py labeller keep), or rescore with another one."
    )


def fault_of(sha256: str) -> str:
    """How the files stored under a hash differ from it, empty where they do not."""
    try:
        digest = artefact_digest(folder_of(sha256))
    except FileNotFoundError as missing:
        return str(missing)
    if digest != sha256:
        return f"their sha256 is {digest[:8]}... and not {sha256[:8]}..."
    return ""


def labeller_path(value: str) -> str:
    """The path that the scorer takes for what a phase keeps as its labeller.

    ``value`` is an identity, or empty for the one that comes with the scorer, or a
    path, which only whoever runs the server can have set. Raises as
    ``labeller_folder`` does.
    """
    if not is_identity(value):
        return value
    if Labeller.objects.filter(identity=value).exists():
        return str(labeller_folder(value))
    path = unkept().get(value)
    if path is None:
        raise _not_kept(value)
    return path


def installation_path() -> str:
    """The labeller of this installation, as in EARMARK_METRICS; empty: the scorer's own."""
    return str(settings.SCORING_PARAMETERS.get("aces", {}).get("labeller", ""))


def unkept() -> dict[str, str]:
    """The path of each labeller that needs no record: the installation's, the scorer's own."""
    paths = {}
    for path in ("", installation_path()):
        with suppress(ScoringError):
            paths[find_labeller(path).identity] = path
    return paths


def shipped_identity() -> str:
    """Identity of the labeller of this installation, which needs no record; MISSING: none there.

    Pages that have other things to say, too, must not break where it is not.
    """
    try:
        return find_labeller(installation_path()).identity
    except ScoringError:
        return MISSING


def artefact_digest(folder: Path) -> str:
    """The sha256 of a labeller's two files together.

    Each file is read once for each change of its size, times or place on the disk.
    """
    lines = "".join(f"{_file_digest(folder / name)}  {name}\n" for name in FILES)
    return hashlib.sha256(lines.encode()).hexdigest()


def _file_digest(path: Path) -> str:
    try:
        status = path.lstat()
    except OSError as error:
        raise FileNotFoundError(f"{path.name} is missing") from error
    if not stat.S_ISREG(status.st_mode):
        raise FileNotFoundError(f"{path.name} is not a file")
    # The time of the last change of the entry cannot be set back, unlike that of the content.
    stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    try:
        return _digest(path, stamp)
    except OSError as error:
        raise FileNotFoundError(f"{path.name} cannot be read") from error


@lru_cache(maxsize=256)
def _digest(path: Path, _stamp: tuple[int, ...]) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
