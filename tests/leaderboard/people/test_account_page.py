"""The account pages look like the site, work, and keep to its rules; and those of API tokens."""

import re

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


def test_signing_up_goes_on_to_where_one_was_going(cast: Cast, settings: Settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    client = Client()
    page = client.get(reverse("account_signup"), {"next": "/teams/"}).content.decode()
    assert '<input type="hidden" name="next" value="/teams/">' in page
    response = client.post(reverse("account_signup"), WELCOME | {"next": "/teams/"})
    assert response["Location"] == "/teams/"
    assert User.objects.get(username="Nora").email == "nora@example.org"
    assert client.get("/teams/").status_code == 200
    assert mail.outbox == []


def test_nobody_is_called_like_an_address(cast: Cast) -> None:
    """Names and addresses are written in the same fields: one must not stand in for the other."""
    client = Client()
    fields = {"email": "thief@example.com", "password1": PASSWORD, "password2": PASSWORD}
    page = client.post(reverse("account_signup"), {"username": "chair@example.org", **fields})
    assert page.status_code == 200
    assert "A user name has no @" in page.content.decode()
    assert not User.objects.filter(username__contains="@").exists()
    renamed = cast.client(cast.member).post(
        reverse("leaderboard:account"), {"act": "name", "username": cast.outsider.email}
    )
    assert renamed.status_code == 422


def test_mailed_links_lead_to_the_site_whatever_is_asked(cast: Cast, settings: Settings) -> None:
    """Who asks for somebody else's link to a new password must not choose where it leads."""
    settings.SITE_URL = "https://earmark.example.org"
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
    for email in (cast.member.email, "nobody@example.org"):
        for host in ("127.0.0.1:4444", "localhost:81"):
            asked = {"email": email}
            Client().post(reverse("account_reset_password"), asked, headers={"host": host})
            body = str(mail.outbox[-1].body)
            links = re.findall(r"https?://[^/\s]+", body)
            assert set(links) == {"https://earmark.example.org"}
            assert host not in body


TOKENS = reverse("leaderboard:tokens")


def test_a_tokens_secret_is_shown_once_and_works_until_deleted(cast: Cast) -> None:
    client = cast.client(cast.member)
    response = client.post(TOKENS, {"act": "new", "name": "laptop"})
    secret = response.context["secret"]
    assert response.status_code == 201
    assert secret in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    assert token_user(secret=secret, now=timezone.now()) == cast.member
    token_create(user=cast.owner, name="theirs")
    again = client.get(TOKENS).content.decode()
    assert (secret in again, "laptop" in again, "theirs" in again) == (False, True, False)
    assert secret[:9] in again, "its beginning tells it from others"
    delete = {"act": "delete", "token": ApiToken.objects.get(name="laptop").pk}
    assert cast.client(cast.owner).post(TOKENS, delete).status_code == 404
    assert token_user(secret=secret, now=timezone.now()) == cast.member
    assert client.post(TOKENS, delete)["Location"] == TOKENS
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


def test_where_it_is_optional_one_confirms_later(db: None, settings: Settings) -> None:
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


def test_strangers_do_not_learn_who_has_an_account_and_the_owner_does_by_mail(
    db: None, settings: Settings
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    user = User.objects.create_user("First", "nora@example.org", PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    assert "Confirm your address" in sign_up(Client())
    assert not User.objects.filter(username="Nora").exists()
    for address in ("nora@example.org", "nobody@example.org"):
        page = Client().post(reverse("account_reset_password"), {"email": address}, follow=True)
        assert "Check your e-mail" in page.content.decode()
        assert mail.outbox[-1].to == [address]
    assert [message.subject for message in mail.outbox] == [
        "Earmark: You already have an account",
        "Earmark: Set a new password",
        "Earmark: No account with this address",
    ]
