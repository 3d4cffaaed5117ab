"""A second factor through the real pages: an app's codes, recovery codes, and their keeping."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from leaderboard.models import User
from leaderboard.web.account_adapters import MfaAdapter
from tests.factories import PASSWORD, UserFactory

Response = Any


def code(secret: str) -> str:
    """Compute what an app shows now."""
    counters = list(yield_hotp_counters_from_time())
    return format_hotp_value(hotp_value(secret, counters[len(counters) // 2]))


@pytest.fixture
def person(db: None) -> User:
    user = UserFactory.create()
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


def log_in(user: User) -> tuple[Client, Response]:
    client = Client()
    response = client.post(
        reverse("account_login"), {"login": user.username, "password": PASSWORD}, follow=True
    )
    return client, response


def trusted(user: User) -> Client:
    """Log in and say the password once more, as every change of factors asks for."""
    client, _ = log_in(user)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return client


def set_up(client: Client) -> str:
    """Set an app up as a person does; give the secret that it was shown."""
    page = client.get(reverse("mfa_activate_totp")).content.decode()
    (secret,) = re.findall(r"<code>([A-Z2-7]+)</code>", page)
    response = client.post(reverse("mfa_activate_totp"), {"code": code(secret)})
    assert response.status_code == 302, response.content.decode()
    # The code of this half minute is spent; the tests go on within it.
    cache.clear()
    return str(secret)


def logged_in(client: Client) -> bool:
    return client.get(reverse("leaderboard:account")).status_code == 200


def test_after_the_password_the_code_is_asked_for(person: User) -> None:
    client, _ = log_in(person)
    asked = client.get(reverse("mfa_activate_totp"), follow=True)
    assert "Confirm that it is you" in asked.content.decode()
    secret = set_up(trusted(person))
    stranger, page = log_in(person)
    assert page.redirect_chain[-1][0] == reverse("mfa_authenticate")
    assert not logged_in(stranger)
    refused = stranger.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert "This code is wrong" in refused.content.decode()
    assert not logged_in(stranger)
    stranger.post(reverse("mfa_authenticate"), {"code": code(secret)})
    assert logged_in(stranger)
    other, _ = log_in(person)
    for guess in range(12):
        other.post(reverse("mfa_authenticate"), {"code": f"{guess:06}"})
    other.post(reverse("mfa_authenticate"), {"code": code(secret)})
    assert not logged_in(other)


def test_a_code_opens_once(person: User) -> None:
    client = trusted(person)
    secret = set_up(client)
    shown = code(secret)
    first, _ = log_in(person)
    first.post(reverse("mfa_authenticate"), {"code": shown})
    second, _ = log_in(person)
    second.post(reverse("mfa_authenticate"), {"code": shown})
    assert logged_in(first)
    assert not logged_in(second)


def test_a_recovery_code_opens_once_and_is_counted_off(person: User) -> None:
    client = trusted(person)
    set_up(client)
    page = client.get(reverse("mfa_view_recovery_codes")).content.decode()
    (listed,) = re.findall(r'<pre class="codes"[^>]*>(.*?)</pre>', page, re.DOTALL)
    codes = listed.split()
    assert len(codes) == 10
    stranger, _ = log_in(person)
    stranger.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert logged_in(stranger)
    again, _ = log_in(person)
    again.post(reverse("mfa_authenticate"), {"code": codes[0]})
    assert not logged_in(again)
    assert "9 of 10 left" in client.get(reverse("mfa_index")).content.decode()


@pytest.mark.django_db(transaction=True)
def test_every_change_is_told_by_mail_and_it_can_be_turned_off(person: User) -> None:
    client = trusted(person)
    set_up(client)
    client.post(reverse("mfa_generate_recovery_codes"))
    client.post(reverse("mfa_deactivate_totp"))
    assert not Authenticator.objects.filter(user=person).exists()
    assert logged_in(log_in(person)[0])
    assert [message.subject for message in mail.outbox] == [
        "Earmark: An authenticator app was set up",
        "Earmark: New recovery codes",
        "Earmark: The authenticator app was turned off",
    ]
    for message in mail.outbox:
        assert message.to == [person.email]
        assert "If it was not you" in message.body


def test_a_password_set_anew_by_mail_does_not_go_round_the_second_factor(person: User) -> None:
    client = trusted(person)
    set_up(client)
    stranger = Client()
    stranger.post(reverse("account_reset_password"), {"email": person.email})
    link = next(word for word in mail.outbox[-1].body.split() if "/password/reset/key/" in word)
    page = stranger.get(link.replace("http://testserver", ""), follow=True)
    new = {"password1": "a new pass phrase", "password2": "a new pass phrase"}
    stranger.post(page.request["PATH_INFO"], new)
    assert not logged_in(stranger)


def test_without_a_confirmed_address_one_reads_what_to_do(person: User) -> None:
    EmailAddress.objects.update(verified=False)
    client = trusted(person)
    page = client.get(reverse("mfa_activate_totp"), follow=True)
    assert "Confirm your e-mail addresses first" in page.content.decode()
    assert page.redirect_chain[-1][0] == reverse("mfa_index")


def test_secrets_are_encrypted_and_outlive_a_new_key(person: User, settings: Settings) -> None:
    client = trusted(person)
    secret = set_up(client)
    stored = Authenticator.objects.get(type=Authenticator.Type.TOTP).data["secret"]
    assert secret not in stored
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key that is long enough for anyone to be content with"
    assert MfaAdapter().decrypt(stored) == secret


def test_without_the_earlier_secret_key_one_reads_what_opens_the_account(
    person: User, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    set_up(trusted(person))
    settings.SECRET_KEY = "another key that is long enough for anyone to be content with"
    for shown in ("000000", "abcd efgh"):
        stranger, _ = log_in(person)
        answer = stranger.post(reverse("mfa_authenticate"), {"code": shown})
        assert answer.status_code == 403
        assert "security key still works" in answer.content.decode()
        assert not logged_in(stranger)
    assert "SECRET_KEY_FALLBACKS" in caplog.text
