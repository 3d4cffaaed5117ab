"""Every page of the site, of whomever it is for: accessible, as wide as its window, light to load.

The addresses are those of the table of who may what, so that no page is forgotten.
"""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.test import Client
from playwright.sync_api import Page, Response, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import User
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import TOO_WIDE, started
from tests.leaderboard.access.one_of_everything import QUERIES, Everything, asked, everything
from tests.leaderboard.conftest import Cast, cast  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)

# From the narrowest phone, or a page at 400 %, to a wide screen.
WIDTHS = (320, 768, 1400, 1920)
# Of a first visit, with the typeface and without plots, compressed.
MOST_BYTES = 150_000
# Whoever comes first and is shown a page looks at it.
LOOKERS = ("anonymous", "member", "owner", "organiser", "superuser")


@pytest.fixture
def world(cast: Cast, settings: object, tmp_path: Path) -> Everything:  # noqa: F811
    """One of everything, which nobody's requests change."""
    settings.AUDIO_DIR = tmp_path / "audio"  # type: ignore[attr-defined]
    settings.RATELIMIT_ENABLE = False  # type: ignore[attr-defined]
    return everything(cast)


def pages(world: Everything) -> dict[str, list[str]]:
    """The addresses of all pages, each once, by the person who looks at it."""
    found: dict[str, list[str]] = {who: [] for who in LOOKERS}
    for method, route in asked():
        if method != "GET" or route.startswith("api/"):
            continue
        address = world.path(route) + QUERIES.get(route, "")
        looker = next((who for who in LOOKERS if is_page(world.clients[who], address)), None)
        if looker is not None:
            found[looker].append(address)
    return found


def is_page(client: Client, address: str) -> bool:
    """Whether there is a whole page for somebody at an address."""
    answer = client.get(address)
    html = answer.get("Content-Type", "").startswith("text/html")
    if answer.status_code != 200 or not html or answer.streaming:
        return False
    return b"</html>" in answer.content


def user_of(world: Everything, who: str) -> User | None:
    """The person behind a client."""
    key = world.clients[who].session.get("_auth_user_id")
    return None if key is None else User.objects.get(pk=key)


@contextmanager
def weighed(page: Page) -> Iterator[list[tuple[int, str]]]:
    """Collect the bytes of what a page loads, compressed as a server sends it; plots apart."""
    parts: list[tuple[int, str]] = []

    def weigh(response: Response) -> None:
        if response.ok and "plotly" not in response.url and "/audio/" not in response.url:
            body = response.body()
            size = (
                len(body)
                if response.url.endswith((".woff2", ".webp", ".png"))
                else len(gzip.compress(body, 6))
            )
            parts.append((size, response.url))

    page.on("response", weigh)
    yield parts
    page.remove_listener("response", weigh)


def test_every_page_is_accessible_fits_and_is_light(
    live_server: LiveServer,
    log_in: LogIn,
    page: Page,
    axe: Callable[[], list[str]],
    world: Everything,
) -> None:
    found, seen = [], 0
    for who, addresses in pages(world).items():
        user = user_of(world, who)
        page.context.clear_cookies()
        if user is not None:
            log_in(user)
        for address in addresses:
            seen += 1
            page.emulate_media(color_scheme="light")
            page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
            with weighed(page) as parts:
                page.goto(live_server.url + address)
                started(page)
            page.locator("h1").first.wait_for()  # pages of work are shown once their task is there
            if (weight := sum(size for size, _ in parts)) > MOST_BYTES:
                found.append(f"{address} weighs {weight} bytes: {sorted(parts)[-3:]}")
            found += axe()
            page.emulate_media(color_scheme="dark")
            found += axe()
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                started(page)
                if (over := page.evaluate(TOO_WIDE)) > 0:
                    found.append(f"{address} is {over} pixels wider than {width}")
    assert seen > 100
    assert found == []


@pytest.mark.parametrize(
    "way", ["styleguide/", "accounts/login/", "accounts/signup/", "accounts/password/reset/"]
)
def test_components_and_pages_before_a_log_in_are_held_to_the_same(
    live_server: LiveServer, page: Page, axe: Callable[[], list[str]], settings: object, way: str
) -> None:
    settings.DEBUG = True  # type: ignore[attr-defined]
    page.goto(f"{live_server.url}/{way}")
    assert axe() == []
    page.emulate_media(color_scheme="dark")
    assert axe() == []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(TOO_WIDE) <= 0


def test_a_printed_board_is_its_table_on_white(
    live_server: LiveServer, page: Page, world: Everything
) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(live_server.url + world.path("c/<slug:challenge>/<slug:phase>/"))
    expect(page.get_by_role("table")).to_be_visible()
    for kept in ("navigation", "search", "button", "contentinfo"):
        expect(page.get_by_role(kept).first).to_be_hidden()
    ink = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert ink == "rgb(21, 25, 28)"
    expect(page.get_by_role("checkbox").first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
