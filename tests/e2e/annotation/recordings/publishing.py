"""From kept captions to an open phase: a data set, checked, split and published."""

from playwright.sync_api import Page, expect

from tests.e2e.annotation.desk import press
from tests.e2e.annotation.recordings.made_sounds import COUNT
from tests.e2e.annotation.recordings.way import (
    EVALUATED,
    KEPT,
    WORKED_WITHIN_MS,
    choose,
)
from tests.e2e.page_checks import looked_at

# By what was found; who looks at them knows that a klonk is a sound.
DECISIONS = {
    "emergancy": "Suggestion taken by lead",
    "trickels": "Edited by lead",
    "klonk": "Dismissed by lead",
}
PARTS = "development=.6,evaluation=.4"


def a_data_set_is_made(page: Page) -> None:
    choose(page, "make a data set of what is kept")
    chosen = page.get_by_label("Captions of a project").locator("option:checked")
    expect(chosen).to_have_text("Town: rate")
    page.get_by_label("Name").fill("Town sounds")
    page.get_by_role("button", name="Make the data set").click()
    came = f"{COUNT * KEPT} captions and {COUNT} clips came in"
    expect(page.get_by_text(came)).to_be_visible()


def findings_are_decided(page: Page) -> None:
    """By keys: one suggestion taken, one caption edited, one left as it is."""
    choose(page, "Check the captions")
    # Among ten clips nearly every word is rare.
    page.get_by_text("What is looked for").click()
    page.get_by_label("Rare word").uncheck()
    page.get_by_role("button", name="Check the captions").click()
    expect(page.get_by_text(f"{COUNT * KEPT} captions checked")).to_be_visible(timeout=60_000)
    looked_at(page, "findings")
    # In the order in which the sounds were ready to be rated, which is another every time.
    for _ in range(len(DECISIONS)):
        focused = page.locator(".finding[data-open]:focus")
        expect(focused).to_be_visible()
        one = page.locator(f"#{focused.get_attribute('id')}")
        word = one.locator(".finding__place").inner_text()
        if word == "trickels":
            press(page, "e")
            expect(one.get_by_role("textbox")).to_be_focused()
            press(page, "ControlOrMeta+A")
            page.keyboard.type("Something hard hits wood twice as water trickles away.")
            press(page, "Control+Enter")
        else:
            press(page, "1" if word == "emergancy" else "d")
        expect(one).to_contain_text(DECISIONS[word])
    looked_at(page, "findings-decided")
    expect(page.get_by_role("link", name="Continue")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("No finding waits for a decision.")).to_be_visible()
    choose(page, "Overview")
    expect(page.get_by_text("1 suggestion taken, 1 edited, 1 dismissed.")).to_be_visible()


def the_data_set_is_split(page: Page) -> None:
    choose(page, "Split")
    page.get_by_label("Parts and their shares").fill(PARTS)
    page.get_by_role("button", name="Split", exact=True).click()
    show = page.get_by_role("link", name="Show the result")
    expect(show).to_be_visible(timeout=WORKED_WITHIN_MS)
    show.click()
    parts = page.get_by_role("region", name="Parts", exact=True)
    expect(parts.get_by_role("row", name="evaluation")).to_contain_text(str(EVALUATED))
    looked_at(page, "split-done")


def a_part_is_published(page: Page) -> None:
    choose(page, "Publish")
    choose(page, "evaluation")
    expect(page.get_by_text(f"{EVALUATED} of {EVALUATED}", exact=True)).to_be_visible()
    page.get_by_role("combobox", name="Phase").select_option(index=1)
    page.get_by_role("button", name="Publish").click()
    came = f"{EVALUATED} clips with {EVALUATED * KEPT} captions were published."
    expect(page.get_by_text(came)).to_be_visible()


def the_phase_opens(page: Page) -> None:
    page.get_by_role("link", name="Manage Sounds of the town: Evaluation").click()
    page.get_by_label("Opens").fill("2026-01-01T00:00")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The rules were saved.")).to_be_visible()
    choose(page, "Audio")
    expect(page.get_by_text(f"{EVALUATED} of {EVALUATED}")).to_be_visible()
    choose(page, "Overview")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("everyone sees it.")).to_be_visible()
