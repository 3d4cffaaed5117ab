"""Wrong passwords lock out whoever types them, and not the owner of the account."""

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as configured
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.models import User
from leaderboard.web.account_adapters import COOKIE
from tests.factories import UserFactory
from tests.leaderboard.scored_pages import text

LOGIN = reverse("account_login")
RIGHT, WRONG = "a tin roof rings", "a wooden roof rings"
HERE, THERE = "192.0.2.1", "198.51.100.7"


@pytest.fixture
def owner(db: None) -> User:
    cache.clear()
    user = UserFactory.create(username="Nora", email="nora@example.org")
    user.set_password(RIGHT)
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


def gets_in(client: Client, password: str, *, address: str = HERE, name: str = "nora") -> bool:
    """Try to log in from an address; tell whether that worked."""
    told = {"login": name, "password": password}
    return client.post(LOGIN, told, REMOTE_ADDR=address).status_code == 302


def guess(times: int, *, address: str = THERE, name: str = "nora") -> None:
    for _ in range(times):
        assert not gets_in(Client(), WRONG, address=address, name=name)


def locked(client: Client, **where: str) -> bool:
    """Tell whether the right password is refused."""
    return not gets_in(client, RIGHT, **where)


def test_a_stranger_locks_themselves_out_and_nobody_else(owner: User) -> None:
    guess(5)
    assert locked(Client(), address=THERE)
    refused = Client().post(LOGIN, {"login": "nora", "password": RIGHT}, REMOTE_ADDR=THERE)
    assert "setting a new password by mail lets you in at once" in text(refused.content)
    assert not locked(Client(), address=HERE)
    guess(5, name="nora@example.org", address="2001:db8::1")
    assert locked(Client(), name="NORA@example.org", address="2001:db8::2"), "one network"
    assert not locked(Client(), name="nora@example.org", address="2001:db8:0:1::2")


def test_at_the_same_address_a_known_device_is_not_locked_with_the_others(owner: User) -> None:
    """As in one office: whoever shares the address may guess as they like."""
    device = Client()
    assert gets_in(device, RIGHT)
    device.post(reverse("account_logout"))
    guess(5, address=HERE)
    assert locked(Client(), address=HERE)
    assert not locked(device, address=HERE)
    # Others who get hold of the device have five tries, too.
    device.post(reverse("account_logout"))
    for _ in range(4):
        assert not gets_in(device, WRONG, address="192.0.2.9")
    assert not locked(device, address="192.0.2.9")


def test_many_addresses_come_to_the_limit_of_the_name(owner: User, settings: Settings) -> None:
    limits = {**configured.ACCOUNT_RATE_LIMITS, "login_failed_anywhere": "6/h/key"}
    settings.ACCOUNT_RATE_LIMITS = limits
    device = Client()
    assert gets_in(device, RIGHT)
    device.post(reverse("account_logout"))
    for number in range(6):
        assert not locked(Client(), address=HERE), "what was right before does not count"
        guess(1, address=f"203.0.113.{number}")
    assert locked(Client(), address=HERE)
    assert not locked(device), "a device on which the owner has logged in is free of it"
    other = UserFactory.create(username="mara")
    other.set_password(RIGHT)
    other.save()
    assert locked(device_of_another(device), address=HERE)
    assert gets_in(Client(), RIGHT, address=HERE, name="mara"), "it is this name's limit alone"

    reset_by_mail(owner)
    assert gets_in(Client(), WRONG, address=HERE), "a new password by mail lifts it"


def device_of_another(known: Client) -> Client:
    """A browser whose cookie was made up: another number, the same signature."""
    client = Client()
    value = known.cookies[COOKIE].value
    client.cookies[COOKIE] = "9" + value
    return client


def reset_by_mail(owner: User) -> None:
    """Set the password that was wrong until now by the link of a mail."""
    client = Client()
    client.post(reverse("account_reset_password"), {"email": owner.email})
    (link,) = (line for line in mail.outbox[-1].body.split() if "/password/reset/key/" in line)
    form = client.get(link.removeprefix(configured.SITE_URL), follow=True)
    place = form.redirect_chain[-1][0]
    done = client.post(place, {"password1": WRONG, "password2": WRONG})
    assert done.status_code == 302


def test_the_cookie_opens_nothing_and_stays_with_who_logged_in_last(owner: User) -> None:
    device = Client()
    assert gets_in(device, RIGHT)
    cookie = device.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    other = Client()
    other.cookies[COOKIE] = cookie.value
    assert other.get(reverse("leaderboard:account")).status_code == 302
    first = cookie.value.split(":")[1]
    device.post(reverse("account_logout"))
    assert gets_in(device, RIGHT)
    assert device.cookies[COOKIE].value.split(":")[1] == first
    device.post(reverse("account_logout"))
    mara = UserFactory.create(username="mara")
    mara.set_password(RIGHT)
    mara.save()
    assert gets_in(device, RIGHT, name="mara")
    assert device.cookies[COOKIE].value.split(":")[:1] == [str(mara.pk)]
