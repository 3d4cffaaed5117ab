"""What tests of the labelling page do and look at."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project

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
# Every key that goes down counts, shift and control too.
COUNT = "window.presses = 0; addEventListener('keydown', () => { window.presses += 1; }, true);"
SAVES = re.compile(r"/items/\d+/annotation$")


def open_labelling_page(page: Page, server: LiveServer, project: Project) -> None:
    page.goto(f"{server.url}/annotate/{project.slug}/")
    expect(page.get_by_role("option").first).to_be_visible()
    # Read out a moment later, together with whatever is said until then.
    expect(page.locator("[data-part=live]")).not_to_be_empty()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def option(page: Page, name: str) -> Locator:
    return page.get_by_role("option", name=name, exact=True)


def text(page: Page) -> str:
    words = page.get_by_role("option").locator(".word__text").all_text_contents()
    return " ".join(words)


def saved(page: Page) -> None:
    expect(page.locator("[data-part=saving]")).to_have_text("Saved")


def kept_uncounted(page: Page) -> None:
    expect(page.locator("[data-part=saving]")).to_have_text("Kept, not counted")


def runs(annotation: Annotation) -> list[tuple[str, str]]:
    words = annotation.item.words
    spans: list[dict[str, Any]] = annotation.spans
    return [
        (" ".join(words[span["token_start"] : span["token_end"] + 1]), span["label"])
        for span in spans
    ]


def of(caption: str) -> Annotation:
    return Annotation.objects.get(item__text=caption)
