"""The way from recordings to a challenge: where it is walked, and by whom."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from playwright.sync_api import APIResponse, BrowserContext, Locator, Page, expect

from annotation.models import Item
from leaderboard.models import User
from tests.e2e.annotation.recordings.made_sounds import MadeSounds
from tests.e2e.annotation.write.hands import title

# Five write for each sound, who edits its captions wrote none, who rates them did neither: seven.
WRITERS = ("ann", "bob", "cho", "dan", "eve")
EDITOR, RATER = "fay", "gus"
# They have seen no caption before.
JUDGES = ("hal", "ida")
TEAMS = {"Careful": "jon", "Vague": "kim", "Mistaken": "lea"}
KEPT = 5
# Clips of the part that is published.
EVALUATED = 4
CHALLENGE = "sounds-of-the-town"
# As many as one person can have at hand.
AT_HAND = 12
# A worker begins, or measures by every metric there is: minutes on a busy machine.
WORKED_WITHIN_MS = 480_000

Value = dict[str, Any]


@dataclass(frozen=True)
class Person:
    """A user who is logged in on a browser of their own; ``site``: its URL."""

    user: User
    context: BrowserContext
    site: str
    listen: Callable[[Page], None]

    @cached_property
    def page(self) -> Page:
        """The one page that is open, once it is needed; what its console says is heard."""
        page = self.context.new_page()
        self.listen(page)
        return page

    def api(self, method: str, path: str, **sent: Any) -> Any:
        """What the API answers, as a page of this person would ask it."""
        answer = self._asked(method, path, sent)
        assert answer.ok, f"{method} {path}: {answer.status} {answer.text()}"
        return answer.json()

    def _asked(self, method: str, path: str, sent: Value) -> APIResponse:
        cookies = {row.get("name"): row.get("value") for row in self.context.cookies()}
        if "csrftoken" not in cookies:
            self.context.request.get(f"{self.site}/annotate/")
            return self._asked(method, path, sent)
        headers = {"X-CSRFToken": str(cookies["csrftoken"])}
        address = f"{self.site}/api/v1{path}"
        return self.context.request.fetch(address, method=method, headers=headers, **sent)

    def answers_the_rest(self, project: str, value_of: Callable[[Item], Value]) -> int:
        """Answer whatever there is for this person; how many that were.

        What the page's script sends, without the page: the sound is said to be heard.
        """
        count = 0
        while tasks := self._tasks(project):
            for task in tasks:
                value = value_of(Item.objects.get(pk=task["id"])) | {"heard": True}
                change = {"edit": uuid4().hex, "base": 0, "value": value, "seconds": 20}
                saved = self.api(
                    "PUT", f"/labelling/{project}/items/{task['id']}/annotation", data=change
                )
                assert saved["counts"]
                count += 1
        return count

    def _tasks(self, project: str) -> list[Value]:
        answer = self.api("POST", f"/labelling/{project}/tasks", data={"count": AT_HAND})
        tasks: list[Value] = answer["tasks"]
        return tasks


@dataclass
class Way:
    """Where the site is, the sounds, the lead's page, and those who take part, by name."""

    url: str
    folder: Path
    sounds: MadeSounds
    lead: Page
    people: dict[str, Person] = field(default_factory=dict)

    @property
    def phase(self) -> str:
        return f"{self.url}/c/{CHALLENGE}/evaluation/"


def choose(page: Page, link: str) -> None:
    page.get_by_role("link", name=link, exact=True).first.click()


def reloaded_until(page: Page, shown: Locator) -> None:
    """Load a page without a counter of its own again, until a worker has done its part."""
    for _ in range(WORKED_WITHIN_MS // 250):
        if shown.is_visible():
            break
        page.wait_for_timeout(250)
        page.reload()
    expect(shown).to_be_visible()


def let_in(page: Page, names: Iterable[str]) -> None:
    choose(page, "People")
    for name in names:
        page.get_by_label("User name").fill(name)
        page.get_by_role("button", name="Add member").click()
        expect(page.get_by_role("rowheader", name=name)).to_be_visible()


def begin(person: Person, project: str) -> Page:
    """Open the page of work; the item in hand is there."""
    page = person.page
    page.goto(f"{person.site}/annotate/{project}/")
    expect(page.locator("[data-part=work]")).to_be_visible()
    expect(page.locator("[data-part=live]")).not_to_be_empty()
    return page


def in_hand(page: Page, project: str) -> Item:
    """The item that the page shows, by the number in its title."""
    number = re.search(r"\d+", title(page).inner_text())
    assert number is not None
    return Item.objects.get(project__slug=project, position=int(number[0]) - 1)
