"""Figures in a browser: loaded when they are seen, with a menu, and never without their numbers."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import EvaluationState, Phase
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.e2e.conftest import Axe, LooksRight
from tests.e2e.page_checks import figure_drawn, started, table_opened
from tests.factories import PhaseFactory, TeamFactory, finish, finish_all, submit

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


def test_the_menu_of_a_figure_is_used_by_keyboard_and_saves_it(
    page: Page, address: Callable[[str], str], axe: Axe
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

    # It is saved as a picture and as numbers.
    for name, kind, start in (
        ("Save as PNG", "png", b"\x89PNG"),
        ("Save as SVG", "svg", b"<svg"),
        ("Save numbers as CSV", "csv", b'"Time (UTC)"'),
    ):
        menu.click()
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


@pytest.mark.browser_context_args(java_script_enabled=False)
def test_without_scripts_the_table_opens_by_itself_and_the_menu_has_links_alone(
    page: Page, address: Callable[[str], str]
) -> None:
    page.goto(address("history"))
    figure = page.locator("#rank-history")
    figure.get_by_text("Show as table").last.click()
    expect(figure.get_by_role("columnheader", name="Team 3")).to_be_visible()
    figure.get_by_role("button", name="Menu of the figure").click()
    expect(figure.get_by_role("link", name=re.compile("^What is"))).to_be_visible()
    expect(figure.get_by_role("button", name="Save as PNG")).to_be_hidden()


def test_figures_fit_a_phone(
    page: Page, address: Callable[[str], str], looks_right: LooksRight
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
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
        looks_right()


def test_chance_is_written_in_its_cell(page: Page, address: Callable[[str], str]) -> None:
    page.goto(address("analysis"))
    drawing = figure_drawn(page, "significance")
    expect(drawing.locator(".heatmap-label", has_text="n.s.").first).to_be_visible()
    table_opened(page.locator("#significance"))
    expect(page.get_by_role("region", name=re.compile("beyond chance.*table"))).to_be_visible()


def test_a_histogram_follows_the_choice_and_every_share_of_an_axis_is_written(
    page: Page, live_server: LiveServer
) -> None:
    """Plotly leaves out a number that does not fit beside the axis, as "100%" did."""
    system = submit(PhaseFactory.create(), TeamFactory.create())
    evaluation_attempt(evaluation_id=system.evaluations.get(family="cb").pk)
    finish_all(
        system.evaluations.filter(state=EvaluationState.PENDING),
        value=0.34,
        generator=np.random.default_rng(2),
    )
    page.goto(live_server.url + reverse("leaderboard:system", args=[system.public_id]))
    figure_drawn(page, "clip-scores")
    expect(page.locator(".plot__area .bars .point").first).to_be_attached()
    started(page)
    page.get_by_label("Metric", exact=True).select_option(label="ROUGE-L")
    page.wait_for_url("**/*metric=rouge_l*")
    figure_drawn(page, "clip-scores")
    expect(page.locator(".plot__area .xtitle")).to_have_text("ROUGE-L of a clip")
    table_opened(page.locator("#clip-scores"))
    expect(page.get_by_role("region", name="Clips by ROUGE-L, as a table")).to_be_visible()
    page.goto(live_server.url + reverse("leaderboard:profile", args=[system.public_id]))
    marks = figure_drawn(page, "events-by-family").locator(".xtick text")
    expect(marks.last).to_have_text("100%")
    expect(marks.last).to_be_visible()


def luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance of WCAG 2.2."""
    shares = [byte / 255 for byte in colour]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("scale", ["share", "diverging", "steps"])
def test_the_numbers_in_every_cell_of_a_heatmap_can_be_read(
    modules: Page, scheme: Literal["dark", "light"], scale: str
) -> None:
    """The text of a cell has a contrast of 4.5 at least, whatever the cell's value."""
    modules.emulate_media(color_scheme=scheme)
    trace = modules.evaluate(
        """async (scale) => {
            const { themed } = await import('/static/js/controllers/plot.js');
            const figure = { data: [{ type: 'heatmap', meta: { scale } }], layout: {} };
            return themed(figure).data[0];
        }""",
        scale,
    )
    ink = luminance(rgb(trace["textfont"]["color"]))
    stops = [(at, rgb(colour)) for at, colour in trace["colorscale"]]
    for (low, first), (high, last) in pairwise(stops):
        assert low <= high  # where two classes meet, one colour ends and another begins
        for share in np.linspace(0, 1, 101):
            cell = luminance(tuple(a + share * (b - a) for a, b in zip(first, last, strict=True)))
            dark, light = sorted((ink, cell))
            assert (light + 0.05) / (dark + 0.05) >= 4.5
