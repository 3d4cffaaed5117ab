"""Twenty hostile files at once, sent by one account to a whole site, and what everyone else waits.

    python -m tests.bench.bench_hostile_burst [--files 20]

A site of real processes as tests.chaos starts it (two web processes of four threads). Prints how
long the health page and a leaderboard took before and during the burst, the answers to the files,
and whether another account's good file is taken afterwards.
"""

import argparse
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import django
import httpx

from tests.bench.output import say
from tests.chaos.site import Site

# A header of separators, the shape that once cost the most.
HOSTILE = b"file_name" + b"," * 4_800_000 + b"\n"
CALM_SECONDS = 5.0


def main() -> None:
    """Start the site, send the files, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20)
    files = parser.parse_args().files
    folder = Path(tempfile.mkdtemp(prefix="earmark-burst-"))
    site = Site(folder)
    os.environ.update(site.environment())
    django.setup()
    try:
        _run(site, files)
    finally:
        site.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _run(site: Site, files: int) -> None:
    from django.core.management import call_command

    from tests.chaos.visitors import Trial, sign_up

    site.start_services()
    call_command("migrate", interactive=False, verbosity=0)
    site.start()
    attacker, other, *_ = people = sign_up(site.address)
    trial = Trial.begin("calm", people)
    paths = ("/healthz", "/c/calm/calm/")
    _tell("before", _looked_at(site.address, paths, []))
    codes: list[int] = []

    def send() -> None:
        answer = httpx.post(
            f"{site.address}/api/v1/phases/calm/calm/submissions",
            headers={"Authorization": f"Bearer {attacker.token}"},
            data={"system_name": "x", "team": attacker.team},
            files={"file": ("x.csv", HOSTILE)},
            timeout=600,
        )
        codes.append(answer.status_code)

    senders = [threading.Thread(target=send) for _ in range(files)]
    _tell("during", _looked_at(site.address, paths, senders))
    say(f"answers to the {files} files: {dict(Counter(codes))}")
    say(f"a good file of another account: {other.submit(trial.phase, 'Good', within=60)}")


def _looked_at(
    address: str, paths: tuple[str, ...], senders: list[threading.Thread]
) -> dict[str, list[float]]:
    """Seconds that each look at a page took, while the senders run and a little longer."""
    taken: dict[str, list[float]] = {path: [] for path in paths}
    over = threading.Event()

    def look(path: str) -> None:
        while not over.wait(0.1):
            began = time.perf_counter()
            httpx.get(address + path, timeout=600).raise_for_status()
            taken[path].append(time.perf_counter() - began)

    lookers = [threading.Thread(target=look, args=(path,)) for path in paths]
    for thread in (*lookers, *senders):
        thread.start()
    for sender in senders:
        sender.join()
    over.wait(CALM_SECONDS)
    over.set()
    for looker in lookers:
        looker.join()
    return taken


def _tell(when: str, taken: dict[str, list[float]]) -> None:
    for path, seconds in taken.items():
        mean = sum(seconds) / len(seconds)
        say(
            f"{when} {path:20} {len(seconds):4} looks: mean {mean:.2f} s, most {max(seconds):.2f} s"
        )


if __name__ == "__main__":
    main()
