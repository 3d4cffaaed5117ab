"""A mail server that is away: what was done stays done, pages say so, and mails follow."""

import socket
from collections.abc import Callable, Iterator
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

pytestmark = pytest.mark.one_database

NEW = "another pass phrase"
WELCOME = {"email": "nora@example.org", "password1": PASSWORD, "password2": PASSWORD}
LINK = "The mail with the link could not be sent to {} yet"
NEWS = "This was done, but the mail about it could not be sent to {} yet"


@pytest.fixture(autouse=True)
def away(settings: Settings) -> Iterator[None]:
    """An address where nothing listens, as it is bound and refuses."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = bound.getsockname()
        yield


def person(*, verified: bool = True) -> User:
    user = UserFactory.create(username="Nora", email="nora@example.org")
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=verified)
    return user


def post(client: Client, name: str, **fields: str) -> str:
    response = client.post(reverse(name), fields, follow=True)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def sign_up(_settings: Settings) -> tuple[str, bool]:
    page = post(Client(), "account_signup", username="Nora", **WELCOME)
    return page, User.objects.filter(username="Nora").exists()


def sign_up_and_wait(settings: Settings) -> tuple[str, bool]:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    return sign_up(settings)


def log_in_unconfirmed(settings: Settings) -> tuple[str, bool]:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    person(verified=False)
    return post(Client(), "account_login", login="Nora", password=PASSWORD), True


def reset(_settings: Settings) -> tuple[str, bool]:
    person()
    return post(Client(), "account_reset_password", email="nora@example.org"), True


def reset_of_nobody(_settings: Settings) -> tuple[str, bool]:
    return post(Client(), "account_reset_password", email="nora@example.org"), True


def change(_settings: Settings) -> tuple[str, bool]:
    user, client = person(), Client()
    client.force_login(user)
    fields = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    page = post(client, "account_change_password", **fields)
    return page, User.objects.get().check_password(NEW)


def delete(_settings: Settings) -> tuple[str, bool]:
    user, client = person(), Client()
    client.force_login(user)
    page = post(client, "leaderboard:account-delete", password=PASSWORD)
    return page, not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("deed", "told"),
    [
        (sign_up, LINK),
        (sign_up_and_wait, LINK),
        (log_in_unconfirmed, LINK),
        (reset, LINK),
        (reset_of_nobody, LINK),
        (change, NEWS),
        (delete, NEWS),
    ],
)
def test_what_was_done_is_done_and_the_page_says_what_of_the_mail(
    deed: Callable[[Settings], tuple[str, bool]], told: str, settings: Settings
) -> None:
    page, done = deed(settings)
    assert done
    assert told.format("nora@example.org") in page
    assert "was sent" not in page
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert notices_mail(now=timezone.now() + timedelta(minutes=5)) == 1
    assert [message.to for message in mail.outbox] == [["nora@example.org"]]
    assert not WaitingMail.objects.exists(), "a link is stored no longer than it has to be"


def test_invitations_stand_with_a_link_to_send(cast: Cast) -> None:
    organise = reverse("leaderboard:manage-people", args=[cast.phase.challenge.slug])
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
def test_a_mail_that_cannot_be_sent_is_given_up_and_its_link_forgotten(
    settings: Settings,
) -> None:
    reset(settings)
    notices_mail(now=timezone.now() + timedelta(minutes=30))
    assert WaitingMail.objects.exists()
    notices_mail(now=timezone.now() + timedelta(hours=3))
    assert not WaitingMail.objects.exists()
