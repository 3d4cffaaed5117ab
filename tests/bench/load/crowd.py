"""Who is there: teams that hand in, visitors who read. (Annotators: bench_annotators.)"""

import http.client
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import numpy as np

from earmark.captions import References
from leaderboard.models import Phase
from tests.bench.bench_annotators import Log
from tests.bench.bench_families import DOES, WHERE, WHILE, WHO
from tests.chaos.visitors import Person

# What one team hands in at once comes one after another.
TEAMS = 10
# Between two pages a visitor reads, on average.
READS_FOR = 5.0


def sentence(chance: random.Random) -> str:
    """A caption as long as Clotho's."""
    return " ".join(chance.choice(part) for part in (WHO, DOES, WHERE, WHILE))


def references(clips: int) -> References:
    """Clips with five captions each."""
    chance = random.Random(0)
    return References.build(
        (f"clip {at}.wav", [sentence(chance) for _ in range(5)]) for at in range(clips)
    )


def captions_file(seed: int, names: tuple[str, ...]) -> bytes:
    """A system's file with captions of its own."""
    chance = random.Random(seed + 1)
    rows = ["file_name,caption_predicted", *(f"{name},{sentence(chance)}" for name in names)]
    return "\n".join(rows).encode()


@dataclass
class Burst:
    """Many systems, handed in by all teams at once."""

    people: list[Person]
    phase: Phase
    names: tuple[str, ...]
    log: Log
    accepted: list[str] = field(default_factory=list)

    def run(self, systems: int) -> None:
        """Hand in so many systems; returns when the site has them all."""
        teams = [threading.Thread(target=self._hand_in, args=(at, systems)) for at in range(TEAMS)]
        for team in teams:
            team.start()
        for team in teams:
            team.join()

    def _hand_in(self, first: int, systems: int) -> None:
        person = self.people[first]
        for number in range(first, systems, TEAMS):
            content = captions_file(number, self.names)
            began = time.perf_counter()
            given = person.submit(self.phase, f"System {number}", within=600, content=content)
            self.log.add("upload", 201, 1000 * (time.perf_counter() - began))
            self.accepted.append(given)


class Visitor(threading.Thread):
    """Somebody who opens page after page without an account."""

    def __init__(self, number: int, site: str, paths: Callable[[], list[str]], log: Log) -> None:
        super().__init__(daemon=True)
        self.chance, self.paths, self.log = random.Random(number), paths, log
        self.host = urlsplit(site).netloc
        self.leaves = threading.Event()

    def run(self) -> None:
        """Read until the end."""
        while not self.leaves.wait(self.chance.expovariate(1 / READS_FOR)):
            self._open(*self.chance.choice(self.paths()).split(" ", 1))

    def _open(self, kind: str, path: str) -> None:
        connection = http.client.HTTPConnection(self.host, timeout=60)
        began = time.perf_counter()
        try:
            connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
            response = connection.getresponse()
            code = response.status
            response.read()
        except (http.client.HTTPException, OSError):
            code = 599
        finally:
            connection.close()
        self.log.add(kind, code, 1000 * (time.perf_counter() - began))


def times(log: Log) -> list[tuple[str, int, float, float, float]]:
    """For each kind of request: how many, and p50, p95, p99 in ms."""
    rows = []
    for kind, taken in sorted(log.times.items()):
        p50, p95, p99 = (float(value) for value in np.percentile(taken, [50, 95, 99]))
        rows.append((kind, len(taken), p50, p95, p99))
    return rows
