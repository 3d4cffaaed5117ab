"""Archiving, deleting and handing over a project: its owner alone, and what stays."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Member, Project, Role
from annotation.selectors.projects import events_of
from annotation.services.formats.waiting_imports import archives_expire
from annotation.services.invitations import InvitationTerms, invitation_create
from annotation.services.projects import ProjectAct, member_add, slug_for
from annotation.tasks import labeller_sweep
from leaderboard.models import AuditEvent, User
from tests.annotation.conftest import NOW, Crew, make_project
from tests.annotation.formats.conftest import archived
from tests.annotation.labelled import agreed_second, label
from tests.annotation.projects.manage_page import HOSTILE, bring, page, post, show
from tests.factories import UserFactory
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.usefixtures("folder")

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
    assert f"handed the project over to {second.user}" in events_of(crew.project)[0]["text"]
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
    assert "4 of the captions still lack answers" in show(crew, "archive/")
    assert Project.objects.get().archived_at is None, "asking archives nothing"
    post(crew, "archive/", {"archived": "yes"})
    project = Project.objects.get()
    assert project.archived_at is not None
    assert project.closed
    name = crew.project.name
    client = crew.client(crew.manager)
    assert name not in client.get("/annotate/").text
    join = reverse("annotation:join", args=[token])
    assert crew.client(crew.outsider).post(join).status_code == 404
    for send in (client.get, client.post):
        response = send(page(crew, "state/"), {"closed": "no"}, follow=True)
        assert "Its owner can bring it back first." in response.content.decode()
    assert Project.objects.get().closed
    post(crew, "archive/", {"archived": "no"})
    assert name in client.get("/annotate/").text
    said = [event["text"] for event in events_of(crew.project)]
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


NEW = "/annotate/new/archive/"


@pytest.fixture
def staff(crew: Crew) -> Client:
    """The browser of somebody who may make projects."""
    User.objects.filter(pk=crew.outsider.pk).update(is_staff=True)
    label(crew.items[0], crew.ann, (1, 1, "WHO"))
    crew.project.members.filter(user=crew.bob).update(name=HOSTILE)
    return crew.client(crew.outsider)


def send(client: Client, content: bytes) -> Any:
    return client.post(NEW, {"file": SimpleUploadedFile("x.zip", content)})


def waiting(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("project-*"))


def test_managers_download_a_few_projects_a_minute(crew: Crew) -> None:
    client = crew.client(crew.manager)
    address = f"/annotate/{crew.project.slug}/manage/files/archive/"
    response = client.post(address)
    name = f'attachment; filename="{crew.project.slug}.project.zip"'
    assert response.headers["Content-Disposition"] == name
    assert b"".join(response) == archived(crew.project)
    assert [client.post(address).status_code for _ in range(6)][-1] == 429


def test_a_project_is_made_after_a_look_at_it(crew: Crew, staff: Client, folder: Path) -> None:
    response = send(staff, archived(crew.project))
    assert response.status_code == 302
    assert Project.objects.count() == 1
    address = response.headers["Location"]
    page = text(staff.get(address).content)
    assert "Make Project 0 from this archive?" in page
    assert "Captions 4 Answers 1 Settled captions 0" in page
    assert f"Account of {crew.ann.username} 1 0" in page
    assert "<script>" not in staff.get(address).content.decode().split("<main", 1)[1]
    people = {"person-1": crew.ann.username, "person-0": "nobody-here"}
    refused = staff.post(address, people)
    assert refused.status_code == 422
    assert "There is no user with this name" in text(refused.content)
    twice = staff.post(address, {"person-1": crew.ann.username, "person-2": crew.ann.username})
    assert "Each account can be only one person" in text(twice.content)
    made = staff.post(address, {"person-1": crew.ann.username})
    second = Project.objects.exclude(pk=crew.project.pk).get()
    assert made.headers["Location"] == f"/annotate/{second.slug}/manage/members/"
    assert second.owner == crew.outsider
    assert Annotation.objects.get(item__project=second).user == crew.ann
    assert second.members.get(user=crew.outsider).role == Role.MANAGER
    assert waiting(folder) == []
    assert staff.get(address).status_code == 404


def test_an_archive_waits_for_its_sender_alone_and_not_for_long(
    crew: Crew, staff: Client, folder: Path, admin_client: Client
) -> None:
    first = send(staff, archived(crew.project)).headers["Location"]
    second = send(staff, archived(crew.project)).headers["Location"]
    # Another takes its place.
    assert staff.get(first).status_code == 404
    assert len(waiting(folder)) == 2
    assert admin_client.get(second).status_code == 404
    assert admin_client.get(f"{NEW}..%2F..%2Fx/").status_code == 404
    labeller_sweep()
    assert staff.get(second).status_code == 200
    archives_expire(now=timezone.now() + timedelta(days=2))
    assert waiting(folder) == []
    assert staff.post(second).status_code == 404
    of_another_version = send(staff, archived(crew.project)).headers["Location"]
    (report,) = folder.rglob("project-*.json")
    report.write_text('{"format": 3, "people": []}')
    assert staff.get(of_another_version).status_code == 404
    third = send(staff, archived(crew.project)).headers["Location"]
    assert staff.post(third, {"discard": "yes"}).headers["Location"] == "/annotate/new/"
    assert waiting(folder) == []
    assert Project.objects.count() == 1


def test_what_cannot_be_taken_in_is_said_and_waits_for_nobody(
    crew: Crew, staff: Client, folder: Path, settings: Any
) -> None:
    response = send(staff, b"x")
    assert (response.status_code, "not a zip" in text(response.content)) == (422, True)
    assert "Choose the archive" in text(staff.post(NEW).content)
    settings.MAX_AUDIO_BYTES = 100
    assert "larger than the limit" in text(send(staff, archived(crew.project)).content)
    assert waiting(folder) == []
