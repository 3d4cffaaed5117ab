"""One's own account in a real browser: refused forms, an app's codes, a security key."""

import re
from collections.abc import Iterator

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from playwright.sync_api import Page, expect

from leaderboard.models import User
from tests.e2e.conftest import Axe, LogIn
from tests.e2e.page_checks import started
from tests.factories import PASSWORD, UserFactory
from tests.leaderboard.people.test_second_factor import code


@pytest.fixture
def person(transactional_db: None) -> User:
    cache.clear()
    user = UserFactory.create(username="nora")
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


@pytest.fixture
def key(page: Page) -> Iterator[None]:
    """Plug a security key into the browser that is touched whenever it is asked."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    usb = {"protocol": "ctap2", "transport": "usb", "automaticPresenceSimulation": True}
    options = {**usb, "hasUserVerification": True, "isUserVerified": True}
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield
    session.send("WebAuthn.disable")


def log_in_by_hand(page: Page, password: str = PASSWORD) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("User name or e-mail address").fill("nora")
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def confirm_password(page: Page) -> None:
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


def use_the_key(page: Page, button: str = "Use a security key") -> None:
    """Press the button once the script that asks for the key listens to it."""
    expect(page.get_by_role("button", name=button)).to_be_visible()
    started(page)
    page.get_by_role("button", name=button).click()


def test_a_refused_form_says_so_in_its_title_and_the_keys_go_on_at_the_fault(
    page: Page, person: User, log_in: LogIn
) -> None:
    log_in_by_hand(page, "wrong")
    expect(page).to_have_title(re.compile("^Error: Log in"))
    expect(page.locator(".errorlist")).to_be_focused()
    log_in(person)
    page.goto("/account/")
    page.get_by_label("User name").fill("no spaces allowed")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile("^Error: Account"))
    expect(page.get_by_label("User name")).to_be_focused()


def test_an_app_is_set_up_and_asked_for(page: Page, person: User, axe: Axe) -> None:
    log_in_by_hand(page)
    page.get_by_text("nora", exact=True).click()
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("link", name="Set up a second factor").click()
    page.get_by_role("link", name="Set up an app").click()
    confirm_password(page)
    picture = page.get_by_alt_text("The secret below, as a QR code")
    expect(picture).to_be_visible()
    started(page)
    # A picture that the policy refused would have no size of its own.
    assert picture.evaluate("image => image.naturalWidth") > 0
    assert axe() == []
    page.get_by_label("Code from the app").fill(code(page.locator("main code").inner_text()))
    page.get_by_role("button", name="Turn it on").click()
    expect(page.get_by_text("10 of 10 are unused")).to_be_visible()
    assert axe() == []
    recovery = page.locator("#codes").inner_text().split()[0]
    page.context.clear_cookies()
    log_in_by_hand(page)
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    assert axe() == []
    page.get_by_label("Code from your app, or a recovery code").fill(recovery)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    expect(page.get_by_text("nora", exact=True)).to_be_visible()


@pytest.mark.usefixtures("key", "person")
def test_a_security_key_is_added_and_asked_for(page: Page, axe: Axe) -> None:
    log_in_by_hand(page)
    expect(page.get_by_text("nora", exact=True)).to_be_visible()
    page.goto("/accounts/2fa/webauthn/add/")
    confirm_password(page)
    page.get_by_label("Name of the key").fill("Blue key")
    assert axe() == []
    use_the_key(page, "Add the key")
    expect(page.get_by_text("The security key was added.")).to_be_visible()
    page.context.clear_cookies()
    log_in_by_hand(page)
    use_the_key(page)
    expect(page.get_by_text("nora", exact=True)).to_be_visible()
    page.goto("/accounts/2fa/webauthn/")
    expect(page.get_by_role("row", name="Blue key")).not_to_contain_text("never")
    # The same key is not taken twice, and the page says so in words.
    page.goto("/accounts/2fa/webauthn/add/")
    confirm_password(page)
    use_the_key(page, "Add the key")
    expect(page.get_by_role("alert")).to_contain_text("one of yours already")
