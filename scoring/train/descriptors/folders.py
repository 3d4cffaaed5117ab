"""Putting a folder in its place whole, so that nobody ever reads half of one."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from scoring.errors import ScoringError


class CannotWrite(ScoringError):
    """A folder that cannot be written into."""

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(f"Cannot write into {folder}: {error.strerror}. Give another folder.")


def put(out: Path, write: Callable[[Path], None], texts: Mapping[str, str]) -> None:
    """Write a folder beside ``out`` and move it there in one step.

    ``write`` fills the folder, ``texts`` are further files. Where ``out`` holds files
    already its other files stay, and each new one takes the place of the old in one
    step, ``config.json`` last. Raises ``CannotWrite``.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise CannotWrite(out, error) from error
    try:
        write(fresh)
        for name, text in texts.items():
            (fresh / name).write_text(text, encoding="utf-8")
        fresh.chmod(0o755)
        if out.is_dir() and any(out.iterdir()):
            for path in sorted(fresh.iterdir(), key=lambda path: path.name == "config.json"):
                path.replace(out / path.name)
        else:
            fresh.replace(out)  # an empty folder gives way
    except OSError as error:
        raise CannotWrite(out, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
