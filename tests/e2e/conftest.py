"""A real browser before a real server; whatever it complains about fails the test.

Browsers know where the site is, so that addresses in tests begin with ``/``.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import axe_core_python
import pytest
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Route,
    expect,
)
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import User
from tests.chromium import ARGUMENTS, CHROMIUM
from tests.conftest import absent
from tests.e2e.page_checks import fits_width, started

AXE = Path(axe_core_python.__file__).parent / "axe.min.js"
# Every page is checked in light, too, from which it differs in its colours alone.
RUN_AXE = """() => axe.run(document, {
    resultTypes: ['violations'], selectors: false,
    ...(matchMedia('(prefers-color-scheme: dark)').matches && {
        runOnly: {type: 'rule', values: ['color-contrast', 'link-in-text-block']},
    }),
})"""
# Playwright's event loop runs in the thread of the tests, where Django would refuse
# to touch the database although nothing else does at that time.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

LogIn = Callable[..., None]
Axe = Callable[[], list[str]]
LooksRight = Callable[[], None]

# A wait ends with what it waits for. What never happens ends here; what a slow machine takes, not.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
# What a worker does that begins meanwhile, loads models and learns or measures.
WORKED_WITHIN_MS = 480_000
# What the browser or htmx says of an answer by which something is refused, and of a network that a
# test takes away. A file that is not there and a fault of the server are no such answers.
EXPECTED = re.compile(
    r"^htmx:(sendAbort|afterRequest|sendError)|^(Failed to load resource: .*|Response Status Error"
    r" Code )(status of )?(401|403|409|422|503)|^Failed to load resource: net::ERR"
)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    if not CHROMIUM:
        absent("Chromium")
    return {"executable_path": CHROMIUM, "args": ARGUMENTS}


@pytest.fixture(scope="session", autouse=True)
def scripts_kept_by_browsers() -> Iterator[None]:
    """Let browsers keep styles and scripts, as they do of a site whose files have their hash."""
    served = StaticFilesHandler.serve

    def serve(self: StaticFilesHandler, request: Any) -> Any:
        answer = served(self, request)
        answer["Cache-Control"] = "max-age=3600"
        return answer

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(StaticFilesHandler, "serve", serve)
        yield


@pytest.fixture(scope="session")
def browser_context_args(
    browser_context_args: dict[str, Any], live_server: LiveServer
) -> dict[str, Any]:
    return {**browser_context_args, "base_url": live_server.url}


@pytest.fixture
def new_context(
    new_context: Callable[..., BrowserContext],
) -> Callable[..., BrowserContext]:
    """Make a browser of somebody else; it is as patient as the others."""

    def make(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        return context

    return make


@pytest.fixture(scope="session")
def browsers(
    browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[tuple[BrowserContext, BrowserContext]]:
    """The browsers of two people, which all tests share: they keep styles and scripts alone."""
    one, other = (browser.new_context(**browser_context_args) for _ in range(2))
    contexts = one, other
    for context in contexts:
        context.set_default_timeout(PATIENCE_MS)
    yield contexts
    for context in contexts:
        context.close()


@contextmanager
def as_new(context: BrowserContext, server: LiveServer) -> Iterator[BrowserContext]:
    """Give a browser that knows nobody and remembers nothing; close its pages after."""
    context.clear_cookies()
    page = context.new_page()
    kinds = "local_storage,session_storage,indexeddb"
    told = {"origin": server.url, "storageTypes": kinds}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", told)
    page.close()
    yield context
    context.set_offline(False)
    context.unroute_all(behavior="ignoreErrors")
    for page in context.pages:
        page.close()


@pytest.fixture
def context(request: pytest.FixtureRequest, live_server: LiveServer) -> Iterator[BrowserContext]:
    """The first browser; a test that changes it for good marks ``browser_context_args``."""
    if request.node.get_closest_marker("browser_context_args"):
        yield request.getfixturevalue("new_context")()
        return
    with as_new(request.getfixturevalue("browsers")[0], live_server) as context:
        yield context


@pytest.fixture
def second(
    browsers: tuple[BrowserContext, BrowserContext], live_server: LiveServer
) -> Iterator[Page]:
    """A page in the browser of somebody else."""
    with as_new(browsers[1], live_server) as context:
        yield context.new_page()


@pytest.fixture(scope="session")
def modules(
    browser: Browser,
    live_server: LiveServer,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Page]:
    """Any page of the site, which tests of its scripts share: its policy lets them be imported."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    with django_db_blocker.unblock():
        page.goto(f"{live_server.url}/accounts/login/")
    yield page
    page.close()


@pytest.fixture(autouse=True)
def complaints(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Collect what the console says, policy violations included; a test may empty it."""
    page: Page = request.getfixturevalue("modules" if "modules" in request.fixturenames else "page")
    heard: list[str] = []
    with listened_to(page, heard):
        yield heard
    assert not heard


@contextmanager
def listened_to(page: Page, heard: list[str]) -> Iterator[None]:
    """Add to ``heard`` what the console of a page says, until the block ends."""

    def listen(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not EXPECTED.search(message.text):
            heard.append(f"{page.url}: {message.text}")

    def fail(error: Error) -> None:
        heard.append(f"{page.url}: {error}")

    # Plotly's faster drawing would be refused without a word on the console.
    page.add_init_script(
        "addEventListener('securitypolicyviolation', (event) => console.error("
        "`refused: ${event.violatedDirective} ${event.blockedURI}`))"
    )
    page.on("console", listen)
    page.on("pageerror", fail)
    yield
    page.remove_listener("console", listen)
    page.remove_listener("pageerror", fail)


def enter(context: BrowserContext, site: str, user: User) -> None:
    """Log a user in without going through the form."""
    client = Client()
    client.force_login(user)
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": site}])


@pytest.fixture
def log_in(live_server: LiveServer, context: BrowserContext) -> LogIn:
    """Log a user in, in the first browser or in another one."""

    def log_in(user: User, other: BrowserContext | None = None) -> None:
        enter(other or context, live_server.url, user)

    return log_in


@pytest.fixture
def axe(page: Page) -> Axe:
    """Check the page as it is; give what is wrong, one line for each rule."""

    def check() -> list[str]:
        started(page)
        if page.evaluate("typeof axe === 'undefined'"):
            # A script element would be refused by the page's own policy; this is not.
            page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate(RUN_AXE)
        return [
            f"{page.url} {rule['id']}: {rule['nodes'][0]['html'][:200]}"
            for rule in found["violations"]
        ]

    return check


@pytest.fixture
def looks_right(page: Page, axe: Axe) -> LooksRight:
    """Check a page as it is, dark and light, and that a phone need not scroll it sideways."""

    def check() -> None:
        page.emulate_media(color_scheme="dark")
        found = axe()
        page.emulate_media(color_scheme="light")
        assert found + axe() == []
        wide = page.viewport_size
        page.set_viewport_size({"width": 390, "height": 800})
        fits_width(page)
        page.set_viewport_size(wide or {"width": 1280, "height": 720})

    return check


@contextmanager
def scripts_held_back(page: Page) -> Iterator[None]:
    """Keep scripts from the page until the block ends, as a slow line does."""
    held: list[Route] = []
    letting_through = False

    def hold(route: Route) -> None:
        if letting_through:
            route.continue_()
        else:
            held.append(route)

    page.route(re.compile(r"\.js$"), hold)
    yield
    assert held, "no script was asked for"
    letting_through = True
    for route in held:
        route.continue_()
