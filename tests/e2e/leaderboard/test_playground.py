"""Trying the metrics in a browser: by keyboard, with and without JavaScript, accessible."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.services.playground import computing
from scoring.registry import METRICS, metrics_for
from tests.e2e.page_checks import fits_width, started

pytestmark = pytest.mark.django_db(transaction=True)
# The first caption loads every model.
LOADING = 120_000


@pytest.fixture(autouse=True)
def forgotten() -> None:
    computing._reports.clear()


def test_type_and_see_every_metric(
    page: Page, live_server: LiveServer, axe: Callable[[], list[str]]
) -> None:
    page.goto(live_server.url + reverse("leaderboard:metric", args=["sbf"]))
    page.get_by_role("link", name="Try it").click()
    page.wait_for_url("**/metrics/try/**")
    assert axe() == []
    caption = page.get_by_label("Caption")
    caption.fill("A door creaks and <b>a man</b> speaks")
    page.keyboard.press("Tab")
    expect(page.get_by_label("References")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("A door creaks open\nA man is talking")
    caption.press("Enter")
    values = page.get_by_role("region", name="Values")
    expect(values).to_contain_text("A door creaks and <b>a man</b> speaks", timeout=LOADING)
    for name in metrics_for(several=False):
        expect(values.get_by_role("link", name=METRICS[name].label, exact=True)).to_have_count(1)
    # The reader came for SBF, edits on where they were, and did not leave the page.
    expect(page.get_by_role("region", name="Why SBF has this value")).to_contain_text("Hits")
    expect(caption).to_be_focused()
    assert page.url.endswith("?metric=sbf")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    for width in (360, 900, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        fits_width(page)


def test_a_refusal_says_why_and_keeps_the_text(
    page: Page, live_server: LiveServer, axe: Callable[[], list[str]], complaints: list[str]
) -> None:
    page.goto(live_server.url + reverse("leaderboard:metrics-try"))
    references = page.get_by_label("References")
    references.fill("A dog barks\n???")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 2: The caption has no words.")
    expect(references).to_have_attribute("aria-invalid", "true")
    expect(references).to_have_value("A dog barks\n???")
    assert axe() == []
    complaints.clear()  # the browser reports the 422 itself
    references.fill("A dog barks")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_role("region", name="Values")).to_be_visible(timeout=LOADING)
    expect(references).not_to_have_attribute("aria-invalid", "true")


def test_it_works_without_javascript(
    live_server: LiveServer, new_context: Callable[..., object]
) -> None:
    context = new_context(java_script_enabled=False)
    page: Page = context.new_page()  # type: ignore[attr-defined]
    page.goto(live_server.url + reverse("leaderboard:metrics-try"))
    page.get_by_label("Caption").fill("A dog barks")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_role("region", name="Values")).to_be_visible(timeout=LOADING)
    expect(page.get_by_label("Caption")).to_have_value("A dog barks")


def test_who_comes_second_waits_for_their_turn_and_need_not_ask_again(
    page: Page,
    live_server: LiveServer,
    monkeypatch: pytest.MonkeyPatch,
    complaints: list[str],
) -> None:
    monkeypatch.setattr(computing, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1",))
    page.goto(live_server.url + reverse("leaderboard:metrics-try"))
    started(page)
    with computing._computing:
        page.get_by_role("button", name="Compute").click()
        expect(page.get_by_text("Yours waits its turn")).to_be_visible()
    expect(page.get_by_role("region", name="Values")).to_contain_text("BLEU-1", timeout=LOADING)
    complaints.clear()  # the browser reports the 503 itself
