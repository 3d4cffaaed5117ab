"""The empty SQLite database of the tests: made by all migrations once, and copied after that."""

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.real_data import ROOT

# All that tables are made by. A migration that is new is run on the copy besides.
MADE_BY = ("migrations/*.py", "models/*.py")
APPS = ("annotation", "leaderboard")


def place() -> Path:
    """Where the database is kept that the code as it stands makes."""
    made_by = [ROOT / "requirements.txt"]
    for app in APPS:
        for pattern in MADE_BY:
            made_by += sorted((ROOT / app).glob(pattern))
    digest = hashlib.sha256()
    for path in made_by:
        digest.update(path.name.encode() + path.read_bytes())
    return Path(os.environ["EARMARK_CACHE"]) / f"empty-{digest.hexdigest()[:16]}.sqlite3"


def copied_to(target: str) -> bool:
    """Copy it to where a process wants it; whether there was one."""
    try:
        shutil.copyfile(place(), target)
    except FileNotFoundError:
        return False
    return True


def keep(made: str) -> None:
    """Keep a copy of what was made just now, in the place of those that earlier code made."""
    kept = place()
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(made)) as database:
        database.execute("VACUUM INTO ?", (str(part),))
    for earlier in kept.parent.glob("empty-*.sqlite3"):
        earlier.unlink(missing_ok=True)
    part.replace(kept)
