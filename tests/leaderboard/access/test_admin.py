"""Protect the admin: its pages work, load no binary column, and change nothing they must not."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from earmark.captions import References
from leaderboard.models import (
    ApiToken,
    AuditEvent,
    Challenge,
    Evaluation,
    EvaluationState,
    Phase,
    ReferenceSet,
    Submission,
    Team,
    TeamRole,
    User,
)
from leaderboard.services.labellers.using import labeller_put_to_use
from leaderboard.services.people.accounts import token_create
from tests.annotation.conftest import make_project
from tests.factories import NOW, ChallengeFactory, PhaseFactory, finish, reference_set, submit
from tests.labellers import registered
from tests.leaderboard.conftest import Cast

ROOT = "/admin/leaderboard"
BINARY = re.compile(r'"(payload|per_clip|content)"')
MODELS = (
    "apitoken",
    "auditevent",
    "challenge",
    "evaluation",
    "phase",
    "referenceset",
    "submission",
    "team",
    "user",
)


@pytest.fixture
def submission(cast: Cast) -> Submission:
    found = submit(cast.phase, cast.team, user=cast.member, name="<b>System</b>")
    finish(found)
    token_create(user=cast.member, name="laptop")
    return found


@pytest.fixture
def root(cast: Cast) -> Client:
    user = User.objects.create_superuser("root", "root@example.org", "x")
    return cast.client(user)


def pk_of(model: str, cast: Cast, submission: Submission) -> int:
    return {
        "apitoken": lambda: ApiToken.objects.get().pk,
        "auditevent": lambda: AuditEvent.objects.latest("pk").pk,
        "challenge": lambda: cast.phase.challenge_id,
        "evaluation": lambda: Evaluation.objects.latest("pk").pk,
        "phase": lambda: cast.phase.pk,
        "referenceset": lambda: ReferenceSet.objects.get().pk,
        "submission": lambda: submission.pk,
        "team": lambda: cast.team.pk,
        "user": lambda: cast.member.pk,
    }[model]()


def test_pages_load_without_binary_columns(
    root: Client, cast: Cast, submission: Submission
) -> None:
    for model in MODELS:
        pk = pk_of(model, cast, submission)
        for path in (f"{ROOT}/{model}/", f"{ROOT}/{model}/?q=x", f"{ROOT}/{model}/{pk}/change/"):
            with CaptureQueriesContext(connection) as queries:
                response = root.get(path)
            assert response.status_code == 200, path
            assert b"<b>System</b>" not in response.content
            for query in queries.captured_queries:
                assert not BINARY.search(query["sql"]), query["sql"]


def test_what_has_submissions_cannot_be_deleted(
    root: Client, cast: Cast, submission: Submission
) -> None:
    for model in ("challenge", "phase", "team"):
        root.post(f"{ROOT}/{model}/{pk_of(model, cast, submission)}/delete/", {"post": "yes"})
    assert Challenge.objects.filter(pk=cast.phase.challenge_id).exists()
    assert Phase.objects.filter(pk=cast.phase.pk).exists()
    assert Team.objects.filter(pk=cast.team.pk).exists()


# What is made and kept by the site: nobody adds or changes it, nor deletes any but a token.
ITS_OWN = ("apitoken", "auditevent", "evaluation", "referenceset", "submission")


def test_what_nobody_adds_changes_or_deletes(
    root: Client, cast: Cast, submission: Submission
) -> None:
    """But for tokens, which are revoked; and no digest or caption is shown."""
    token = ApiToken.objects.get()
    for model in ITS_OWN:
        pk = pk_of(model, cast, submission)
        assert root.get(f"{ROOT}/{model}/add/").status_code == 403
        path = f"{ROOT}/{model}/{pk}/change/"
        assert root.post(path, {"name": "changed"}).status_code == 403
        for shown in (root.get(path).content, root.get(f"{ROOT}/{model}/").content):
            for secret in (b'name="_save"', b"Rain falls", token.digest.encode()):
                assert secret not in shown
        if model != "apitoken":
            assert root.post(f"{ROOT}/{model}/{pk}/delete/", {"post": "yes"}).status_code == 403
            form = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
            root.post(f"{ROOT}/{model}/", form)
            assert pk_of(model, cast, submission) == pk
    root.post(f"{ROOT}/apitoken/{token.pk}/delete/", {"post": "yes"})
    assert not ApiToken.objects.exists()
    event = AuditEvent.objects.get(action="admin.delete")
    assert event.actor == User.objects.get(username="root")


def test_retry_by_action_with_the_right_alone(
    root: Client,
    cast: Cast,
    submission: Submission,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    cast.outsider.is_staff = True
    cast.outsider.save()
    Evaluation.objects.filter(family="bleu").update(state=EvaluationState.FAILED)
    form = {"action": "retry_failed", "_selected_action": [submission.pk]}
    assert cast.client(cast.outsider).post(f"{ROOT}/submission/", form).status_code == 403
    with django_capture_on_commit_callbacks() as sent:
        response = root.post(f"{ROOT}/submission/", form, follow=True)
    assert b"Evaluations that wait again: 1." in response.content
    assert Evaluation.objects.get(family="bleu").state == EvaluationState.PENDING
    assert len(sent) == 1
    assert AuditEvent.objects.filter(action="submission.retry", actor__username="root").exists()


def phase_form(phase: Phase, **changes: object) -> dict[str, object]:
    return {
        "challenge": phase.challenge_id,
        "slug": phase.slug,
        "name": phase.name,
        "position": 0,
        "reference_set": phase.reference_set_id,
        "ranking_metric": "cider_d",
        "precision": 3,
        "counting": "best",
        **changes,
    }


def test_references_of_a_phase_and_who_sees_them_stay(root: Client, cast: Cast) -> None:
    other = reference_set(References.build([("a.wav", ["a", "b"])]))
    path = f"{ROOT}/phase/{cast.phase.pk}/change/"
    before = cast.phase.reference_set_id
    response = root.post(path, phase_form(cast.phase, reference_set=other.pk, name="Renamed"))
    assert response.status_code == 302
    cast.phase.refresh_from_db()
    assert (cast.phase.name, cast.phase.reference_set_id) == ("Renamed", before)
    assert cast.phase.references_public
    assert AuditEvent.objects.filter(action="admin.change").exists()


def test_new_phases_have_the_labeller_in_use(
    root: Client, cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    settings.LABELLERS_DIR = tmp_path
    row, challenge = registered(), cast.phase.challenge
    labeller_put_to_use(labeller=row, reason="", actor=None, now=NOW)
    phase = PhaseFactory.build(challenge=challenge, reference_set=None, slug="second")
    assert root.post(f"{ROOT}/phase/add/", phase_form(phase, reference_set="")).status_code == 302
    form = {"title": "T", "slug": "below-it", "time_zone": "UTC"}
    form |= {"phases-TOTAL_FORMS": "1", "phases-INITIAL_FORMS": "0", "phases-0-position": "2"}
    form |= {"phases-0-slug": "third", "phases-0-name": "Third"}
    assert root.post(f"{ROOT}/challenge/add/", form).status_code == 302
    expected = {"aces": {"labeller": row.identity}}
    found = dict(Phase.objects.values_list("slug", "parameters"))
    assert found == {cast.phase.slug: {}, "second": expected, "third": expected}


def test_the_admin_keeps_the_strict_policy(root: Client, cast: Cast) -> None:
    policy = root.get(f"{ROOT}/phase/add/")["Content-Security-Policy"]
    assert "unsafe" not in policy


@pytest.fixture
def staff(cast: Cast) -> User:
    """A member of staff with every right that can be given one by one."""
    cast.outsider.is_staff = True
    cast.outsider.save()
    cast.outsider.user_permissions.set(Permission.objects.all())
    return cast.outsider


def test_what_an_error_said_is_for_organisers(
    cast: Cast, submission: Submission, staff: User
) -> None:
    submission.evaluations.update(detail="KeyError: 'A dog barks twice in a yard.'")
    client = cast.client(staff)
    challenge = f"{ROOT}/challenge/{cast.phase.challenge_id}/change/"
    told = [
        f"{ROOT}/{model}/{pk_of(model, cast, submission)}/change/"
        for model in ("evaluation", "submission")
    ]
    for is_organiser in (False, True):
        if is_organiser:
            submission.phase.challenge.organisers.add(staff)
        for address in told:
            shown = client.get(address).content.decode()
            assert ("A dog barks twice" in shown) is is_organiser
        fields = client.get(challenge).context["adminform"].form.fields
        assert ("organisers" in fields) is is_organiser


def test_staff_give_themselves_no_rights(cast: Cast, staff: User) -> None:
    client = cast.client(staff)
    own = f"{ROOT}/user/{staff.pk}/change/"
    form = client.get(own).context["adminform"].form
    assert "is_active" in form.fields
    assert {"is_staff", "is_superuser", "groups", "user_permissions"}.isdisjoint(form.fields)
    client.post(own, {"username": staff.username, "is_superuser": "on", "date_joined_0": "x"})
    assert not User.objects.get(pk=staff.pk).is_superuser


def test_who_is_put_into_a_team_is_noted(root: Client, cast: Cast) -> None:
    rows = {
        "name": cast.team.name,
        "slug": cast.team.slug,
        "affiliation": "",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "0",
        "memberships-0-user": str(cast.outsider.pk),
        "memberships-0-role": "owner",
    }
    answer = root.post(f"{ROOT}/team/{cast.team.pk}/change/", rows)
    assert answer.status_code == 302
    event = AuditEvent.objects.get(action="admin.add")
    assert f"{cast.outsider} in {cast.team}" in event.target


PASSWORD_FORM = {"password1": "taken over 123", "password2": "taken over 123"}


RIGHTS: dict[str, Callable[[User], object]] = {
    "organises": lambda user: user.organised_challenges.set([ChallengeFactory.create()]),
    "leads": make_project,
    "staff": lambda user: User.objects.filter(pk=user.pk).update(is_staff=True),
    "all rights": lambda user: User.objects.filter(pk=user.pk).update(is_superuser=True),
    "in a group": lambda user: user.groups.create(name="helpers"),
}


@pytest.mark.parametrize("rights", RIGHTS)
def test_staff_change_no_account_that_has_rights(cast: Cast, staff: User, rights: str) -> None:
    person, client = cast.member, cast.client(staff)
    RIGHTS[rights](person)
    page = f"{ROOT}/user/{person.pk}"
    before = User.objects.filter(pk=person.pk).values_list("password", "email", "is_active").get()
    selected = {"action": "delete_selected", "_selected_action": [person.pk], "post": "yes"}
    for address, form in (
        (f"{page}/password/", PASSWORD_FORM),
        (f"{page}/change/", {"username": person.username, "email": "mine@example.org"}),
        (f"{page}/delete/", {"post": "yes"}),
        (f"{ROOT}/user/", selected),
    ):
        assert client.post(address, form).status_code == 403, address
    after = User.objects.filter(pk=person.pk).values_list("password", "email", "is_active").get()
    assert after == before
    plain = f"{ROOT}/user/{cast.owner.pk}/password/"
    assert client.post(plain, PASSWORD_FORM).status_code == 302


def test_no_table_lets_staff_log_in_as_another(cast: Cast, root: Client, staff: User) -> None:
    for table in (
        "account/emailaddress",
        "auth/group",
        "mfa/authenticator",
        "socialaccount/socialaccount",
        "socialaccount/socialapp",
        "socialaccount/socialtoken",
    ):
        assert cast.client(staff).get(f"/admin/{table}/").status_code == 403
        assert cast.client(staff).post(f"/admin/{table}/add/", {}).status_code == 403
        assert root.get(f"/admin/{table}/add/").status_code == 200


@pytest.mark.parametrize("who", ["organiser", "owner"])
def test_deleting_leaves_nothing_without_its_last_one(cast: Cast, root: Client, who: str) -> None:
    person = getattr(cast, who)
    both = [person.pk, cast.outsider.pk]
    several = {"action": "delete_selected", "_selected_action": both, "post": "yes"}
    one = f"{ROOT}/user/{person.pk}/delete/"
    for address, form in ((f"{ROOT}/user/", several), (one, {"post": "yes"})):
        assert "the only" in root.post(address, form).content.decode()
    cast.phase.challenge.organisers.add(cast.outsider)
    if who == "organiser":
        answer = root.post(f"{ROOT}/user/", several)
        assert answer.status_code == 403, "nor the last two together"
        assert "the only organiser of" in answer.content.decode()
    assert User.objects.filter(pk__in=both).count() == 2
    cast.team.memberships.filter(user=cast.member).update(role=TeamRole.OWNER)
    assert root.post(one, {"post": "yes"}).status_code == 302
    assert not User.objects.filter(pk=person.pk).exists()
    event = AuditEvent.objects.get(action="account.delete")
    assert event.actor == User.objects.get(username="root")
