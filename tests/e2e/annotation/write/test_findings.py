"""What the server finds in a text while somebody writes it."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.annotation.write.writing_page import field, hear, press, saved, values

ROFF = "heavy rain falls on a metal roff while birds sing"


def test_a_misspelt_word_is_shown_and_a_suggestion_takes_its_place(
    writing_page: Page, axe: Callable[[], list[str]]
) -> None:
    press(writing_page, "w")
    writing_page.keyboard.type(ROFF)
    findings = writing_page.get_by_role("list", name="Findings in the text")
    expect(findings).to_contain_text("roff")
    assert axe() == []
    findings.get_by_role("button", name="roof").first.click()
    expect(field(writing_page)).to_have_value(ROFF.replace("roff", "roof"))
    expect(findings).to_be_hidden()
    press(writing_page, "Escape")
    hear(writing_page)
    press(writing_page, "a")
    saved(writing_page)
    assert values() == [{"text": ROFF.replace("roff", "roof"), "heard": True}]
