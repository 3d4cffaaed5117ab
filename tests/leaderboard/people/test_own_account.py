"""One's own account: the page that gathers it, its name, its notices, a copy of one's data."""

import json
import re
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation
from annotation.services.projects import member_add
from leaderboard.models import (
    ApiToken,
    AuditEvent,
    Membership,
    Submission,
    Team,
    TeamInvitation,
    TeamRole,
    User,
)
from leaderboard.services.people.accounts import token_create
from leaderboard.services.people.teams import invitation_create, team_create
from leaderboard.web.api_auth import token_user
from tests.annotation.conftest import make_project
from tests.factories import NOW, PASSWORD, UserFactory, submit
from tests.leaderboard.conftest import Cast

PAGE = "/account/"
RENAME, EXPORT, DELETE = (f"{PAGE}?act={act}" for act in ("name", "export", "delete"))


def exported(client: Client) -> dict[str, Any]:
    """Fetch a person's data as they get it."""
    response = client.get(EXPORT)
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    found: dict[str, Any] = json.loads(response.getvalue())
    return found


def test_the_page_says_how_things_stand(cast: Cast) -> None:
    client, without = cast.client(cast.member), "you cannot reset a forgotten password"
    page = client.get(PAGE).content.decode()
    assert cast.member.email in page, "an address that only the user has is told, too"
    # No provider is configured, so that nothing is said of accounts elsewhere.
    assert (without in page, "elsewhere" in page) == (False, False)
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


def test_a_bad_name_is_refused_and_the_header_still_says_who_one_is(cast: Cast) -> None:
    UserFactory.create(username="taken")
    client, before = cast.client(cast.member), cast.member.username
    for name, told in (
        ("", "required"),
        ("TAKEN", "Choose another name"),
        ("a b", "valid username"),
        ("x" * 151, "at most 150"),
        ("<script>", "valid username"),
    ):
        response = client.post(RENAME, {"username": name})
        page = response.content.decode()
        assert response.status_code == 422
        assert told in page
        assert f'popovertarget="account-menu">{before}</button>' in page
        assert "<script>" not in page.split("</head>")[1].replace('<script type="module"', "")
    cast.member.refresh_from_db()
    assert cast.member.username == before


def test_the_copy_has_all_that_is_ones_own_and_nobody_elses(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, user=cast.member, name="Łódź <b>")
    submit(cast.phase, cast.team, user=cast.owner, name="Another's")
    token, secret = token_create(user=cast.member, name="laptop")
    items, now = list(make_project().items.all()[:2]), timezone.now()
    for user, item in ((cast.member, items[0]), (cast.owner, items[1])):
        Annotation.objects.create(
            item=item, user=user, edit="1", created_at=now, updated_at=now, comment=user.username
        )
    client, comment = cast.client(cast.member), cast.member.username
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
    (row,) = data["annotations"]
    assert (row["item__text"], row["comment"]) == (items[0].text, comment)
    for kept in (secret, token.digest, cast.member.password):
        assert kept not in json.dumps(data)


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


def farewell(client: Client, **fields: str) -> int:
    return client.post(DELETE, fields or {"password": PASSWORD}).status_code


def gone(user: User) -> bool:
    return not User.objects.filter(pk=user.pk).exists()


def test_everything_personal_goes_and_the_trail_keeps_the_number_alone(cast: Cast) -> None:
    EmailAddress.objects.create(user=cast.member, email=cast.member.email, primary=True)
    token_create(user=cast.member, name="laptop")
    invitation_create(team=cast.team, actor=cast.member, now=NOW)
    client, other_browser = cast.client(cast.member), cast.client(cast.member)
    number, name = cast.member.pk, cast.member.username
    assert "Deleted:" in client.get(DELETE).content.decode()
    assert farewell(client) == 302
    assert gone(cast.member)
    assert not EmailAddress.objects.filter(email=cast.member.email).exists()
    for table in (ApiToken, TeamInvitation):
        assert not table.objects.exists()
    assert not Membership.objects.filter(user_id=number).exists()
    sessions = [row.get_decoded().get("_auth_user_id") for row in Session.objects.all()]
    assert str(number) not in sessions
    for browser in (client, other_browser):
        assert browser.get(reverse("leaderboard:account")).status_code == 302
    assert mail.outbox[-1].to == [cast.member.email]
    assert "was deleted" in mail.outbox[-1].subject
    event = AuditEvent.objects.get(action="account.delete")
    assert (event.actor_id, event.target) == (number, f"User {number}")
    told = " ".join(f"{row.target} {row.details}" for row in AuditEvent.objects.all())
    assert name not in told.split()


def test_what_was_submitted_stays_under_the_teams_name(cast: Cast) -> None:
    team, empty = (
        team_create(name=name, affiliation="", owner=cast.outsider, now=NOW)
        for name in ("Alone", "Empty")
    )
    submission = submit(cast.phase, team, user=cast.outsider)
    assert farewell(cast.client(cast.outsider)) == 302
    kept = Submission.objects.get(pk=submission.pk)
    assert (kept.team, kept.submitted_by, kept.team.created_by) == (team, None, None)
    assert not Team.objects.filter(pk=empty.pk).exists()
    page = Client().get(cast.at("board"))
    assert page.status_code == 200
    assert cast.outsider.username not in page.content.decode()
    farewell(cast.client(cast.member))
    assert list(cast.team.memberships.values_list("user", flat=True)) == [cast.owner.pk]


def test_without_the_password_nothing_happens_and_guessing_it_is_slowed_down(cast: Cast) -> None:
    client = cast.client(cast.member)
    for fields in ({"password": ""}, {"x": "y"}):
        assert farewell(client, **fields) == 422
    codes = [farewell(client, password=f"guess {number}") for number in range(7)]
    assert (codes[0], codes[-1]) == (422, 429)
    assert not gone(cast.member)


def test_who_has_no_password_types_the_name(cast: Cast) -> None:
    cast.member.set_unusable_password()
    cast.member.save()
    client = cast.client(cast.member)
    assert farewell(client, username="another") == 422
    assert not gone(cast.member)
    assert farewell(client, username=cast.member.username) == 302
    assert gone(cast.member)


def test_the_only_owner_of_a_team_with_others_reads_what_to_do(cast: Cast) -> None:
    client = cast.client(cast.owner)
    page = client.get(DELETE).content.decode()
    assert "only owner of " + cast.team.name in page
    assert "Make one of them an owner first" in page
    assert farewell(client) == 422
    assert not gone(cast.owner)
    cast.team.memberships.filter(user=cast.member).update(role=TeamRole.OWNER)
    User.objects.filter(pk=cast.member.pk).update(is_active=False)
    assert farewell(client) == 422, "who is shut out is no other owner"
    assert not AuditEvent.objects.filter(action="account.delete").exists()
    User.objects.filter(pk=cast.member.pk).update(is_active=True)
    assert farewell(client) == 302


def test_the_only_one_who_runs_something_hands_it_over_first(cast: Cast) -> None:
    project, boss = make_project(cast.outsider), UserFactory.create(is_superuser=True)
    member_add(project=project, user=cast.member)
    for user, said in (
        (cast.organiser, "Hand it over"),
        (cast.outsider, f"only manager of {project.name}"),
        (boss, ""),
    ):
        client = cast.client(user)
        assert said in client.get(DELETE).content.decode()
        assert farewell(client) == 422
    UserFactory.create(is_superuser=True)
    project.members.filter(user=cast.member).update(role="manager")
    cast.phase.challenge.organisers.add(cast.owner)
    for user in (cast.organiser, cast.outsider, boss):
        assert farewell(cast.client(user)) == 302
    assert list(cast.phase.challenge.organisers.all()) == [cast.owner]


def test_what_was_labelled_stays_without_the_name(cast: Cast) -> None:
    project = make_project()
    member_add(project=project, user=cast.member)
    item, now = project.items.all()[0], timezone.now()
    Annotation.objects.create(item=item, user=cast.member, edit="1", created_at=now, updated_at=now)
    assert farewell(cast.client(cast.member)) == 302
    left = Annotation.objects.get(item=item)
    assert left.user_id != cast.member.pk
    assert cast.member.username not in left.user.username
    assert not left.user.is_active
