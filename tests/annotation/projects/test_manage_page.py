"""Running a project: who may, whom it shows, what can be changed, and what is refused."""

import json
import re

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.models import Annotation, Lateness, Member, Project, Role
from annotation.services.formats.imports import file_read, records_import
from leaderboard.models import AuditEvent
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import label
from tests.annotation.projects.manage_page import HOSTILE, SETTINGS, page, post, show
from tests.factories import UserFactory
from tests.leaderboard.scored_pages import plain, text


def agreement_of(crew: Crew) -> str:
    return reverse("annotation:agreement", args=[crew.project.slug])


PAGES = ("", "members/", "captions/", "files/", "settings/")


def test_captions_and_names_are_shown_as_text(crew: Crew) -> None:
    rows = [{"text": HOSTILE, "spans": [], "_session_id": HOSTILE, "flagged": True}]
    file = SimpleUploadedFile("x.jsonl", json.dumps(rows[0]).encode())
    report = records_import(project=crew.project, records=file_read(file, "x"), now=NOW)
    assert report.annotations == 1
    for part in PAGES:
        assert "<script>alert" not in show(crew, part)
    assert "&lt;script&gt;alert" in show(crew, "files/"), "whose labels to download"
    html = show(crew, "members/")
    assert "&lt;script&gt;alert" in html
    assert "from a file" in html


def test_people_are_let_in_by_user_name_and_given_other_roles(crew: Crew) -> None:
    data = {"username": crew.outsider.username, "role": "annotator"}
    assert post(crew, "members/", data).status_code == 302
    member = crew.project.members.get(user=crew.outsider)
    assert (member.role, member.name) == ("annotator", crew.outsider.username)
    post(crew, f"members/{member.pk}/", {"role": "adjudicator"})
    member.refresh_from_db()
    assert member.role == "adjudicator"
    post(crew, f"members/{member.pk}/", {"role": "emperor"})
    member.refresh_from_db()
    assert member.role == "adjudicator"
    post(crew, f"members/{member.pk}/", {"remove": "yes", "role": "manager"})
    assert not crew.project.members.filter(user=crew.outsider).exists()
    html = show(crew)
    for said in (f"made {crew.outsider} annotator", f"removed {crew.outsider}"):
        assert said in html


def test_who_is_not_there_is_not_let_in_and_no_name_is_taken_twice(crew: Crew) -> None:
    UserFactory(username="INACTIVE", is_active=False)
    for name in ("nobody", "", "INACTIVE"):
        response = post(crew, "members/", {"username": name, "role": "annotator"})
        assert response.status_code == 422
    assert crew.project.members.count() == 4
    Member.objects.filter(user=crew.ann).update(name=crew.outsider.username)
    data = {"username": crew.outsider.username, "role": "annotator"}
    assert post(crew, "members/", data).status_code == 302
    assert crew.project.members.get(user=crew.outsider).name == f"{crew.outsider.username} 2"


def test_members_of_other_projects_are_out_of_reach(crew: Crew) -> None:
    other = Project.objects.create(slug="other", name="Other", scheme=crew.project.scheme)
    member = Member.objects.create(project=other, user=crew.outsider, name="x")
    assert post(crew, f"members/{member.pk}/", {"remove": "yes"}).status_code == 404
    assert Member.objects.filter(pk=member.pk).exists()


def test_the_last_manager_stays(crew: Crew) -> None:
    member = crew.project.members.get(user=crew.manager)
    for data in ({"role": "annotator"}, {"remove": "yes"}):
        response = crew.client(crew.manager).post(
            page(crew, f"members/{member.pk}/"), data, follow=True
        )
        assert "Make someone else a manager first." in response.content.decode()
    post(crew, "members/", {"username": crew.manager.username, "role": "annotator"})
    member.refresh_from_db()
    assert member.role == Role.MANAGER
    # With a second one the first can go, and then is not sent to a page that is closed to them.
    post(crew, "members/", {"username": crew.ann.username, "role": "manager"})
    post(crew, "hand-over/", {"member": str(crew.project.members.get(user=crew.ann).pk)})
    response = post(crew, f"members/{member.pk}/", {"role": "annotator"})
    assert response["Location"] == "/annotate/"


def test_settings_are_saved_and_leave_captions_as_they_are(crew: Crew) -> None:
    response = post(crew, "settings/", {**SETTINGS, "offered": ["WHO", "WHAT/WHERE"]})
    assert response.status_code == 302
    project = Project.objects.get()
    assert (project.name, project.copies, project.share) == ("New name", 3, 0.4)
    assert (project.order, project.guidelines) == ("random", "*so*")
    assert [label.name for label in project.labels] == ["WHO", "WHAT/WHERE"]
    assert {item.copies for item in project.items.all()} == {2}
    checked = re.findall(r'value="([^"]+)"[^>]* checked', show(crew, "settings/"))
    assert checked == ["WHO", "WHAT/WHERE"]


def settings_shown(crew: Crew) -> dict[str, str]:
    """The stamps of the settings as a page shows them now."""
    seen = re.search(r'name="seen" value="([^"]+)"', show(crew, "settings/"))
    assert seen is not None
    return {"seen": seen[1]}


def test_what_another_window_changed_is_not_put_back(crew: Crew) -> None:
    """Only what somebody changed in a form is stored, not all that it happened to show."""
    first = SETTINGS | {"guidelines": "one"}
    post(crew, "settings/", first)
    shown = settings_shown(crew)
    post(crew, "settings/", first | shown | {"guidelines": "two\r\nlines", "copies": "5"})
    assert post(crew, "settings/", first | shown | {"name": "Mine"}).status_code == 302
    project = Project.objects.get()
    assert (project.name, project.guidelines, project.copies) == ("Mine", "two\nlines", 5)


def test_who_changes_what_another_window_changed_is_asked(crew: Crew) -> None:
    shown = settings_shown(crew)
    theirs = SETTINGS | {"guidelines": "theirs"}
    post(crew, "settings/", theirs)
    mine = SETTINGS | {"guidelines": "mine", "order": "uncertain"}
    refused = post(crew, "settings/", mine | shown)
    assert refused.status_code == 409
    html = refused.content.decode()
    assert html.count("Somebody else changed this in the meantime.") == 2
    assert "It is now: Random." in html
    assert ">\nmine</textarea>" in html
    assert Project.objects.get().guidelines == "theirs"
    again = re.search(r'name="seen" value="([^"]+)"', html)
    assert again is not None
    assert post(crew, "settings/", mine | {"seen": again[1]}).status_code == 302
    project = Project.objects.get()
    assert (project.guidelines, project.order) == ("mine", "uncertain")


def test_settings_that_cannot_be_are_refused_and_nothing_changes(crew: Crew) -> None:
    for wrong in (
        {"name": ""},
        {"name": "a\u202eb"},
        {"order": "alphabetical"},
        {"offered": ["NOISE"]},
    ):
        before = Project.objects.values().get()
        response = post(crew, "settings/", {**SETTINGS, **wrong})
        assert response.status_code == 422
        assert f"<h1>{crew.project.name}" in response.content.decode()
        assert Project.objects.values().get() == before


def test_a_closing_at_which_nobody_looked_is_taken_back_whole(crew: Crew) -> None:
    label(crew.items[0], crew.ann, (0, 0, "WHO"))
    post(crew, "state/", {"closed": "yes"})
    asked = text(crew.client(crew.manager).get(page(crew, "state/")).content)
    assert "None of them has looked at it" in asked
    post(crew, "state/", {"closed": "no"})
    project = Project.objects.get()
    assert (project.closed, project.agreement_shown_at, project.reopened_at) == (False, None, None)
    assert crew.client(crew.ann).get(agreement_of(crew)).status_code == 404
    label(crew.items[0], crew.bob, (0, 0, "WHO"))
    label(crew.items[0], crew.ann, (1, 1, "WHAT"))
    assert set(Annotation.objects.values_list("late", flat=True)) == {""}
    assert "took the closing back; nobody had looked" in show(crew)


def test_what_was_seen_while_it_was_closed_stays_seen(crew: Crew) -> None:
    label(crew.items[0], crew.ann, (0, 0, "WHO"))
    for _ in range(2):
        post(crew, "state/", {"closed": "yes"})
    assert crew.client(crew.bob).get(agreement_of(crew)).status_code == 200
    asked = text(crew.client(crew.manager).get(page(crew, "state/")).content)
    assert "1 person has looked at it" in asked
    post(crew, "state/", {"closed": "no"})
    label(crew.items[0], crew.bob, (0, 0, "WHO"))
    assert Annotation.objects.get(user=crew.bob).late == Lateness.SHOWN
    actions = AuditEvent.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["labelling.close", "labelling.reopen"], "closing twice is once"


def test_guidelines_have_a_limit_that_is_told(staff: Crew) -> None:
    response = post(staff, "settings/", {**SETTINGS, "guidelines": "a" * 20_001})
    assert response.status_code == 422
    told = "The guidelines have 20001 characters, and at most 20000 are allowed."
    assert told in plain(response.content.decode())
    assert "a" * 20_001 in response.content.decode()
    assert post(staff, "settings/", {**SETTINGS, "guidelines": "a" * 20_000}).status_code == 302
