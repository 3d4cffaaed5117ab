"""Logging in with an account elsewhere: set up by the environment alone, trusted where checked."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.models import User
from leaderboard.web.social_providers import social_providers
from tests.factories import PASSWORD, UserFactory
from tests.leaderboard.people.openid_server import SECRET, Provider, configured, provider_running
from tests.real_data import ROOT

Response = Any
ANN = {
    "sub": "1234",
    "preferred_username": "ann",
    "email": "ann@campus.example",
    "email_verified": True,
}
LOGIN = "/accounts/oidc/campus/login/?process=login"


@pytest.fixture
def campus(db: None, settings: Settings) -> Iterator[Provider]:
    with provider_running(dict(ANN)) as provider:
        settings.SOCIALACCOUNT_PROVIDERS = social_providers(configured(provider))
        yield provider


def there_and_back(client: Client, start: str = LOGIN) -> Response:
    """Press the button, go to the provider as a browser does, and come back."""
    page = client.post(start).content.decode()
    (target,) = re.findall(r'http-equiv="refresh" content="0; url=([^"]+)"', page)
    back = requests.get(target.replace("&amp;", "&"), allow_redirects=False)
    return client.get(back.headers["Location"].replace("http://testserver", ""), follow=True)


def who(client: Client) -> str | None:
    number = client.session.get("_auth_user_id")
    return User.objects.get(pk=number).username if number else None


def test_a_new_person_chooses_the_name_and_is_in(campus: Provider) -> None:
    client = Client()
    page = there_and_back(client, f"{LOGIN}&next=/teams/")
    assert page.redirect_chain[-1][0] == reverse("socialaccount_signup")
    assert 'value="ann"' in page.content.decode()
    response = client.post(
        reverse("socialaccount_signup"), {"username": "quiet-owl", "email": ANN["email"]}
    )
    assert response["Location"] == "/teams/"
    user = User.objects.get(username="quiet-owl")
    assert who(client) == "quiet-owl"
    assert not user.has_usable_password()
    assert EmailAddress.objects.get(user=user).verified
    # The secret goes from server to server and is proved by a verifier besides.
    (posted,) = campus.posted
    assert posted["client_secret"] == [SECRET]
    assert "code_verifier" in posted
    # The only way in cannot be cut.
    form = {"account": SocialAccount.objects.get().pk}
    page = client.post(reverse("socialaccount_connections"), form)
    assert "Set a password first" in page.content.decode()
    assert SocialAccount.objects.exists()


def test_an_address_that_the_provider_did_not_check_is_not_trusted(campus: Provider) -> None:
    for number, claim in enumerate((False, "false", None)):
        email = f"{number}@campus.example"
        campus.claims |= {"sub": email, "email": email, "email_verified": claim}
        client = Client()
        there_and_back(client)
        form = {"username": f"ann{number}", "email": email}
        client.post(reverse("socialaccount_signup"), form)
        assert not EmailAddress.objects.get(email=email).verified


def test_only_its_owner_connects_an_account_of_that_address(campus: Provider) -> None:
    user = UserFactory.create(email=str(ANN["email"]))
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    stranger = Client()
    there_and_back(stranger)
    assert who(stranger) is None
    stranger.post(reverse("socialaccount_signup"), {"username": "new", "email": user.email})
    assert who(stranger) is None
    client = Client()
    client.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    there_and_back(client, LOGIN.replace("process=login", "process=connect"))
    assert not SocialAccount.objects.exists(), "it opens the account for good: say it once more"
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert SocialAccount.objects.get().user == user
    assert "External accounts" in client.get("/account/").content.decode()
    other = Client()
    there_and_back(other)
    assert who(other) == user.username


def test_a_provider_that_is_away_or_none_breaks_nothing(db: None, settings: Settings) -> None:
    for name in ("account_login", "account_signup"):
        assert "Continue with" not in Client().get(reverse(name)).content.decode()
    assert Client().post(LOGIN).status_code == 404
    with provider_running(dict(ANN)) as provider:
        settings.SOCIALACCOUNT_PROVIDERS = social_providers(configured(provider))
    page = Client().post(LOGIN)
    assert page.status_code == 502
    assert "The log-in failed" in page.content.decode()


def test_a_form_is_not_redirected_off_the_site(campus: Provider) -> None:
    """Browsers hold a redirect after a form to the policy's form-action."""
    response = Client().post(LOGIN)
    assert response.status_code == 200
    assert "Location" not in response
    assert "form-action 'self'" in response["Content-Security-Policy"]
    (target,) = re.findall(r'url=([^"]+)"', response.content.decode())
    asked = parse_qs(urlsplit(target.replace("&amp;", "&")).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert "client_secret" not in asked
    page = Client().get("/accounts/oidc/campus/login/callback/?code=c&state=made-up")
    assert "The log-in failed" in page.content.decode(), "nobody asked that"
    assert not User.objects.exists()


def test_a_site_with_every_provider_starts_and_shows_its_buttons(tmp_path: Path) -> None:
    """In a process of its own: which apps there are is settled when Django starts."""
    client = {"client_id": "a", "secret": "b"}
    campus = client | {"id": "campus", "name": "Campus", "server_url": "https://id.example.org"}
    told = json.dumps({"github": client, "google": client, "openid_connect": [campus]})
    asked = (
        "import django; django.setup()\n"
        "from django.core.management import call_command; call_command('migrate', verbosity=0)\n"
        "from django.test import Client; from django.test.utils import setup_test_environment\n"
        "setup_test_environment(); c = Client()\n"
        "print(c.get('/accounts/login/').content.decode())\n"
        "for name in ('github', 'google'):\n"
        "    page = c.post(f'/accounts/{name}/login/?process=login')\n"
        "    print(page.status_code, page.content.decode())\n"
    )
    environment = os.environ | {
        "EARMARK_SOCIAL": told,
        "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    run = subprocess.run(
        [sys.executable, "-c", asked],
        capture_output=True, text=True, check=True, cwd=ROOT, env=environment,
    )  # fmt: skip
    for name in ("GitHub", "Google", "Campus"):
        assert f"Continue with {name}" in run.stdout
    assert "https://github.com/login/oauth/authorize" in run.stdout
    assert "https://accounts.google.com/o/oauth2" in run.stdout


CLIENT_OF = {"client_id": "a", "secret": "b"}
ENTRY = {"id": "campus", "name": "Campus", "server_url": "https://id.example.org", **CLIENT_OF}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        (json.dumps({"facebook": CLIENT_OF}), "'facebook' is not known"),
        (json.dumps({"github": {"client_id": "a"}}), "github lacks secret"),
        (json.dumps({"google": "x"}), "google must be an object"),
        (json.dumps({"openid_connect": ENTRY}), "is a list"),
        (json.dumps({"openid_connect": [ENTRY, ENTRY]}), "same id"),
        (json.dumps({"openid_connect": [ENTRY | {"id": "Cam pus"}]}), "number 1: the id"),
        (
            json.dumps({"openid_connect": [ENTRY | {"server_url": "http://id.example.org"}]}),
            "must begin with https",
        ),
        (json.dumps({"openid_connect": [ENTRY | {"name": " "}]}), "lacks name"),
    ],
)
def test_a_mistake_in_the_environment_is_named(given: str, told: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="EARMARK_SOCIAL") as refused:
        social_providers(given)
    assert told in str(refused.value)
