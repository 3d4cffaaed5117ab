"""Somebody before the page of work of a project, and what they do and see there."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from annotation.models import Annotation, Project
from leaderboard.models import User
from tests.waiting import wait_until

# Twelve words. Labelled: large, dog, barks, "in the distance", cars.
TWELVE = "a large dog barks in the distance as the cars pass by"
TEXTS = (
    TWELVE,
    "heavy rain falls on a metal roof",
    "several people talk while a train passes",
    "a door slams shut",
    "birds sing in the morning",
    "a man whistles , then claps twice",
    "an engine idles",
    "water drips into a bucket",
)
# How words of the first captions are called once they have their labels.
LARGE, DOG, HEAVY = "large, Property of who or what", "dog, Who", "heavy, Sound property"
# Every key that goes down counts, shift and control too.
COUNT = "window.presses = 0; addEventListener('keydown', () => { window.presses += 1; }, true);"
SAVES = re.compile(r"/items/\d+/annotation$")
# A page that is killed has no chance to send what it has while it goes.
KILLED = "addEventListener('pagehide', (event) => event.stopImmediatePropagation())"
# Longer than the page waits before it asks the server how things are.
A_WHILE = "00:25"


@dataclass(frozen=True)
class Desk:
    """A person at work; the windows that they open share what the browser keeps."""

    page: Page
    project: Project
    user: User

    def open(self, page: Page | None = None) -> Page:
        """Load the page of work, with the first task in hand."""
        page = page or self.page
        page.goto(f"/annotate/{self.project.slug}/")
        expect(page.locator("[data-part=work]")).to_be_visible()
        # Read out a moment later, together with whatever is said until then.
        expect(live(page)).not_to_be_empty()
        return page

    def window(self) -> Page:
        """Another window, with the page of work."""
        return self.open(self.page.context.new_page())

    def cut_off(self) -> None:
        """Let no answer of any window through."""
        self.page.context.route(SAVES, lambda route: route.abort())
        for page in self.page.context.pages:
            reached(page)

    def connect(self) -> None:
        self.page.context.unroute_all(behavior="ignoreErrors")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def look(page: Page) -> None:
    """Come back to the window, which asks the server how things are."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def intercept(
    page: Page, address: str | re.Pattern[str], handler: Callable[[Route], object]
) -> None:
    """Answer requests of an open page in the place of the server."""
    page.route(address, handler)
    reached(page)


def reached(page: Page) -> None:
    """Wait until a page's requests are answered here: its process hears of it after the browser."""
    if page.url == "about:blank":
        return
    page.route("**/?reached", lambda route: route.fulfill(body="reached"))
    ask = "fetch('?reached').then((heard) => heard.text())"
    wait_until(lambda: page.evaluate(ask) == "reached")


def hold(page: Page, address: str) -> list[Route]:
    """Hold requests back; they are in the list as soon as they are made."""
    held: list[Route] = []
    intercept(page, address, lambda route: held.append(route))  # noqa: PLW0108 bound by Playwright
    return held


def held_until(page: Page, held: list[Route]) -> Route:
    """Wait until a request is held back, which is heard of while the page is asked something."""
    wait_until(lambda: held or page.evaluate("null"))
    return held[0]


def let_through(page: Page, address: str, route: Route) -> None:
    """Answer a request that was held back, until the page has heard the answer."""
    with page.expect_response(address) as answer:
        route.continue_()
    answer.value.finished()
    page.evaluate("() => new Promise((go) => requestAnimationFrame(() => setTimeout(go)))")


def part(page: Page, name: str) -> Locator:
    return page.locator(f"[data-part={name}]")


def live(page: Page) -> Locator:
    """What is read out."""
    return part(page, "live")


def saving(page: Page) -> Locator:
    return part(page, "saving")


def saved(page: Page) -> None:
    expect(saving(page)).to_have_text("Saved")


def unsaved(page: Page, count: int) -> None:
    expect(saving(page)).to_contain_text(f"Not saved yet: {count}")


def option(page: Page, name: str) -> Locator:
    """A word of the caption, by its name."""
    return page.get_by_role("option", name=name, exact=True)


def shows(page: Page, *names: str) -> None:
    """Check that words are called so."""
    for name in names:
        expect(option(page, name)).to_be_visible()


def names(page: Page) -> list[str]:
    found: list[str] = page.get_by_role("option").evaluate_all("all => all.map(o => o.ariaLabel)")
    return found


def labelled(page: Page) -> Locator:
    return page.locator(".word.is-labelled")


def label_button(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Labels").get_by_role("button", name=name).first


def text(page: Page) -> str:
    words = page.get_by_role("option").locator(".word__text").all_text_contents()
    return " ".join(words)


def look_at_both(page: Page) -> Locator:
    """Open the sheet of two versions."""
    page.get_by_role("button", name="Look at both").click()
    return page.get_by_role("dialog")


def keep(sheet: Locator, side: str) -> None:
    """Choose a version by the name of its region."""
    sheet.get_by_role("region", name=side).get_by_role("button").click()
    expect(sheet).to_be_hidden()


OURS, THEIRS, LEFT = "From this window", "Saved in the other window", "Left by another window"


def least_height(page: Page, selector: str) -> float:
    """Of what a finger shall hit."""
    script = (
        "all => all.filter(o => o.checkVisibility()).map(o => o.getBoundingClientRect().height)"
    )
    return float(min(page.locator(selector).evaluate_all(script)))


def runs(annotation: Annotation) -> list[tuple[str, str]]:
    words = annotation.item.words
    spans: list[dict[str, Any]] = annotation.spans
    return [
        (" ".join(words[span["token_start"] : span["token_end"] + 1]), span["label"])
        for span in spans
    ]


def of(caption: str) -> Annotation:
    return Annotation.objects.get(item__text=caption)
