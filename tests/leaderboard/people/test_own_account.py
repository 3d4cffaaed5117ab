"""One's own account: the page that gathers it, its name, its notices, a copy of one's data."""

import json
import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Item
from leaderboard.models import AuditEvent, Submission, User
from leaderboard.services.people.accounts import token_create
from leaderboard.web.api_auth import token_user
from tests.annotation.conftest import make_project
from tests.factories import PASSWORD, UserFactory, submit
from tests.leaderboard.conftest import Cast

PAGE, RENAME, EXPORT = (f"/account/{part}" for part in ("", "name/", "export/"))


def exported(client: Client) -> dict[str, Any]:
    """Fetch a person's data as they get it."""
    response = client.get(EXPORT)
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    found: dict[str, Any] = json.loads(response.getvalue())
    return found


def test_the_page_says_how_things_stand_and_leads_on(cast: Cast) -> None:
    client, without = cast.client(cast.member), "you cannot reset a forgotten password"
    page = client.get(PAGE).content.decode()
    assert cast.member.email in page, "an address that only the user has is told, too"
    assert without not in page
    EmailAddress.objects.create(
        user=cast.member, email=cast.member.email, primary=True, verified=True
    )
    token_create(user=cast.member, name="laptop")
    page = client.get(PAGE).content.decode()
    assert "confirmed" in page
    for name in ("account_email", "account_change_password", "mfa_index", "leaderboard:tokens"):
        assert reverse(name) in page
    # No provider is configured, so that nothing is said of accounts elsewhere.
    assert "elsewhere" not in page
    EmailAddress.objects.all().delete()
    User.objects.filter(pk=cast.member.pk).update(email="")
    assert without in client.get(PAGE).content.decode()


def test_a_new_name_is_taken_and_the_trail_keeps_no_names(cast: Cast) -> None:
    client = cast.client(cast.member)
    # The same name in other letters is one's own.
    for name in (cast.member.username.upper(), "Nora"):
        assert client.post(RENAME, {"username": name}).status_code == 302
    cast.member.refresh_from_db()
    assert cast.member.username == "Nora"
    event = AuditEvent.objects.filter(action="account.rename").latest("pk")
    assert (event.actor, event.target) == (cast.member, f"User {cast.member.pk}")
    assert event.details == {}
    login = {"login": "nora", "password": PASSWORD}
    assert Client().post(reverse("account_login"), login).status_code == 302


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "required"),
        ("TAKEN", "Choose another name"),
        ("a b", "valid username"),
        ("x" * 151, "at most 150"),
        ("<script>", "valid username"),
    ],
)
def test_a_bad_name_is_refused_and_still_stands_in_its_field(
    cast: Cast, name: str, told: str
) -> None:
    UserFactory.create(username="taken")
    response = cast.client(cast.member).post(RENAME, {"username": name})
    page = response.content.decode()
    assert response.status_code == 422
    assert told in page
    # The header still says who one is.
    assert f'popovertarget="account-menu">{cast.member.username}</button>' in page
    assert "<script>" not in page.split("</head>")[1].replace('<script type="module"', "")
    cast.member.refresh_from_db()
    assert cast.member.username != name


def test_the_copy_has_all_that_is_ones_own(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, user=cast.member, name="Łódź <b>")
    submit(cast.phase, cast.team, user=cast.owner, name="Another's")
    token, secret = token_create(user=cast.member, name="laptop")
    client = cast.client(cast.member)
    client.post(RENAME, {"username": "Nora"})
    data = exported(client)
    assert data["profile"]["username"] == "Nora"
    assert data["profile"]["email"] == cast.member.email
    assert [row["team__slug"] for row in data["teams"]] == [cast.team.slug]
    (row,) = data["submissions"]
    assert (row["system_name"], row["public_id"]) == ("Łódź <b>", submission.public_id)
    assert row["file_sha256"] == submission.file_id
    assert [row["name"] for row in data["api_tokens"]] == ["laptop"]
    assert {row["action"] for row in data["acts"]} >= {"account.rename"}
    assert secret not in json.dumps(data)
    assert token.digest not in json.dumps(data)
    assert cast.member.password not in json.dumps(data)


def test_the_copy_has_ones_labels_and_nobody_elses(cast: Cast) -> None:
    project = make_project()
    items = list(Item.objects.filter(project=project)[:2])
    now = timezone.now()
    for user, item in ((cast.member, items[0]), (cast.owner, items[1])):
        Annotation.objects.create(
            item=item, user=user, edit="1", created_at=now, updated_at=now, comment=user.username
        )
    data = exported(cast.client(cast.member))
    (row,) = data["annotations"]
    assert (row["item__text"], row["comment"]) == (items[0].text, cast.member.username)


def test_another_address_needs_the_password_once_more(cast: Cast) -> None:
    """By an address of theirs, who finds a browser logged in could take the account for good."""
    client = cast.client(cast.member)
    page = reverse("account_email")
    asked = {"action_add": "", "email": "thief@example.com"}
    answer = client.post(page, asked)
    assert answer["Location"].startswith(reverse("account_reauthenticate"))
    assert not EmailAddress.objects.filter(email="thief@example.com").exists()
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    client.post(page, asked)
    assert EmailAddress.objects.filter(email="thief@example.com").exists()


def test_a_password_set_anew_by_mail_ends_all_tokens(cast: Cast) -> None:
    """Whoever had the password may have made one, and would keep the account by it."""
    _, secret = token_create(user=cast.member, name="thief")
    _, kept = token_create(user=cast.owner, name="laptop")
    Client().post(reverse("account_reset_password"), {"email": cast.member.email})
    link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[0].body))
    assert link
    client = Client()
    form = client.get(link[0])["Location"]
    password = "a quite new password 8"
    done = client.post(form, {"password1": password, "password2": password}, follow=True)
    assert "API tokens no longer work" in done.content.decode()
    assert "API tokens of the account no longer work" in str(mail.outbox[-1].body)
    cast.member.refresh_from_db()
    assert cast.member.check_password(password)
    now = timezone.now()
    assert token_user(secret=secret, now=now) is None
    assert token_user(secret=kept, now=now) == cast.owner


def test_who_left_a_team_does_not_read_what_it_says_since(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, user=cast.member)
    Submission.objects.filter(pk=submission.pk).update(description="Secret.", metadata={"a": "b"})
    client = cast.client(cast.member)
    assert exported(client)["submissions"][0]["description"] == "Secret."
    cast.team.memberships.filter(user=cast.member).delete()
    (row,) = exported(client)["submissions"]
    assert (row["public_id"], row["file_sha256"]) == (submission.public_id, submission.file_id)
    assert (row["description"], row["metadata"]) == (None, None)
