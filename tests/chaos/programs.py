"""Processes of the site: started, ended in every manner, and gone with whoever started them."""

import os
import pwd
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.real_data import ROOT

# They end with whoever started them, be that killed.
WITH_US = ("setpriv", "--pdeathsig", "KILL")
STARTS_WITHIN = 120.0


class SiteBroken(Exception):
    """The site itself does not come up, so that nothing can be tried on it."""


def free_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def until(condition: Callable[[], object], *, seconds: float, what: str) -> None:
    """Wait for a condition, or raise ``SiteBroken``."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SiteBroken(f"This did not happen within {seconds:g} s: {what}")
        time.sleep(0.05)


@dataclass
class Program:
    """A command in a process group of its own; ``user`` runs it where that is somebody else."""

    name: str
    command: list[str]
    log: Path
    environment: dict[str, str] = field(default_factory=dict)
    port: int | None = None
    user: str | None = None
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it, and wait until it listens where it has a port."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*WITH_US, *self.command],
                cwd=ROOT if self.user is None else "/",
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                user=self.user,
                group=None if self.user is None else pwd.getpwnam(self.user).pw_gid,
                extra_groups=None if self.user is None else [],
            )
        if self.port is not None:
            until(self.listens, seconds=STARTS_WITHIN, what=f"{self.name} listens ({self.log})")

    def listens(self) -> bool:
        """Whether something takes connections at its port."""
        try:
            socket.create_connection(("127.0.0.1", self.port or 0), 1).close()
        except OSError:
            return False
        return True

    @property
    def ended(self) -> bool:
        """Whether it has ended, or was not started."""
        return self.process is None or self.process.poll() is not None

    @property
    def pid(self) -> int:
        """Process id of the program itself."""
        return 0 if self.process is None else self.process.pid

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program and all its children."""
        if self.process is None:
            return
        # PostgreSQL's have groups of their own.
        for send, pid in ((os.killpg, self.pid), *((os.kill, pid) for pid in self.children())):
            with suppress(ProcessLookupError):
                send(pid, number)

    def kill(self) -> None:
        """End it and its children at once, with no chance to clean up."""
        self.send(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ask the program to end, and kill what is left of it after ten seconds."""
        if self.process is not None and not self.ended:
            self.process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        self.kill()

    def children(self) -> list[int]:
        """Process ids of its children."""
        path = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        with suppress(OSError):
            return [int(pid) for pid in path.read_text().split()]
        return []

    def owns(self, pid: int) -> bool:
        """Whether a process is the program or one of its children."""
        return pid == self.pid or pid in self.children()
