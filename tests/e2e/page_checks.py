"""What many tests look at, on a page that has come and stands still."""

from playwright.sync_api import Locator, Page, expect

# The module that the page has loaded itself, once more by its name: it is not loaded again.
STARTED = "async () => { await (await import('/static/js/main.js')).ready; }"
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"


def started(page: Page) -> None:
    """Wait until a page has come as a whole and all of its scripts listen.

    A click that leads elsewhere returns as soon as the next page begins to come, which has no
    content then; and what a page does with its fields is loaded after the page.
    """
    page.wait_for_load_state()
    page.evaluate(STARTED)


def fits_width(page: Page) -> None:
    """Check that nothing has to be scrolled sideways."""
    started(page)
    too_wide = page.evaluate(TOO_WIDE)
    assert too_wide <= 0, f"{page.url} is {too_wide} pixels wider than the window"


def figure_drawn(page: Page, name: str) -> Locator:
    """Go to a figure, which is drawn once it is seen; give its drawing."""
    page.locator(f"#{name}").scroll_into_view_if_needed()
    drawing = page.locator(f"#{name} .js-plotly-plot")
    expect(drawing.locator(".main-svg").first).to_be_visible()
    return drawing


def table_opened(figure: Locator) -> None:
    """Open the table of a figure from its menu."""
    started(figure.page)
    figure.get_by_role("button", name="Menu of the figure").click()
    figure.get_by_role("button", name="Show as table").click()
