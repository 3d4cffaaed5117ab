"""Making a project: who may, with which labels, and when none is made."""

import re
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Project, Role, Scheme
from annotation.services.labels import schemes_load
from leaderboard.models import AuditEvent, Phase, User
from tests.annotation.conftest import Crew
from tests.annotation.projects.manage_page import text_file
from tests.leaderboard.scored_pages import plain

NEW = {
    "name": "Dogs & cats",
    "copies": "2",
    "share": "20",
    "order": "given",
    "suggestion_threshold": "70",
    "guidelines": "",
}


def make(crew: Crew, user: User | None = None, **data: Any) -> Any:
    scheme = {"scheme": str(crew.project.scheme.pk)}
    return crew.client(user or crew.manager).post("/annotate/new/", {**NEW, **scheme, **data})


def test_projects_are_started_by_staff_and_organisers_alone(crew: Crew, phase: Phase) -> None:
    for user in (crew.outsider, crew.ann):
        assert crew.client(user).get("/annotate/new/").status_code == 404
        assert make(crew, user).status_code == 404
    assert crew.client(None).get("/annotate/new/").status_code == 302
    assert crew.client(crew.manager).get("/annotate/new/").status_code == 200
    assert Project.objects.count() == 1


def test_a_new_project_has_its_captions_and_its_manager(staff: Crew) -> None:
    response = make(staff, file=text_file({"text": "one dog"}, {"text": "two cats"}))
    assert response["Location"] == "/annotate/dogs-cats/manage/"
    project = Project.objects.get(slug="dogs-cats")
    assert AuditEvent.objects.filter(action="labelling.fill").count() == 1
    assert (project.share, project.items.count()) == (0.2, 2)
    assert project.members.get().role == Role.MANAGER
    assert make(staff)["Location"] == "/annotate/dogs-cats-2/manage/"
    assert make(staff, name="New")["Location"] == "/annotate/new-2/manage/"
    assert make(staff, name="日本")["Location"] == "/annotate/project/manage/"
    # Of no captions it is not said that they were added.
    assert AuditEvent.objects.filter(action="labelling.fill").count() == 1


def test_of_a_file_that_cannot_be_taken_no_project_is_made(staff: Crew) -> None:
    response = make(staff, file=text_file({"text": ""}, {"x": 1}))
    html = response.content.decode()
    assert response.status_code == 422
    assert "None of the captions could be taken. Nothing was made." in html
    assert "The text is empty." in html
    assert "All other lines were imported" not in html
    assert "Nothing was imported from this file." in html
    assert Project.objects.count() == 1
    assert not AuditEvent.objects.exists()


def test_of_a_file_with_labels_of_another_inventory_no_project_is_made(staff: Crew) -> None:
    spans = [{"token_start": 0, "token_end": 0, "label": "ANIMAL"}]
    row = {"text": "dogs bark", "spans": spans, "_session_id": "x"}
    response = make(staff, file=text_file(row))
    assert response.status_code == 422
    html = plain(response.content.decode())
    assert "1 label of the file is not in ACES, 13 labels: ANIMAL (1)." in html
    assert "Or make the project without the file, and add it there" in html
    assert Project.objects.count() == 1
    small = {**row, "spans": [{**spans[0], "label": "WHO"}]}
    refused = make(staff, file=text_file(small)).content.decode()
    assert "Choose aces-10 or aces-13." in plain(refused)
    assert make(staff, file=text_file(small), map_from="aces-13").status_code == 302


def test_values_that_cannot_be_are_refused(staff: Crew) -> None:
    for wrong in ({"name": " "}, {"copies": "x"}, {"scheme": "0"}, {"phase": "1"}):
        assert make(staff, None, **wrong).status_code == 422
    assert Project.objects.count() == 1


def schemes() -> tuple[Scheme, Scheme]:
    """Those of thirteen and of ten labels."""
    found = {scheme.slug: scheme for scheme in schemes_load()}
    return found["aces-13"], found["aces-10"]


def test_labels_are_chosen_where_the_project_is_made(staff: Crew) -> None:
    ten = schemes()[1]
    chosen: dict[str, Any] = {f"offered-{ten.pk}": ["WHO", "WHAT"]}
    make(staff, scheme=str(ten.pk), **chosen)
    project = Project.objects.get(slug="dogs-cats")
    assert (project.scheme, project.offered) == (ten, ["WHO", "WHAT"])
    assert [label.name for label in project.labels] == ["WHO", "WHAT"]


def test_labels_of_another_scheme_are_refused_and_not_forgotten(staff: Crew) -> None:
    thirteen, ten = schemes()
    chosen: dict[str, Any] = {f"offered-{thirteen.pk}": ["WHO", "WHAT/WHERE"]}
    response = make(staff, scheme=str(ten.pk), **chosen)
    assert response.status_code == 422
    html = response.content.decode()
    assert f"has the labels of {ten.title} chosen above. Choose some" in plain(html)
    assert re.search(r'value="WHAT/WHERE"[^>]*checked', html)
    assert not Project.objects.filter(slug="dogs-cats").exists()
    unknown: dict[str, Any] = {f"offered-{thirteen.pk}": ["NOISE"]}
    wrong = make(staff, **unknown)
    assert wrong.status_code == 422


def own_labels(crew: Crew) -> Scheme:
    """Give the crew's project labels of its own."""
    scheme = Scheme.objects.create(
        slug="ours", title="Ours", labels=crew.project.scheme.labels[:2], published=False
    )
    Project.objects.filter(pk=crew.project.pk).update(scheme=scheme)
    return scheme


def test_labels_of_a_project_that_one_manages_begin_another(staff: Crew) -> None:
    """They are a copy: what becomes of them here changes nothing there."""
    ours = own_labels(staff)
    key = f"project-{staff.project.pk}"
    assert (
        "Ours, version 1, of Project 0"
        in staff.client(staff.manager).get("/annotate/new/").content.decode()
    )
    make(staff, scheme=key)
    made = Project.objects.get(slug="dogs-cats").scheme
    assert (made.labels, made.title, made.published) == (ours.labels, "Ours", False)
    assert (made.slug, made.version, made.made_by) == ("dogs-cats", 1, staff.manager)
    User.objects.filter(pk=staff.outsider.pk).update(is_staff=True)
    staff.project.members.create(user=staff.outsider, name="x")
    assert make(staff, staff.outsider, scheme=key).status_code == 422


def test_labels_come_from_a_file_with_its_faults_by_line(staff: Crew) -> None:
    def sent(content: str) -> Any:
        file = SimpleUploadedFile("labels.yaml", content.encode())
        return make(staff, scheme="file", scheme_file=file)

    good = "title: Two\nlabels:\n- {name: CAT, tone: 1}\n- {name: DOG, tone: 2}\n"
    refused = sent(good.replace("DOG", "CAT").replace("tone: 1", "tone: red"))
    assert refused.status_code == 422
    told = plain(refused.content.decode())
    assert 'Line 3: tone "red" is not a colour.' in told
    assert "Line 4, name:" in told
    assert "Choose the file with the labels." in make(staff, scheme="file").content.decode()
    assert Project.objects.count() == 1
    assert sent(good)["Location"] == "/annotate/dogs-cats/manage/"
    made = Project.objects.get(slug="dogs-cats").scheme
    assert (made.names, made.title, made.published) == (("CAT", "DOG"), "Two", False)


def test_a_project_without_labels_leads_to_where_they_are_written(staff: Crew) -> None:
    response = make(staff, scheme="empty", file=text_file({"text": "one dog"}))
    assert response["Location"] == "/annotate/dogs-cats/scheme/"
    client = response.client
    page = client.get("/annotate/dogs-cats/scheme/")
    assert "has no labels yet" in page.content.decode()
    for path in ("", "manage/", "guidelines/", "manage/settings/", "captions/"):
        assert client.get(f"/annotate/dogs-cats/{path}").status_code == 200, path
