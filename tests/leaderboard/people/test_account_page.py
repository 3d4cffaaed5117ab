"""The account pages look like the site, work, and keep to its rules."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.models import User
from tests.factories import PASSWORD
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.one_database

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
