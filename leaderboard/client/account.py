"""Which server, and with which token: the environment, else what ``login`` stored."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from leaderboard.client.ending import Misused

# Plain HTTP to these does not leave the machine.
_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}


@dataclass(frozen=True, slots=True)
class Account:
    """A server's address and a personal token, empty where there is none."""

    server: str
    token: str = ""

    @property
    def in_the_clear(self) -> bool:
        """Whether others on the way can read the token."""
        parts = urlsplit(self.server)
        open_way = parts.scheme == "http" and parts.hostname not in _THIS_MACHINE
        return bool(self.token) and open_way


def config_path(environment: Mapping[str, str]) -> Path:
    """Give the file in which ``login`` stores the account."""
    base = environment.get("XDG_CONFIG_HOME") or ""
    # The specification says that a path which is not absolute is to be ignored.
    folder = Path(base) if Path(base).is_absolute() else Path.home() / ".config"
    return folder / "earmark" / "client.json"


def account_read(environment: Mapping[str, str], server: str | None = None) -> Account:
    """Find the account; what is given or in the environment stands before what is stored.

    The stored token goes to its own server only, and that of the environment to the
    server of the environment where it names one.
    """
    stored = _stored(config_path(environment))
    named = environment.get("EARMARK_URL") or ""
    address = server or named or stored.server
    if not address:
        raise Misused(
            "No server is known. Run 'login --server https://...' first, or set EARMARK_URL."
        )
    address = address_checked(address)
    meant = not named or address_checked(named) == address
    token = (environment.get("EARMARK_TOKEN") or "") if meant else ""
    token = token or (stored.token if address == stored.server else "")
    return Account(address, token.strip())


def account_store(account: Account, environment: Mapping[str, str]) -> Path:
    """Store an account so that nobody else can read it; the file changes whole or not at all."""
    path = config_path(environment)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = json.dumps({"server": account.server, "token": account.token}, indent=2)
    # The temporary file is made readable by its owner alone.
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text + "\n")
    Path(file.name).replace(path)
    return path


def address_checked(address: str) -> str:
    """Give a server's address without what may follow it; raises ``Misused``."""
    text = address.strip().rstrip("/").removesuffix("/api/v1")
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise Misused(f"{address!r} is no address of a server. Write it as https://example.org")
    return text


def _stored(path: Path) -> Account:
    try:
        held = json.loads(path.read_text())
        return Account(str(held["server"]), str(held["token"]))
    except FileNotFoundError:
        return Account("")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misused(f"{path} cannot be read. Run 'login' again, or remove it.") from error
