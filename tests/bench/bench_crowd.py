"""How many visitors at once the leaderboard of the site as ``make run`` starts it answers.

    python -m tests.bench.bench_crowd [--systems 200] [--connections 50] [--seconds 10]

Made-up systems in a database of its own: SQLite, or that of DATABASE_URL (PostgreSQL). The site
runs with its web server, worker and maintenance process, three times: without the cache of
visitors' pages, with it, and with it while a score of the leaderboard changes twice a second.
Another process opens the connections; each asks for the leaderboard again as soon as it has been
answered, as browsers do: kept open, compressed answers welcome. That process, the site and
whatever else runs share the processors.
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from tests.bench.site import fill, own_database  # isort: skip, sets Django up

import numpy as np
from django.db import connection
from django.urls import reverse

from leaderboard.models import MetricResult
from tests.bench.output import say
from tests.chaos.programs import free_ports
from tests.leaderboard.evaluations.worker_process import database_url

MANAGE = [sys.executable, "manage.py"]
STARTS_WITHIN = 120
CHANGE_EVERY = 0.5
RUNS = {
    "cache off": ("0", False),
    "cache on": ("10", False),
    "cache on, 2 changes a second": ("10", True),
}


def main() -> None:
    """Read the command line and print the table, or be the process that asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=200)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        answers = asyncio.run(_crowd(options.ask, options.connections, options.seconds))
        sys.stdout.write(json.dumps(answers))
        return
    with own_database() as folder:
        run(options, folder)


def run(options: argparse.Namespace, folder: Path) -> None:
    """Fill the database, start the site with each setting, and print what its visitors meet."""
    phase, _ = fill(options.systems, clips=100)
    result = MetricResult.objects.filter(metric=phase.ranking_metric)[0]
    path = reverse("leaderboard:board", args=[phase.challenge.slug, phase.slug])
    environment = _environment(folder)
    subprocess.run([*MANAGE, "prepare"], env=environment, check=True)
    say(f"{connection.vendor}: {options.systems} systems, {options.connections} at once, {path}")
    first = 0.0
    for title, (kept, changing) in RUNS.items():
        with site(environment | {"EARMARK_VISITORS_CACHE_SECONDS": kept}, folder / "log") as base:
            _ask(f"{base}{path}", 1, 2.0)
            alone = _ask(f"{base}{path}", 1, 2.0)
            crowd = _ask(
                f"{base}{path}", options.connections, options.seconds, result if changing else None
            )
        rate = len(crowd["ms"]) / options.seconds
        first = first or rate
        p50, p95, p99 = np.percentile(crowd["ms"], [50, 95, 99])
        say(
            f"{title:30} {rate:6.0f} a second ({rate / first:5.1f} x), p50 {p50:5.0f} ms, "
            f"p95 {p95:5.0f} ms, p99 {p99:5.0f} ms, most {max(crowd['ms']):5.0f} ms; "
            f"alone {np.median(alone['ms']):4.1f} ms; {crowd['bytes'] / 1000:4.0f} kB, "
            f"{crowd['refused']} not answered with 200"
        )


def _environment(folder: Path) -> dict[str, str]:
    port = free_ports(1)[0]
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "EARMARK_VAR": str(folder / "var"),
        "DATABASE_URL": database_url(),
        "SITE_URL": f"http://127.0.0.1:{port}",
        "PORT": str(port),
    }


@contextlib.contextmanager
def site(environment: dict[str, str], log: Path) -> Iterator[str]:
    """Run the site, and end it with all its processes; gives its address."""
    base = environment["SITE_URL"]
    with log.open("w") as lines:
        running = subprocess.Popen(
            [*MANAGE, "run"], env=environment, stdout=lines, stderr=lines, start_new_session=True
        )
        try:
            _wait_for(base)
            yield base
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            try:
                running.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)


def _wait_for(base: str) -> None:
    """Wait until the site and its workers are ready, so that none still loads."""
    for _ in range(STARTS_WITHIN):
        with contextlib.suppress(OSError), urlopen(f"{base}/readyz", timeout=10):
            return
        time.sleep(1)
    raise TimeoutError(f"{base} is not ready")


def _ask(
    url: str, connections: int, seconds: float, result: MetricResult | None = None
) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.bench_crowd", "--ask", url]
    command += ["--connections", str(connections), "--seconds", str(seconds)]
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, stdout=output) as asking:
        while result is not None and asking.poll() is None:
            MetricResult.objects.filter(pk=result.pk).update(value=time.time() % 1)
            time.sleep(CHANGE_EVERY)
        asking.wait()
        output.seek(0)
        answers: dict[str, Any] = json.load(output)
    return answers


async def _crowd(url: str, connections: int, seconds: float) -> dict[str, object]:
    """Ask over some connections at once; the milliseconds of each answer."""
    parts = urlsplit(url)
    request = (
        f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept-Encoding: gzip\r\n\r\n"
    ).encode()
    connect = partial(asyncio.open_connection, parts.hostname, parts.port, limit=1 << 22)
    ends = time.perf_counter() + seconds
    taken: list[float] = []
    refused, size = 0, 0

    async def visitor() -> None:
        nonlocal refused, size
        reader, writer = await connect()
        while time.perf_counter() < ends:
            began = time.perf_counter()
            writer.write(request)
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                await reader.readexactly(length)
            except (asyncio.IncompleteReadError, ConnectionError):
                refused += 1
                writer.close()
                reader, writer = await connect()
                continue
            taken.append(1000 * (time.perf_counter() - began))
            refused += b" 200 " not in head.split(b"\r\n")[0]
            size = length
            if b"connection: close" in head.lower():
                writer.close()
                reader, writer = await connect()
        writer.close()

    await asyncio.gather(*(visitor() for _ in range(connections)))
    return {"ms": taken, "refused": refused, "bytes": size}


if __name__ == "__main__":
    main()
