"""Figures in a browser: loaded when they are seen, with a menu, and never without their numbers."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from leaderboard.models import EvaluationState, Phase
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.e2e.conftest import Axe
from tests.e2e.page_checks import figure_drawn, started, table_opened
from tests.factories import PhaseFactory, TeamFactory, finish, finish_all, submit

PLOTLY = re.compile(r"/plotly[.\w]*\.js")


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    """A phase with four systems, two of which differ by chance alone."""
    phase = PhaseFactory.create()
    for number, value in enumerate((0.3, 0.5, 0.5, 0.7)):
        system = submit(phase, TeamFactory.create(name=f"Team {number}"), name=f"System {number}")
        finish(system, value=value, seed=number)
    return phase


def address(phase: Phase, name: str) -> str:
    return reverse(f"leaderboard:{name}", args=[phase.challenge.slug, phase.slug])


def test_plotly_comes_with_the_first_figure_that_is_seen_and_chance_is_written_in_its_cell(
    page: Page, phase: Phase
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 900, "height": 160})
    page.goto(address(phase, "analysis"))
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
    cells = figure_drawn(page, "significance").locator(".heatmap-label", has_text="n.s.")
    expect(cells.first).to_be_visible()


def test_the_menu_of_a_figure_is_used_by_keyboard_and_saves_it_as_a_picture_and_as_numbers(
    page: Page, phase: Phase, axe: Axe
) -> None:
    page.goto(address(phase, "history"))
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


def test_numbers_stand_where_plotly_does_not_come(page: Page, phase: Phase) -> None:
    page.route(PLOTLY, lambda route: route.abort())
    page.goto(address(phase, "history"))
    figure = page.locator("#rank-history")
    expect(figure.get_by_role("columnheader", name="Team 3")).to_be_visible()
    expect(figure.locator(".plot__area")).to_be_hidden()


def test_a_histogram_follows_the_choice_and_every_share_of_an_axis_is_written(page: Page) -> None:
    """Plotly leaves out a number that does not fit beside the axis, as "100%" did."""
    system = submit(PhaseFactory.create(), TeamFactory.create())
    evaluation_attempt(evaluation_id=system.evaluations.get(family="cb").pk)
    pending = system.evaluations.filter(state=EvaluationState.PENDING)
    finish_all(pending, value=0.34, generator=np.random.default_rng(2))
    page.goto(reverse("leaderboard:system", args=[system.public_id]))
    figure_drawn(page, "clip-scores")
    expect(page.locator(".plot__area .bars .point").first).to_be_attached()
    started(page)
    page.get_by_label("Metric", exact=True).select_option(label="ROUGE-L")
    page.wait_for_url("**/*metric=rouge_l*")
    figure_drawn(page, "clip-scores")
    expect(page.locator(".plot__area .xtitle")).to_have_text("ROUGE-L of a clip")
    table_opened(page.locator("#clip-scores"))
    expect(page.get_by_role("region", name="Clips by ROUGE-L, as a table")).to_be_visible()
    page.goto(reverse("leaderboard:profile", args=[system.public_id]))
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


THEMED = """async (scale) => {
  const { themed } = await import('/static/js/controllers/plot.js');
  return themed({ data: [{ type: 'heatmap', meta: { scale } }], layout: {} }).data[0];
}"""


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_numbers_in_every_cell_of_a_heatmap_can_be_read(modules: Page, scheme: str) -> None:
    """The text of a cell has a contrast of 4.5 at least, whatever the cell's value."""
    modules.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for scale in ("share", "diverging", "steps"):
        trace = modules.evaluate(THEMED, scale)
        ink = luminance(rgb(trace["textfont"]["color"]))
        stops = [(at, rgb(colour)) for at, colour in trace["colorscale"]]
        for (low, first), (high, last) in pairwise(stops):
            assert low <= high  # where two classes meet, one colour ends and another begins
            for share in np.linspace(0, 1, 101):
                mixed = (a + share * (b - a) for a, b in zip(first, last, strict=True))
                dark, light = sorted((ink, luminance(tuple(mixed))))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, scale
