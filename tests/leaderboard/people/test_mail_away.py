"""A mail server that is away: what was done stays done, pages say so, and mails follow."""

import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.models import Invitation
from leaderboard.models import OrganiserInvitation, User, WaitingMail
from leaderboard.services.people.notices import notices_mail
from tests.annotation.conftest import make_project
from tests.factories import PASSWORD, UserFactory
from tests.leaderboard.conftest import Cast

NEW = "another pass phrase"
ADDRESS = {"email": "nora@example.org"}
WELCOME = {"username": "Nora", **ADDRESS, "password1": PASSWORD, "password2": PASSWORD}
CHANGE = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
LOG_IN = {"login": "Nora", "password": PASSWORD}
LEAVE = {"act": "delete", "password": PASSWORD}
LINK = "The mail with the link could not be sent to nora@example.org yet"
NEWS = "This was done, but the mail about it could not be sent to nora@example.org yet"


@pytest.fixture(autouse=True)
def away(settings: Settings) -> Iterator[None]:
    """An address where nothing listens, as it is bound and refuses."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = bound.getsockname()
        yield


def account() -> User:
    user = UserFactory.create(username="Nora", **ADDRESS)
    EmailAddress.objects.create(user=user, email=user.email, primary=True)
    return user


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("mode", "known", "name", "fields", "told", "left"),
    [
        ("optional", False, "account_signup", WELCOME, LINK, PASSWORD),
        ("mandatory", False, "account_signup", WELCOME, LINK, PASSWORD),
        ("mandatory", True, "account_login", LOG_IN, LINK, PASSWORD),
        ("optional", True, "account_reset_password", ADDRESS, LINK, PASSWORD),
        # Strangers read the same where there is no account.
        ("optional", False, "account_reset_password", ADDRESS, LINK, None),
        ("optional", True, "account_change_password", CHANGE, NEWS, NEW),
        ("optional", True, "leaderboard:account", LEAVE, NEWS, None),
    ],
)
def test_what_was_done_is_done_and_the_page_says_what_of_the_mail(
    settings: Settings,
    mode: str,
    known: bool,
    name: str,
    fields: dict[str, str],
    told: str,
    left: str | None,
) -> None:
    """``left``: the password of the account afterwards, None where there is none."""
    settings.ACCOUNT_EMAIL_VERIFICATION = mode
    client = Client()
    if known:
        user = account()
        if told == NEWS:
            client.force_login(user)
    response = client.post(reverse(name), fields, follow=True)
    assert response.status_code == 200
    page = " ".join(response.content.decode().split())
    assert told in page
    assert "was sent" not in page
    works = [left is not None and user.check_password(left) for user in User.objects.all()]
    assert works == ([] if left is None else [True])
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert notices_mail(now=timezone.now() + timedelta(minutes=5)) == 1
    assert [message.to for message in mail.outbox] == [["nora@example.org"]]
    assert not WaitingMail.objects.exists(), "a link is stored no longer than it has to be"


def test_invitations_stand_with_a_link_to_send(cast: Cast) -> None:
    organise = cast.managed("people")
    label = reverse("annotation:people-invite", args=[make_project(cast.organiser).slug])
    for address, fields, rows in (
        (organise, {"who": "nora@example.org"}, OrganiserInvitation.objects),
        (
            label,
            {"email": "nora@example.org", "role": "annotator", "days": 1, "uses": 1},
            Invitation.objects,
        ),
    ):
        answer: Any = cast.client(cast.organiser).post(address, fields, follow=True)
        assert "could not be sent yet" in answer.content.decode(), answer
        assert rows.count() == 1
    assert WaitingMail.objects.count() == 2


@pytest.mark.django_db
def test_a_mail_that_cannot_be_sent_is_given_up_and_its_link_forgotten() -> None:
    Client().post(reverse("account_reset_password"), ADDRESS)
    notices_mail(now=timezone.now() + timedelta(minutes=30))
    assert WaitingMail.objects.exists()
    notices_mail(now=timezone.now() + timedelta(hours=3))
    assert not WaitingMail.objects.exists()
