"""From nothing to a published ranking with real systems, in a browser: clicks and seconds.

    python -m tests.bench.bench_journey [--checkout FOLDER] [--data FOLDER] [--pictures FOLDER]

A new site is started in a folder of its own. An organiser makes a challenge with the references of
Clotho evaluation that ranks by FENSE; a participant signs up and hands in three published systems.
Nobody waits before they click. ``--checkout`` starts the site of another version.
"""

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.bench.performance.captions import references_file
from tests.chromium import ARGUMENTS, CHROMIUM
from tests.earmark.corpora import SYSTEMS
from tests.real_data import ROOT

PASSWORD = "spring-of-sounds-7"
ORGANISER = f"""
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
user = get_user_model().objects.create_user("elia", "elia@example.org", {PASSWORD!r})
user.user_permissions.add(Permission.objects.get(codename="add_challenge"))
"""
# The worker has started by then.
READY_SECONDS, AT_MOST_SECONDS = 15, 1800


def main() -> None:
    """Read the command line, start a site, and walk."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_argument(parser)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    stop_without(references_file(options.data))
    with (
        tempfile.TemporaryDirectory() as folder,
        site(options.checkout, folder) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        journey = Journey(browser.new_page(), options.pictures)
        journey.page.goto(f"{address}/accounts/login/?next=/manage/")
        journey.page.locator("#id_login").fill("elia")
        journey.page.locator("#id_password").fill(PASSWORD)
        journey.page.locator("main form button[type=submit]").first.click()
        journey.page.wait_for_url("**/manage/")
        journey.begin()
        public = published(journey, references_file(options.data))
        journey.page = browser.new_page()
        handed_in(journey, f"{public}evaluation/", options.data)
        ranked(journey, f"{public}evaluation/")


@contextmanager
def site(checkout: Path, folder: str) -> Iterator[str]:
    """Start a site with its workers; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | {
        "EARMARK_VAR": folder,
        "SITE_URL": address,
        "PORT": str(port),
        "EMAIL_URL": "dummymail://",
    }
    manage = [sys.executable, "manage.py"]
    for command in (["prepare"], ["shell", "-v0", "-c", ORGANISER]):
        subprocess.run([*manage, *command], cwd=checkout, env=environment, check=True)
    process = subprocess.Popen(
        [*manage, "run"],
        cwd=checkout,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while not _answers(address):
            time.sleep(0.5)
        time.sleep(READY_SECONDS)
        yield address
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=2).close()
    except OSError:
        return False
    return True


class Journey:
    """Clicks and seconds since it began."""

    def __init__(self, page: Page, pictures: Path | None) -> None:
        self.page, self.pictures = page, pictures

    def begin(self) -> None:
        """Start counting."""
        self.clicks, self._began = 0, time.perf_counter()

    def click(self, target: Locator) -> None:
        """Click, and count it."""
        self.clicks += 1
        target.click()

    def button(self, *names: str) -> None:
        """Click a button, under the name that it has in this version."""
        any_name = re.compile("|".join(f"^{re.escape(name)}$" for name in names))
        self.click(self.page.get_by_role("main").get_by_role("button", name=any_name).first)

    def tell(self, what: str) -> None:
        """Print how far it is, and keep a picture."""
        say(f"{time.perf_counter() - self._began:6.1f} s, {self.clicks:2} clicks: {what}")
        if self.pictures:
            name = what.replace(" ", "-")
            self.page.screenshot(path=self.pictures / f"{name}.png", full_page=True)


def published(journey: Journey, references: Path) -> str:
    """Make a challenge and publish it; gives the address of its page."""
    page, click = journey.page, journey.click
    click(page.get_by_role("link", name="New challenge").first)
    page.get_by_label("Title").fill("Captions of Clotho")
    click(page.get_by_role("radio", name="Empty"))
    journey.button("Create challenge", "Make the challenge")
    managing = page.get_by_role("navigation", name="Managing")
    click(managing.get_by_role("link", name="Phases"))
    click(page.get_by_role("link", name="Add a phase").first)
    page.get_by_label("Name", exact=True).fill("Evaluation")
    page.get_by_label("Ranking metric", exact=True).select_option(value="fense")
    journey.clicks += 1
    journey.button("Add the phase")
    click(page.get_by_role("navigation", name="The phase").get_by_role("link", name="References"))
    page.get_by_label("References", exact=True).set_input_files(references)
    journey.clicks += 1
    journey.button("Preview", "Look at the file")
    journey.button("Use these references")
    click(managing.get_by_role("link", name="Overview"))
    journey.button("Publish")
    click(page.get_by_role("link", name="Public page").first)
    page.wait_for_url("**/c/*/")
    journey.tell("published")
    return page.url


def handed_in(journey: Journey, phase: str, data: Path) -> None:
    """Sign up, make a team and hand in the published systems."""
    page, click = journey.page, journey.click
    page.goto(phase)
    click(page.get_by_role("link", name="Submit", exact=True).first)
    click(page.get_by_role("main").get_by_role("link", name="Sign up"))
    page.get_by_label("User name").fill("nora")
    page.get_by_label("E-mail address").fill("nora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    journey.button("Sign up")
    page.get_by_label("Team name").fill("Sound Lab")
    journey.button("Make the team and go on")
    for number, name in enumerate(SYSTEMS):
        if number:
            page.goto(phase)
            click(page.get_by_role("link", name="Submit", exact=True).first)
        page.get_by_label("Captions, or a package").set_input_files(
            data / "systems" / f"{name}.csv"
        )
        journey.clicks += 1
        expect(page.get_by_text("No errors")).to_be_visible(timeout=60_000)
        page.get_by_label("System name").fill(name)
        journey.button("Submit")
        page.wait_for_url("**/s/*/")
        journey.tell(f"{number + 1} handed in")


def ranked(journey: Journey, phase: str) -> None:
    """Wait until all systems stand on the leaderboard with their ranks."""
    until = time.monotonic() + AT_MOST_SECONDS
    for number in range(1, len(SYSTEMS) + 1):
        while _with_rank(journey.page, phase) < number:
            if time.monotonic() > until:
                raise SystemExit(f"Not ranked after {AT_MOST_SECONDS} s.")
            time.sleep(2)
        journey.page.goto(f"{phase}?systems=all")
        journey.tell(f"{number} ranked")


def _with_rank(page: Page, phase: str) -> int:
    html = page.request.get(f"{phase}?systems=all").text()
    rows = (re.sub(r"<[^>]*>", " ", row) for row in re.findall(r"<tr\b.*?</tr>", html, re.DOTALL))
    named = (row for row in rows if any(name in row for name in SYSTEMS))
    return sum(bool(re.search(r"\b0\.\d{3}\b", row)) for row in named)


if __name__ == "__main__":
    main()
