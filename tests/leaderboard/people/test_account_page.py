"""The account pages look like the site, work, and keep to its rules; and those of API tokens."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from leaderboard.models import ApiToken, User
from leaderboard.services.people.accounts import token_create
from leaderboard.web.api_auth import token_user
from tests.factories import PASSWORD
from tests.leaderboard.conftest import Cast

ENTRANCE = ["account_login", "account_signup", "account_reset_password"]
MANAGE = ["account_logout", "account_email", "account_change_password"]


@pytest.mark.parametrize("name", [*ENTRANCE, *MANAGE])
def test_pages_stand_in_the_sites_frame(cast: Cast, name: str) -> None:
    client = cast.client(cast.member if name in MANAGE else None)
    page = client.get(reverse(name)).content.decode()
    assert 'id="main"' in page
    assert page.count("<h1") == 1
    for foreign in ("style=", "onclick", "Sign In", "placeholder="):
        assert foreign not in page


def test_signing_up_goes_on_to_where_one_was_going(cast: Cast) -> None:
    client = Client()
    page = client.get(reverse("account_signup"), {"next": "/teams/"}).content.decode()
    assert '<input type="hidden" name="next" value="/teams/">' in page
    response = client.post(
        reverse("account_signup"),
        {
            "username": "Nora",
            "email": "nora@example.org",
            "password1": PASSWORD,
            "password2": PASSWORD,
            "next": "/teams/",
        },
    )
    assert response["Location"] == "/teams/"
    assert User.objects.get(username="Nora").email == "nora@example.org"
    assert client.get("/teams/").status_code == 200


def test_a_wrong_password_is_told_on_the_page(cast: Cast) -> None:
    for login, told in (
        (cast.member.username, "User name or password is wrong. Check both"),
        (cast.member.email, "E-mail address or password is wrong. Check both"),
    ):
        response = Client().post(reverse("account_login"), {"login": login, "password": "wrong"})
        assert response.status_code == 200
        assert told in response.content.decode()


def test_logging_in_by_name_or_address_and_out_again(cast: Cast) -> None:
    for login in (cast.member.username, cast.member.email):
        client = Client()
        response = client.post(reverse("account_login"), {"login": login, "password": PASSWORD})
        assert response.status_code == 302, login
    client.post(reverse("account_logout"))
    assert client.get(reverse("leaderboard:teams")).status_code == 302


def test_a_used_or_broken_reset_link_says_what_to_do(db: None) -> None:
    page = Client().get("/accounts/password/reset/key/1-broken/", follow=True).content.decode()
    assert "Ask for a new link" in page


def test_nobody_is_called_like_an_address(cast: Cast) -> None:
    """Names and addresses are written in the same fields: one must not stand in for the other."""
    client = Client()
    fields = {"email": "thief@example.com", "password1": PASSWORD, "password2": PASSWORD}
    page = client.post(reverse("account_signup"), {"username": "chair@example.org", **fields})
    assert page.status_code == 200
    assert "A user name has no @" in page.content.decode()
    assert not User.objects.filter(username__contains="@").exists()
    renamed = cast.client(cast.member).post(
        reverse("leaderboard:account-rename"), {"username": cast.outsider.email}
    )
    assert renamed.status_code == 422


@pytest.mark.parametrize("host", ["127.0.0.1:4444", "localhost:81"])
@pytest.mark.parametrize("known", [True, False])
def test_mailed_links_lead_to_the_site_whatever_host_was_asked(
    cast: Cast, settings: Settings, host: str, known: bool
) -> None:
    """Who asks for somebody else's link to a new password must not choose where it leads."""
    settings.SITE_URL = "https://earmark.example.org"
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    email = cast.member.email if known else "nobody@example.org"
    Client().post(reverse("account_reset_password"), {"email": email}, headers={"host": host})
    body = str(mail.outbox[0].body)
    links = re.findall(r"https?://[^/\s]+", body)
    assert links
    assert set(links) == {"https://earmark.example.org"}
    assert host not in body


TOKENS, NEW = "leaderboard:tokens", "leaderboard:token-create"


def test_a_new_tokens_secret_is_shown_once_and_works(cast: Cast) -> None:
    client = cast.client(cast.member)
    response = client.post(reverse(NEW), {"name": "laptop"})
    secret = response.context["secret"]
    assert response.status_code == 201
    assert secret in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    assert token_user(secret=secret, now=timezone.now()) == cast.member
    again = client.get(reverse(TOKENS)).content.decode()
    assert secret not in again
    assert "laptop" in again
    assert secret[:9] in again, "its beginning tells it from others"


def test_the_list_shows_ones_own_only(cast: Cast) -> None:
    token_create(user=cast.owner, name="theirs")
    assert "theirs" not in cast.client(cast.member).get(reverse(TOKENS)).content.decode()


def test_a_token_needs_a_name(cast: Cast) -> None:
    response = cast.client(cast.member).post(reverse(NEW), {"name": " "})
    assert response.status_code == 422
    assert not ApiToken.objects.exists()


def test_deleting_makes_it_useless_and_only_its_owner_can(cast: Cast) -> None:
    token, secret = token_create(user=cast.member, name="laptop")
    page = reverse("leaderboard:token-delete", args=[token.pk])
    assert cast.client(cast.owner).post(page).status_code == 404
    assert cast.client(None).post(page).status_code == 302
    assert token_user(secret=secret, now=timezone.now()) == cast.member
    assert cast.client(cast.member).get(page).status_code == 405
    assert cast.client(cast.member).post(page)["Location"] == reverse(TOKENS)
    assert token_user(secret=secret, now=timezone.now()) is None


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
