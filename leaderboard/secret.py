"""The installation's own secret, made on first run and never committed."""

import os
import secrets
from pathlib import Path


def secret_key(path: Path) -> str:
    """Read the secret at ``path``, or make one that only this user can read.

    Two processes that start together agree: the file is created exclusively,
    and whoever comes second reads what the first wrote.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
