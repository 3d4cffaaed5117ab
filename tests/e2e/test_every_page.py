"""Every page of the site, of whomever it is for: accessible, as wide as its window, light to load.

The addresses are those of the table of who may what, so that no page is forgotten.
"""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, Response, expect
from pytest_django import Settings

from leaderboard.models import EvaluationState, MetricResult, Submission, User
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.e2e.conftest import Axe, LogIn
from tests.e2e.page_checks import TOO_WIDE, started
from tests.factories import PhaseFactory, TeamFactory, UserFactory, finish, submit
from tests.leaderboard.access.authorisation_table import TABLE
from tests.leaderboard.access.one_of_everything import Everything, everything
from tests.leaderboard.conftest import Cast, cast  # noqa: F401

# From a wide screen to the narrowest phone, or a page at 400 %.
WIDTHS = (1920, 768, 320)
# Of a first visit, with the typeface and without plots, compressed.
MOST_BYTES = 150_000
# Whoever comes first and is shown a page looks at it.
LOOKERS = ("anonymous", "member", "owner", "organiser", "superuser")


@pytest.fixture
def world(cast: Cast, settings: Settings, tmp_path: Path) -> Everything:  # noqa: F811
    """One of everything, which nobody's requests change."""
    settings.AUDIO_DIR = tmp_path / "audio"
    settings.RATELIMIT_ENABLE = False
    return everything(cast)


def pages(world: Everything) -> dict[str, list[str]]:
    """The addresses of all pages, each once, by the person who looks at it."""
    found: dict[str, list[str]] = {who: [] for who in LOOKERS}
    for method, route in TABLE:
        hidden = route.startswith("api/") and not route.endswith("/docs")
        if not method.startswith("GET") or hidden:
            continue
        address = world.address(method, route)
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


KNOWN: dict[str, int] = {}


def size_of(response: Response) -> int:
    """The bytes of a part as a server sends it; of styles and scripts, which stay, asked once."""
    url = response.url
    if url not in KNOWN or "/static/" not in url:
        body = response.body()
        packed = url.endswith((".woff2", ".webp", ".png"))
        KNOWN[url] = len(body if packed else gzip.compress(body, 6))
    return KNOWN[url]


@contextmanager
def weighed(page: Page) -> Iterator[list[tuple[int, str]]]:
    """Collect the bytes of what a page loads, compressed as a server sends it; plots apart."""
    parts: list[tuple[int, str]] = []

    def weigh(response: Response) -> None:
        if response.ok and "plotly" not in response.url and "/audio/" not in response.url:
            parts.append((size_of(response), response.url))

    page.on("response", weigh)
    yield parts
    page.remove_listener("response", weigh)


def faults(page: Page, address: str, axe: Axe) -> list[str]:
    """What is wrong with a page: light and dark, at every width, and what it weighs."""
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    with weighed(page) as parts:
        page.goto(address)
        started(page)
    assert any(url.endswith(".css") for _, url in parts), "what the browser keeps is weighed, too"
    page.locator("h1").first.wait_for()  # pages of work are shown once their task is there
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    found = axe()
    if (weight := sum(size for size, _ in parts)) > MOST_BYTES:
        found.append(f"{address} weighs {weight} bytes: {sorted(parts)[-3:]}")
    page.emulate_media(color_scheme="dark")
    found += axe()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        started(page)
        if (over := page.evaluate(TOO_WIDE)) > 0:
            found.append(f"{address} is {over} pixels wider than {width}")
    return found


# Over a hundred pages: on a busy machine longer than what hangs is waited for elsewhere.
@pytest.mark.timeout(1800)
def test_every_page_is_accessible_fits_and_is_light(
    log_in: LogIn, page: Page, axe: Axe, world: Everything
) -> None:
    found, seen = [], 0
    for who, addresses in pages(world).items():
        user = user_of(world, who)
        page.context.clear_cookies()
        if user is not None:
            log_in(user)
        for address in addresses:
            seen += 1
            found += faults(page, address, axe)
    assert seen > 100
    assert found == []


HOSTILE = "<script>alert(1)</script>"


def test_pages_of_long_hostile_names_ties_and_failures_are_held_to_the_same(
    page: Page, axe: Axe
) -> None:
    phase = PhaseFactory.create(closes_at=timezone.now() + timedelta(days=3))
    for number in range(4):
        team = TeamFactory.create(name=f"{HOSTILE} {'long ' * 6}{number}"[:60])
        system = submit(phase, team, name=f"{HOSTILE} {'W' * 50}"[:80])
        if number == 0:
            # Computed for real, its clips have details of every family.
            for evaluation in system.evaluations.all():
                evaluation_attempt(evaluation_id=evaluation.pk)
        else:
            finish(system, value=0.3, seed=number // 2)
    scored, failed, *_ = Submission.objects.order_by("pk")
    MetricResult.objects.filter(submission=failed, metric="meteor").delete()
    failed.evaluations.filter(family="meteor").update(
        state=EvaluationState.FAILED, reason="The worker stopped."
    )
    names = (phase.challenge.slug, phase.slug)
    beside = f"with={failed.public_id}"
    found = []
    for view, args, query in (
        ("board", names, "systems=all&preset=all&q=system"),
        ("board", names, "systems=all&sort=-bleu_4"),
        ("history", names, ""),
        ("analysis", names, ""),
        ("compare", names, ""),
        ("distributions", names, "drawing=violin&metric=aces"),
        ("metric-pair", names, ""),
        ("clips", (scored.public_id,), f"choose=1&{beside}"),
        ("clip", (scored.public_id, 1), beside),
        ("system", (scored.public_id,), ""),
        ("system", (failed.public_id,), ""),
        ("profile", (scored.public_id,), ""),
    ):
        address = reverse(f"leaderboard:{view}", args=args)
        found += faults(page, f"{address}?{query}", axe)
    assert found == []


ACCOUNT = (
    "account/", "account/?act=delete", "account/tokens/", "accounts/email/",
    "accounts/password/change/", "accounts/2fa/", "accounts/2fa/webauthn/", "accounts/3rdparty/",
)  # fmt: skip


def test_components_accounts_and_pages_before_a_log_in_are_held_to_the_same(
    log_in: LogIn, page: Page, axe: Axe, settings: Settings, complaints: list[str]
) -> None:
    found = faults(page, "/nothing/", axe)
    complaints.clear()  # the browser reports the 404 itself
    settings.DEBUG = True
    before = ("styleguide/", "accounts/login/", "accounts/signup/", "accounts/password/reset/")
    for way in before:
        found += faults(page, f"/{way}", axe)
    user = UserFactory.create()
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    log_in(user)
    for way in ACCOUNT:
        found += faults(page, f"/{way}", axe)
    assert found == []


def test_a_printed_board_is_its_table_on_white(page: Page, world: Everything) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(world.path("c/<slug:challenge>/<slug:phase>/"))
    expect(page.get_by_role("table")).to_be_visible()
    for kept in ("navigation", "search", "button", "contentinfo"):
        expect(page.get_by_role(kept).first).to_be_hidden()
    ink = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert ink == "rgb(21, 25, 28)"
    expect(page.get_by_role("checkbox").first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
