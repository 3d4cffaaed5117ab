"""Time from the accept key to the next caption on the screen, and the keys that captions take.

    python -m tests.bench.bench_labelling [--captions 50] [--delay 0.2] [--data ../shared/data]

A real browser before a real server with a database of its own. Each request is `--delay`
seconds late, as over a slow line: the next caption must not wait for it.
The time runs from the key event (its own time stamp, before any script) to the first moment
after the frame with the next caption has been painted. Goal: median below 50 ms.

Presses are counted for the real captions of `--data`: the fewest that the page's keys need
for exactly the spans that people made, from the first word to accept, every key that goes
down included (shift too), found by trying all ways of going with the cursor.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
import django

django.setup()

from django.db import connections  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import get_runner, setup_test_environment  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402
from pytest_django.live_server_helper import LiveServer  # noqa: E402

from annotation.models import Annotation, Project  # noqa: E402
from annotation.services.projects import member_add  # noqa: E402
from leaderboard.models import User  # noqa: E402
from tests.annotation.conftest import make_project  # noqa: E402
from tests.bench.data import add_data_argument  # noqa: E402
from tests.chromium import ARGUMENTS, CHROMIUM  # noqa: E402
from tests.factories import UserFactory  # noqa: E402

# Between two keys; nobody labels faster for long.
PAUSE_MS = 250

SUBJECTS = ("a large dog", "heavy rain", "the old engine", "several people", "a small bell")
ACTIONS = ("barks loudly", "drips slowly", "hums", "talk quietly", "rings twice")
PLACES = ("in the distance", "on a metal roof", "while cars pass by", "in a room", "outside")

# The first task after a frame is painted comes from a message posted in that frame.
TIMER = """
window.times = [];
addEventListener('keydown', (event) => {
  if (event.key !== 'a') return;
  const before = document.querySelector('[data-part=title]').textContent;
  const start = event.timeStamp;
  const look = () => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const now = document.querySelector('[data-part=title]').textContent;
      if (now === before) look();
      else window.times.push(performance.now() - start);
    };
    channel.port2.postMessage(0);
  });
  look();
}, true);
"""

# As over a slow line: every request waits before it leaves.
SLOW = """
const quick = window.fetch;
window.fetch = async (...asked) => {
  await new Promise((go) => { setTimeout(go, %d); });
  return quick(...asked);
};
"""

PRESSES = (Path(__file__).parent / "bench_labelling_presses.js").read_text(encoding="utf-8")


def captions(count: int) -> tuple[str, ...]:
    """Make up different captions."""
    return tuple(
        f"{SUBJECTS[i % 5]} {ACTIONS[i // 5 % 5]} {PLACES[i // 25 % 5]} number {i}"
        for i in range(count)
    )


@contextmanager
def server() -> Iterator[LiveServer]:
    """Serve a database of our own."""
    setup_test_environment()
    runner = get_runner(django.conf.settings)(verbosity=0, interactive=False)
    kept = runner.setup_databases()
    live = LiveServer("localhost")
    try:
        yield live
    finally:
        live.stop()
        connections.close_all()
        runner.teardown_databases(kept)


@contextmanager
def browser_page(live: LiveServer, user: User, project: Project, delay: float) -> Iterator[Page]:
    """Open the labelling page of a project; each request is ``delay`` seconds late."""
    client = Client()
    client.force_login(user)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live.url}])
        page = context.new_page()
        page.add_init_script(TIMER)
        page.add_init_script(SLOW % (delay * 1000))
        page.goto(f"{live.url}/annotate/{project.slug}/")
        page.get_by_role("option").first.wait_for()
        yield page
        browser.close()


def time_accepts(page: Page, count: int) -> list[float]:
    """Label and accept captions, one a second or so; give milliseconds."""
    for number in range(count):
        for key in ("w", "o", "a"):
            page.wait_for_timeout(PAUSE_MS)
            page.keyboard.press(key)
        wait_until(page, f"window.times.length === {number + 1}")
    wait_until(page, "document.querySelector('[data-part=saving]').textContent === 'Saved'")
    times: list[float] = page.evaluate("window.times")
    return times


def wait_until(page: Page, condition: str, seconds: float = 60) -> None:
    """Wait for a condition; Playwright's own way would need a laxer policy of the page."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        if time.monotonic() > end:
            raise TimeoutError(condition)
        page.wait_for_timeout(20)


def count_presses(page: Page, file: Path) -> dict[str, Any]:
    """Count the presses of the captions of a file of records."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    told: dict[str, Any] = page.evaluate(PRESSES, rows)
    return told


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captions", type=int, default=50)
    parser.add_argument(
        "--delay", type=float, default=0.2, help="seconds that each request is late"
    )
    add_data_argument(parser)
    asked = parser.parse_args()
    say = sys.stdout.write
    with server() as live:
        user = UserFactory.create(username="ann")
        project = make_project(texts=captions(asked.captions + 12), copies=1)
        member_add(project=project, user=user)
        with browser_page(live, user, project, asked.delay) as page:
            times = sorted(time_accepts(page, asked.captions))
            say(
                f"accept to next caption painted, {len(times)} captions, requests "
                f"{asked.delay:g} s late: median {statistics.median(times):.1f} ms, "
                f"95th percentile {times[int(0.95 * (len(times) - 1))]:.1f} ms, "
                f"most {times[-1]:.1f} ms\n"
            )
            say(f"answers on the server: {Annotation.objects.count()}\n")
            for file in sorted((asked.data / "descriptors").glob("aces_*_labels.jsonl")):
                say(f"{file.name}: {json.dumps(count_presses(page, file))}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
