"""Archiving, deleting and handing over a project: its owner alone, and what stays."""

import re

import pytest
from django.urls import reverse

from annotation.models import Annotation, Member, Project, Role
from annotation.selectors.projects import events_of
from annotation.services.invitations import InvitationTerms, invitation_create
from annotation.services.projects import ProjectAct, member_add, slug_for
from leaderboard.models import AuditEvent, User
from tests.annotation.conftest import NOW, Crew, make_project
from tests.annotation.labelled import agreed_second, label
from tests.annotation.projects.manage_page import bring, page, post, show
from tests.factories import UserFactory

ACTS = ("archive/", "delete/", "hand-over/")


@pytest.fixture
def second(crew: Crew) -> Member:
    """Another manager, who does not own the project."""
    return member_add(project=crew.project, user=UserFactory.create(), role=Role.MANAGER)


def test_only_the_owner_may(crew: Crew, second: Member) -> None:
    form = {"name": crew.project.name, "archived": "yes", "member": str(second.pk)}
    for user in (crew.ann, crew.judge, second.user, crew.outsider):
        for part in ACTS:
            assert post(crew, part, form, user).status_code == 404, part
    assert page(crew, "delete/") not in crew.client(second.user).get(page(crew, "settings/")).text
    assert page(crew, "delete/") in show(crew, "settings/")
    project = Project.objects.get()
    assert (project.owner, project.archived_at, project.closed) == (crew.manager, None, False)
    superuser = UserFactory.create(is_superuser=True)
    assert crew.client(superuser).get(page(crew, "delete/")).status_code == 200


def test_only_a_manager_of_the_project_is_made_owner(crew: Crew, second: Member) -> None:
    ann = crew.project.members.get(user=crew.ann)
    elsewhere = make_project(UserFactory.create()).members.get()
    post(crew, "hand-over/", {"member": str(ann.pk)})
    for number in (str(elsewhere.pk), "x", ""):
        assert post(crew, "hand-over/", {"member": number}).status_code == 404
    crew.project.refresh_from_db()
    assert crew.project.owner == crew.manager
    post(crew, "hand-over/", {"member": str(second.pk)})
    crew.project.refresh_from_db()
    assert crew.project.owner == second.user
    assert f"handed the project over to {second.user}" in events_of(crew.project)[0].text
    assert post(crew, "delete/", {"name": crew.project.name}).status_code == 404
    # An owner who leaves the site is followed by a manager.
    second.user.delete()
    crew.project.refresh_from_db()
    assert crew.project.owner == crew.manager


def test_the_owner_stays_a_manager_until_it_is_handed_over(crew: Crew, second: Member) -> None:
    """Else another manager could remove the owner, and take the project."""
    member = crew.project.members.get(user=crew.manager)
    for form in ({"role": "annotator"}, {"remove": "yes"}):
        for user in (crew.manager, second.user):
            address = page(crew, f"members/{member.pk}/")
            response = crew.client(user).post(address, form, follow=True)
            assert "owns the project" in response.content.decode()
    member.refresh_from_db()
    assert member.role == Role.MANAGER


def test_archiving_asks_closes_and_takes_it_out_of_the_list(crew: Crew) -> None:
    token = invitation_create(
        project=crew.project,
        terms=InvitationTerms(Role.ANNOTATOR),
        act=ProjectAct(crew.manager, NOW),
    )
    assert "4 captions still lack answers" in show(crew, "archive/")
    assert Project.objects.get().archived_at is None, "asking archives nothing"
    post(crew, "archive/", {"archived": "yes"})
    project = Project.objects.get()
    assert project.archived_at is not None
    assert project.closed
    name = crew.project.name
    client = crew.client(crew.manager)
    assert name not in client.get("/annotate/").text
    assert "All your projects are archived." in client.get("/annotate/").text
    assert name in client.get("/annotate/?archived=yes").text
    join = reverse("annotation:join", args=[token])
    assert crew.client(crew.outsider).post(join).status_code == 404
    assert page(crew, "state/") not in show(crew, "settings/"), "it would be refused there"
    for send in (client.get, client.post):
        response = send(page(crew, "state/"), {"closed": "no"}, follow=True)
        assert "Its owner can bring it back first." in response.content.decode()
    assert Project.objects.get().closed
    post(crew, "archive/", {"archived": "no"})
    assert name in client.get("/annotate/").text
    said = [event.text for event in events_of(crew.project)]
    assert said[:2] == ["brought the project back from the archive", "archived the project"]


def test_deleting_says_exactly_what_goes_and_wants_the_name(crew: Crew) -> None:
    agreed_second(crew)
    bring(crew, {"text": "one cat", "spans": [], "_session_id": "elia"})
    asked = show(crew, "delete/")
    for said in ("<dd>5</dd>", "<dd>3</dd>", "<dd>5, who", "<dd>1</dd>", "/export/?format=prodigy"):
        assert said in asked
    refused = post(crew, "delete/", {"name": "another", **contents_shown(crew)})
    assert refused.status_code == 422
    assert 'value="another"' in refused.content.decode()
    assert Project.objects.filter(pk=crew.project.pk).exists()


def contents_shown(crew: Crew) -> dict[str, str]:
    """The field of the page that asks which says what was looked at."""
    seen = re.search(r'name="seen" value="([^"]+)"', show(crew, "delete/"))
    assert seen is not None
    return {"seen": seen[1]}


def test_what_came_in_after_the_numbers_were_shown_is_not_deleted_unseen(crew: Crew) -> None:
    form = {"name": crew.project.name} | contents_shown(crew)
    label(crew.items[0], crew.ann, (0, 0, "WHO"))
    refused = post(crew, "delete/", form)
    assert refused.status_code == 422
    html = refused.content.decode()
    assert "The project changed while you had the page open. Check the numbers again." in html
    assert "<dt>Answers</dt><dd>1</dd>" in html
    assert Annotation.objects.exists()


def test_what_is_deleted_is_gone_and_other_projects_stay(crew: Crew) -> None:
    other = make_project(crew.manager)
    member_add(project=other, user=crew.ann)
    kept = label(other.items.first(), crew.ann)  # type: ignore[arg-type]
    agreed_second(crew)
    bring(crew, {"text": "one cat", "spans": [], "_session_id": "elia"})
    assert User.objects.filter(username__endswith="/elia").exists()
    slug = crew.project.slug
    response = post(crew, "delete/", {"name": crew.project.name} | contents_shown(crew))
    assert response["Location"] == "/annotate/"
    assert list(Project.objects.all()) == [other]
    assert list(Annotation.objects.all()) == [kept]
    assert User.objects.filter(pk=crew.ann.pk).exists()
    assert not User.objects.filter(username__endswith="/elia").exists(), "made for a session"
    event = AuditEvent.objects.get(action="labelling.delete")
    assert (event.details["captions"], event.details["answers"]) == (5, 3)
    assert slug_for(slug) != slug, "a new project does not take over the history"
