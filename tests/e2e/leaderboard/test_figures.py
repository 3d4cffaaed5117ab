"""Figures in a browser: loaded when they are seen, with a menu, and never without their numbers."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase
from tests.e2e.page_checks import figure_drawn, fits_width, started, table_opened
from tests.factories import PhaseFactory, TeamFactory, finish, submit

pytestmark = pytest.mark.django_db(transaction=True)
PLOTLY = re.compile(r"/plotly[.\w]*\.js")


@pytest.fixture
def phase() -> Phase:
    """A phase with four systems, two of which differ by chance alone."""
    phase = PhaseFactory.create()
    for number, value in enumerate((0.3, 0.5, 0.5, 0.7)):
        system = submit(phase, TeamFactory.create(name=f"Team {number}"), name=f"System {number}")
        finish(system, value=value, seed=number)
    return phase


@pytest.fixture
def address(live_server: LiveServer, phase: Phase) -> Callable[[str], str]:
    def of(page: str) -> str:
        names = [phase.challenge.slug, phase.slug]
        return live_server.url + reverse(f"leaderboard:{page}", args=names)

    return of


def test_plotly_comes_with_the_first_figure_that_is_seen(
    page: Page, address: Callable[[str], str]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 900, "height": 160})
    for name in ("board", "analysis"):
        page.goto(address(name), wait_until="networkidle")
        started(page)
    assert page.locator(".plot__area").count() > 2, "below what is seen"
    assert not list(filter(PLOTLY.search, asked))
    # Room is kept for what will be drawn.
    before = page.evaluate("document.documentElement.scrollHeight")
    figure_drawn(page, "rank-probabilities")
    assert len(list(filter(PLOTLY.search, asked))) == 1
    assert abs(page.evaluate("document.documentElement.scrollHeight") - before) < 40
    expect(page.locator("#over-clips .js-plotly-plot")).to_have_count(0)
    figure_drawn(page, "over-clips")
    assert len(list(filter(PLOTLY.search, asked))) == 1


def test_the_menu_of_a_figure_is_used_by_keyboard(
    page: Page, address: Callable[[str], str], axe: Callable[[], list[str]]
) -> None:
    page.goto(address("history"))
    figure = page.locator("#rank-history")
    figure_drawn(page, "rank-history")
    started(page)
    menu = figure.get_by_role("button", name="Menu of the figure")
    table = figure.get_by_role("region", name=re.compile("as a table"))
    expect(table).to_be_hidden()
    menu.focus()
    page.keyboard.press("Enter")
    expect(figure.get_by_role("link", name="How it is computed")).to_be_visible()
    assert axe() == []
    page.keyboard.press("Tab")
    expect(figure.get_by_role("button", name="Save as PNG")).to_be_focused()
    page.keyboard.press("Escape")
    expect(figure.get_by_role("button", name="Save as PNG")).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    figure.get_by_role("button", name="Show as table").press("Enter")
    expect(table).to_be_focused()
    expect(table.get_by_role("columnheader", name="Team 3")).to_be_visible()
    menu.click()
    figure.get_by_role("button", name="Hide the table").click()
    expect(table).to_be_hidden()


def test_a_figure_is_saved_as_a_picture_and_as_numbers(
    page: Page, address: Callable[[str], str]
) -> None:
    page.goto(address("history"))
    figure_drawn(page, "rank-history")
    started(page)
    for name, kind, start in (
        ("Save as PNG", "png", b"\x89PNG"),
        ("Save as SVG", "svg", b"<svg"),
        ("Save numbers as CSV", "csv", b'"Time (UTC)"'),
    ):
        page.locator("#rank-history").get_by_role("button", name="Menu of the figure").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name=name).click()
        assert saved.value.suggested_filename == f"rank-history.{kind}"
        assert Path(saved.value.path()).read_bytes().startswith(start)


def test_numbers_stand_where_plotly_does_not_come(
    page: Page, address: Callable[[str], str], complaints: list[str]
) -> None:
    page.route(PLOTLY, lambda route: route.abort())
    page.goto(address("history"))
    figure = page.locator("#rank-history")
    expect(figure.get_by_role("columnheader", name="Team 3")).to_be_visible()
    expect(figure.locator(".plot__area")).to_be_hidden()
    complaints.clear()  # the browser reports what did not come


def test_without_scripts_the_table_opens_by_itself_and_the_menu_has_links_alone(
    new_context: Callable[..., object], address: Callable[[str], str]
) -> None:
    page: Page = new_context(java_script_enabled=False).new_page()  # type: ignore[attr-defined]
    page.goto(address("history"))
    figure = page.locator("#rank-history")
    figure.get_by_text("Show as table").last.click()
    expect(figure.get_by_role("columnheader", name="Team 3")).to_be_visible()
    figure.get_by_role("button", name="Menu of the figure").click()
    expect(figure.get_by_role("link", name=re.compile("^What is"))).to_be_visible()
    expect(figure.get_by_role("button", name="Save as PNG")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_fit_a_phone(
    page: Page, address: Callable[[str], str], axe: Callable[[], list[str]], scheme: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for name, figures in (
        ("history", ["rank-history"]),
        ("distributions", ["spread-cider_d", "one-against-another"]),
        ("analysis", ["significance", "ranks-by-metric", "over-clips"]),
    ):
        page.goto(address(name))
        for figure in figures:
            drawing = figure_drawn(page, figure)
            edge = drawing.bounding_box()
            assert edge is not None
            for text in drawing.locator("text").all():
                box = text.bounding_box()
                if box and box["width"]:
                    assert box["x"] >= edge["x"] - 1, text.text_content()
                    assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 1
        fits_width(page)
        assert axe() == []


def test_chance_is_written_in_its_cell(page: Page, address: Callable[[str], str]) -> None:
    page.goto(address("analysis"))
    drawing = figure_drawn(page, "significance")
    expect(drawing.locator(".heatmap-label", has_text="n.s.").first).to_be_visible()
    table_opened(page.locator("#significance"))
    expect(page.get_by_role("region", name=re.compile("beyond chance.*table"))).to_be_visible()
