"""The empty database of the tests: made by all migrations once, and copied after that.

They take seven seconds in each process on SQLite, twice that on PostgreSQL.
"""

import fcntl
import hashlib
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from tests.real_data import ROOT

# All that tables are made by. A migration that is new is run on the copy besides.
MADE_BY = ("migrations/*.py", "models/*.py")
APPS = ("annotation", "leaderboard")


def place(vendor: str) -> Path:
    """Where the database is kept that the code as it stands makes."""
    made_by = [ROOT / "requirements.txt"]
    for app in APPS:
        for pattern in MADE_BY:
            made_by += sorted((ROOT / app).glob(pattern))
    digest = hashlib.sha256()
    for path in made_by:
        digest.update(path.name.encode() + path.read_bytes())
    return Path(os.environ["EARMARK_CACHE"]) / f"empty-{digest.hexdigest()[:16]}.{vendor}"


def others_wait(what: str) -> IO[str]:
    """Let the other processes wait until this is closed: the first makes what all will use."""
    folder = Path(os.environ["EARMARK_CACHE"])
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / f"{what}.lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def copied_to(target: str, database: Any) -> bool:
    """Copy it to where a process wants it; whether there was one."""
    kept = place(database.vendor)
    if not kept.is_file():
        return False
    if database.vendor == "sqlite":
        shutil.copyfile(kept, target)
        return True
    for command in (
        ("dropdb", "--if-exists", target),
        ("createdb", target),
        ("psql", "--quiet", f"--file={kept}", "--set=ON_ERROR_STOP=1", target),
    ):
        program(*command, database=database)
    return True


def keep(made: str, database: Any) -> None:
    """Keep a copy of what was made just now, in the place of those that earlier code made."""
    kept = place(database.vendor)
    part = kept.with_suffix(f".{os.getpid()}")
    if database.vendor == "sqlite":
        with closing(sqlite3.connect(made)) as one:
            one.execute("VACUUM INTO ?", (str(part),))
    else:
        program("pg_dump", "--no-owner", f"--file={part}", made, database=database)
    for earlier in kept.parent.glob(f"empty-*.{database.vendor}"):
        earlier.unlink(missing_ok=True)
    part.replace(kept)


def program(*command: str, database: Any) -> None:
    """Run a program of PostgreSQL's on the server of the tests."""
    names = {"HOST": "PGHOST", "PORT": "PGPORT", "USER": "PGUSER", "PASSWORD": "PGPASSWORD"}
    where = {name: str(database.settings_dict[key]) for key, name in names.items()}
    told = {name: value for name, value in where.items() if value}
    subprocess.run(command, env={**os.environ, **told}, check=True, stdout=subprocess.DEVNULL)
