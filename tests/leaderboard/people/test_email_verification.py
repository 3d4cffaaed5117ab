"""Confirming addresses through the real pages, in each of the three ways to run the site."""

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.models import User
from tests.factories import PASSWORD

pytestmark = pytest.mark.one_database

WELCOME = {
    "username": "Nora",
    "email": "nora@example.org",
    "password1": PASSWORD,
    "password2": PASSWORD,
}


def sign_up(client: Client) -> str:
    """Sign up; give the page on which one ends."""
    page = client.post(reverse("account_signup"), WELCOME, follow=True)
    return str(page.content.decode())


def logged_in(client: Client) -> bool:
    return client.get(reverse("leaderboard:account")).status_code == 200


def link() -> str:
    (message,) = mail.outbox
    found = next(word for word in message.body.split() if "/confirm-email/" in word)
    return found.replace("http://testserver", "")


def confirm(client: Client) -> None:
    path = link()
    page = client.get(path).content.decode()
    assert "nora@example.org is the address of Nora" in page
    # Programs that look into mail open links; opening alone confirms nothing.
    assert not EmailAddress.objects.get().verified
    client.post(path)
    assert EmailAddress.objects.get().verified


def test_none_sends_nothing_and_asks_nothing(db: None, settings: Settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    client = Client()
    sign_up(client)
    assert logged_in(client)
    assert mail.outbox == []


def test_optional_lets_in_and_confirms_later(db: None, settings: Settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"
    client = Client()
    sign_up(client)
    assert logged_in(client)
    assert "not confirmed" in client.get(reverse("leaderboard:account")).content.decode()
    confirm(client)
    assert ">confirmed<" in client.get(reverse("leaderboard:account")).content.decode()


def test_mandatory_waits_for_the_link(db: None, settings: Settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    client = Client()
    assert "Confirm your address" in sign_up(client)
    assert not logged_in(client)
    again = Client()
    again.post(reverse("account_login"), {"login": "Nora", "password": PASSWORD})
    assert not logged_in(again)
    confirm(again)
    again.post(reverse("account_login"), {"login": "Nora", "password": PASSWORD})
    assert logged_in(again)


def test_the_mail_says_who_where_and_what_to_do(db: None) -> None:
    Client().post(reverse("account_signup"), WELCOME | {"username": "a+b.c-d_e"})
    (message,) = mail.outbox
    assert message.subject == "Earmark: Confirm your address"
    assert message.body.startswith("You signed up at Earmark as a+b.c-d_e.")
    assert "example.com" not in message.body


@pytest.mark.parametrize(
    ("address", "subject", "told"),
    [
        ("nora@example.org", "Set a new password", "Someone, probably you"),
        (
            "nobody@example.org",
            "No account with this address",
            "There is no account with this address",
        ),
    ],
)
def test_a_password_asked_for_tells_strangers_nothing(
    db: None, address: str, subject: str, told: str
) -> None:
    User.objects.create_user("Nora", "nora@example.org", PASSWORD)
    page = Client().post(reverse("account_reset_password"), {"email": address}, follow=True)
    assert "Check your e-mail" in page.content.decode()
    (message,) = mail.outbox
    assert message.subject == f"Earmark: {subject}"
    assert message.to == [address]
    assert told in message.body


def test_signing_up_twice_tells_strangers_nothing_and_the_owner_by_mail(
    db: None, settings: Settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    user = User.objects.create_user("First", "nora@example.org", PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    assert "Confirm your address" in sign_up(Client())
    (message,) = mail.outbox
    assert message.subject == "Earmark: You already have an account"
    assert not User.objects.filter(username="Nora").exists()
