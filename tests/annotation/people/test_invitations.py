"""Invitations into a project: who joins by a link, and which links do not work."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from annotation.models import Invitation, Member, Role
from annotation.services.invitations import MOST_OPEN
from annotation.services.projects import member_add, slug_for
from leaderboard.models import AuditEvent, User
from tests.annotation.conftest import Crew, make_project
from tests.annotation.projects.manage_page import page, post, show
from tests.factories import UserFactory

FORM = {"role": "annotator", "days": "14", "uses": "1", "email": ""}


def invite(crew: Crew, maker: User | None = None, **form: str) -> str:
    """Make an invitation; returns the path of its link."""
    response = post(crew, "members/invite/", FORM | form, maker)
    assert response.status_code == 200
    found = re.search(r"/annotate/join/[\w-]+/", response.content.decode())
    assert found
    return found[0]


def role_of(crew: Crew, user: User) -> str:
    return crew.project.members.get(user=user).role


@pytest.mark.parametrize("role", Role.values)
def test_whoever_has_the_link_joins_in_its_role_after_a_question(crew: Crew, role: str) -> None:
    link = invite(crew, role=role)
    client = crew.client(crew.outsider)
    asked = client.get(link).content.decode()
    assert f"Join {crew.project.name}" in asked
    assert not crew.project.members.filter(user=crew.outsider).exists(), "asking joins nobody"
    response = client.post(link)
    assert response["Location"] == reverse("annotation:guidelines", args=[crew.project.slug])
    assert role_of(crew, crew.outsider) == role
    assert f"{crew.outsider} joined by an invitation: {role}" in show(crew)


def test_the_token_is_neither_stored_nor_logged(
    crew: Crew, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "earmark.access")
    link = invite(crew)
    token = link.split("/")[-2]
    for method in ("get", "post"):
        getattr(crew.client(crew.outsider), method)(link)
    assert token not in str(list(Invitation.objects.values()))
    assert token not in str(list(AuditEvent.objects.values()))
    assert token not in caplog.text
    assert "/annotate/join/<token>/" in caplog.text.replace("%3C", "<").replace("%3E", ">")
    assert token not in show(crew, "members/"), "the link is shown once"


@pytest.mark.parametrize(
    "how",
    ["expired", "withdrawn", "used up", "made up", "maker demoted", "maker removed", "maker off"],
)
def test_links_that_do_not_work(crew: Crew, how: str) -> None:
    maker = UserFactory.create()
    member = member_add(project=crew.project, user=maker, role=Role.MANAGER)
    link = invite(crew, maker)
    invitation = Invitation.objects.get()
    match how:
        case "expired":
            Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        case "withdrawn":
            post(crew, f"members/invitations/{invitation.pk}/withdraw/", {})
        case "used up":
            crew.client(UserFactory.create()).post(link)
        case "made up":
            link = reverse("annotation:join", args=["made-up"])
        case "maker demoted":
            post(crew, f"members/{member.pk}/", {"role": "annotator"})
        case "maker removed":
            post(crew, f"members/{member.pk}/", {"remove": "yes"})
        case "maker off":
            User.objects.filter(pk=maker.pk).update(is_active=False)
    before = set(crew.project.members.values_list("user"))
    for method in ("get", "post"):
        response = getattr(crew.client(crew.outsider), method)(link)
        assert response.status_code == 404
        assert "This link does not work" in response.content.decode()
        assert crew.project.name not in response.content.decode()
    assert set(crew.project.members.values_list("user")) == before


def test_who_was_removed_is_not_back_by_a_link_from_before(crew: Crew) -> None:
    link = invite(crew, uses="5")
    member = crew.project.members.get(user=crew.ann)
    post(crew, f"members/{member.pk}/", {"remove": "yes"})
    client = crew.client(crew.ann)
    for method in ("get", "post"):
        assert getattr(client, method)(link).status_code == 404
    assert not crew.project.members.filter(user=crew.ann).exists()
    assert crew.client(crew.outsider).post(link).status_code == 302, "it works for others"
    assert client.post(invite(crew)).status_code == 302, "a new link invites anew"


def test_a_link_is_used_as_often_as_it_says_and_members_use_nothing(crew: Crew) -> None:
    link = invite(crew, uses="2", role="manager")
    for user in (crew.judge, crew.ann):
        assert "already" in crew.client(user).get(link).text
        crew.client(user).post(link)
    assert (role_of(crew, crew.judge), role_of(crew, crew.ann)) == ("adjudicator", "annotator")
    assert Invitation.objects.get().used == 0
    first, second, third = UserFactory.create_batch(3)
    codes = [crew.client(user).post(link).status_code for user in (first, first, second, third)]
    assert codes == [302, 302, 302, 404]
    assert crew.project.members.filter(role="manager").count() == 3


def test_invitations_of_other_projects_are_out_of_reach(crew: Crew) -> None:
    other_manager = UserFactory.create()
    other = make_project(other_manager)
    link = invite(crew)
    invitation = Invitation.objects.get()
    address = reverse("annotation:people-withdraw", args=[other.slug, invitation.pk])
    assert crew.client(other_manager).post(address).status_code == 404
    assert crew.client(crew.judge).post(page(crew, "members/invite/"), FORM).status_code == 404
    crew.client(crew.outsider).post(link)
    assert set(Member.objects.filter(user=crew.outsider).values_list("project", flat=True)) == {
        crew.project.pk
    }


def test_it_is_mailed_where_an_address_is_given(crew: Crew) -> None:
    link = invite(crew, email="New.Person@example.org", role="adjudicator")
    (message,) = mail.outbox
    assert message.to == ["new.person@example.org"]
    assert link in str(message.body)
    assert "as adjudicator" in str(message.body)
    assert "new.person@example.org" in show(crew, "members/")
    assert "example.org" not in str(list(AuditEvent.objects.values()))


def test_terms_that_cannot_be_are_refused(crew: Crew) -> None:
    for wrong in ({"role": "emperor"}, {"uses": "101"}, {"email": "a@example.org", "uses": "2"}):
        assert post(crew, "members/invite/", FORM | wrong).status_code == 422
        assert not Invitation.objects.exists()
        assert mail.outbox == []


def test_so_many_are_open_and_no_more(crew: Crew) -> None:
    now = timezone.now()
    Invitation.objects.bulk_create(
        Invitation(
            project=crew.project,
            token_hash=str(number),
            created_by=crew.manager,
            created_at=now,
            expires_at=now + timedelta(days=number),
        )
        for number in range(1, MOST_OPEN + 1)
    )
    response = post(crew, "members/invite/", FORM)
    assert response.status_code == 422
    assert "50 invitations are open" in response.content.decode()
    # What has expired makes room, and is forgotten.
    Invitation.objects.filter(token_hash="1").update(expires_at=now)
    invite(crew)
    assert Invitation.objects.count() == MOST_OPEN


def test_no_new_project_takes_the_address_of_invitations(crew: Crew) -> None:
    assert slug_for("Join") == "join-2"
