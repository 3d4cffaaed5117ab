"""Fifty people label 2,000 captions, two each, through the API, with crashes and late work.

    tests/services.sh with .venv/bin/python -m tests.bench.bench_annotators

Prints how long requests took and whether every caption counts for exactly two people. A
person takes captions, thinks, answers; now and then one vanishes with captions in hand and
comes back after its time ran out, or answers late. ``--people``, ``--captions`` and
``--think`` (seconds, on average) make it smaller or harder.
"""

import argparse
import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.bench.output import say
from tests.chaos.programs import free_ports

LEASE_SECONDS = 20.0
CRASHES, LATE = 0.005, 0.005
WORDS = ("dog", "rain", "barks", "falls", "heavy", "metal", "roof", "people", "talk", "loud")


@dataclass
class Log:
    """What all saw: milliseconds by kind of request, status codes, events."""

    times: dict[str, list[float]] = field(default_factory=dict)
    codes: Counter[int] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind: str, code: int, milliseconds: float) -> None:
        """Note a request."""
        with self.lock:
            self.times.setdefault(kind, []).append(milliseconds)
            self.codes[code] += 1

    def note(self, event: str) -> None:
        """Count an event."""
        with self.lock:
            self.events[event] += 1


class Person(threading.Thread):
    """One annotator."""

    def __init__(
        self, number: int, token: str, place: tuple[int, str], log: Log, think: float
    ) -> None:
        super().__init__(daemon=True)
        self.random = Random(number)
        self.number, self.token, self.log, self.think = number, token, log, think
        self.port, self.slug = place
        self.edits = 0
        self.patience = time.perf_counter() + 3 * LEASE_SECONDS

    def run(self) -> None:
        """Label until nothing is left."""
        while True:
            code, told = self.ask("tasks", "POST", "tasks", {"count": 6})
            if code != 200:
                self.log.note("refused")
                time.sleep(1)
            elif told["tasks"]:
                self.label(told["tasks"])
            elif told["own"]["left"] or time.perf_counter() < self.patience:
                # What others hold may come back.
                time.sleep(1 + self.random.random())
            else:
                return
            if code == 200 and told["tasks"]:
                self.patience = time.perf_counter() + 3 * LEASE_SECONDS

    def label(self, tasks: list[dict[str, Any]]) -> None:
        """Answer captions one by one, or vanish in the middle."""
        for task in tasks:
            time.sleep(self.random.expovariate(1 / self.think))
            chance = self.random.random()
            if chance < CRASHES:
                self.log.note("left with captions in hand")
                time.sleep(LEASE_SECONDS * 1.5)
                return
            if chance < CRASHES + LATE:
                self.log.note("answered late")
                time.sleep(LEASE_SECONDS * 1.2)
            self.answer(task)

    def answer(self, task: dict[str, Any]) -> None:
        """Send an answer, every tenth time twice, as after a lost reply."""
        self.edits += 1
        spans = [{"token_start": 1, "token_end": 1, "label": "WHO"}]
        body = {"edit": f"edit-{self.number}-{self.edits}", "base": 0, "spans": spans}
        for _ in range(2 if self.random.random() < 0.1 else 1):
            code, _told = self.ask("annotation", "PUT", f"items/{task['id']}/annotation", body)
            if code == 409:
                self.log.note("had it already")

    def ask(self, kind: str, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Make one request and note how long it took."""
        # A connection for each: the site closes those that rest while a person thinks.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        began = time.perf_counter()
        try:
            connection.request(
                method,
                f"/api/v1/labelling/{self.slug}/{path}",
                json.dumps(body),
                {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
            )
            response = connection.getresponse()
            code, content = response.status, response.read()
        except (http.client.HTTPException, OSError):
            code, content = 599, b"{}"
        finally:
            connection.close()
        self.log.add(kind, code, 1000 * (time.perf_counter() - began))
        return code, json.loads(content) if code < 500 else {}


def prepare(people: int, captions: int) -> tuple[str, list[str]]:
    """Make the project and the people; give its slug and their tokens."""
    import django

    django.setup()
    from django.core.management import call_command

    from annotation.services.projects import Task, items_add, member_add, project_create
    from annotation.services.schemes import schemes_load
    from leaderboard.models import User
    from leaderboard.services.people.accounts import token_create

    call_command("migrate", verbosity=0, interactive=False)
    scheme = next(found for found in schemes_load() if found.slug == "aces-13")
    project = project_create(slug="bench", name="Bench", scheme=scheme, manager=None)
    random = Random(0)
    texts = (" ".join(random.sample(WORDS, 8)) + f" {n}" for n in range(captions))
    items_add(project=project, tasks=[Task(text) for text in texts])
    tokens = []
    for number in range(people):
        user = User.objects.create(username=f"person{number}")
        member_add(project=project, user=user)
        tokens.append(token_create(user=user, name="bench")[1])
    return project.slug, tokens


def serve() -> tuple[subprocess.Popen[bytes], int]:
    """Start the site as in production, two processes; give it and its port."""
    port = free_ports(1)[0]
    environment = {
        **os.environ,
        "PORT": str(port),
        "WEB_CONCURRENCY": "2",
        "EARMARK_ANNOTATION_LEASE_MINUTES": str(LEASE_SECONDS / 60),
    }
    gunicorn = str(Path(sys.executable).parent / "gunicorn")
    process = subprocess.Popen([gunicorn, "leaderboard.wsgi"], env=environment)
    for _ in range(120):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return process, port
        time.sleep(0.5)
    raise RuntimeError("The site does not start.")


def report(log: Log, seconds: float) -> bool:
    """Print what was measured; tell whether every caption counts for two different people."""
    from django.db.models import Count, Q

    from annotation.models import Annotation, Item

    every = [taken for times in log.times.values() for taken in times]
    for kind, times in [*sorted(log.times.items()), ("all", every)]:
        middle, high = np.percentile(times, [50, 95])
        say(f"{kind:<11} {len(times):>6} requests: median {middle:.0f} ms, p95 {high:.0f} ms")
    say(f"{len(every) / seconds:.0f} requests a second for {seconds:.0f} s")
    say(f"codes {dict(log.codes)}; {dict(log.events)}")
    counted = Count("annotations", filter=Q(annotations__assignment__isnull=False))
    people = Count(
        "annotations__user", filter=Q(annotations__assignment__isnull=False), distinct=True
    )
    rows = Item.objects.annotate(counted=counted, people=people).values_list("counted", "people")
    exact = Counter(rows)
    beside = Annotation.objects.filter(assignment=None).count()
    say(f"captions by (annotations that count, people): {dict(exact)}; kept beside: {beside}")
    shares = Counter(Annotation.objects.values_list("user_id", flat=True)).values()
    say(f"answers of one person: {min(shares)} to {max(shares)}")
    return set(exact) == {(2, 2)} and not any(code >= 500 for code in log.codes)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--captions", type=int, default=2000)
    parser.add_argument("--think", type=float, default=1.0)
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    slug, tokens = prepare(given.people, given.captions)
    process, port = serve()
    warm = Person(0, tokens[0], (port, slug), Log(), given.think)
    for _ in range(40):
        warm.ask("own", "GET", "own", {})
    log, began = Log(), time.perf_counter()
    try:
        crew = [
            Person(number, token, (port, slug), log, given.think)
            for number, token in enumerate(tokens)
        ]
        for person in crew:
            person.start()
        for person in crew:
            person.join()
    finally:
        process.terminate()
        process.wait()
    return 0 if report(log, time.perf_counter() - began) else 1


if __name__ == "__main__":
    sys.exit(main())
