"""Score a tiny corpus with every metric and tell what the process did besides.

Run by test_isolation.py in a process of its own: ``python -B -m tests.earmark.isolated_run CACHE``.
Prints JSON: the corpus values, the reasons of what was unavailable, the network calls, and the
files that were opened for writing, made, moved or removed outside CACHE.
"""

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
CALLS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class NoSocket(socket.socket):
    """A socket that cannot be made."""

    def __init__(self, *_: object, **__: object) -> NoReturn:
        raise OSError("the network is denied")


def watch(cache: Path, calls: list[str], changes: list[str]) -> None:
    """Note network calls and changes of files outside the cache from now on."""

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event in CALLS:
            calls.append(f"{event} {arguments[1:]}")
        elif (event == "open" and arguments[2] & WRITING) or event in CHANGES:
            # A rename or a link has two paths.
            paths = [os.fsdecode(path) for path in arguments[:2] if isinstance(path, str | bytes)]
            paths = paths[:1] if event == "open" else paths
            changes.extend(f"{event} {path}" for path in paths if not inside(path, cache))

    sys.addaudithook(note)


def inside(path: str, folder: Path) -> bool:
    """Say whether a path lies in a folder."""
    return Path(path).absolute().is_relative_to(folder)


def main() -> None:
    """Score and report."""
    cache = Path(sys.argv[1])
    calls: list[str] = []
    changes: list[str] = []
    socket.socket = NoSocket  # type: ignore[misc, assignment]
    watch(cache, calls, changes)
    from earmark.captions import Candidates, References
    from earmark.pipeline import score
    from earmark.registry import metrics_for
    from earmark.workspace import Workspace

    references = References.build(
        [("a.wav", ["A dog barks.", "A dog is barking."]), ("b.wav", ["It rains.", "Rain falls."])]
    )
    candidates = Candidates.single(["a dog barks", "rain is falling"])
    found = score(
        candidates, references, metrics_for(several=False), Workspace(cache_dir=cache, device="cpu")
    )
    report = {
        "values": {name: result.value for name, result in found.results.items()},
        "unavailable": found.unavailable,
        "calls": calls,
        "changes": changes,
    }
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
