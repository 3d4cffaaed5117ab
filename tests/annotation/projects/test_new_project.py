"""Making a project: who may, with which labels, and when none is made."""

import re
from typing import Any

from annotation.models import Project, Role, Scheme
from annotation.services.labels import schemes_load
from leaderboard.models import AuditEvent, Phase, User
from tests.annotation.conftest import Crew
from tests.annotation.projects.manage_page import text_file
from tests.leaderboard.scored_pages import plain

NEW = {"name": "Dogs & cats", "copies": "2", "share": "20", "order": "given", "guidelines": ""}


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
    assert (project.share, project.items.count()) == (0.2, 2)
    assert project.members.get().role == Role.MANAGER
    assert make(staff)["Location"] == "/annotate/dogs-cats-2/manage/"
    assert make(staff, name="New")["Location"] == "/annotate/new-2/manage/"
    assert make(staff, name="日本")["Location"] == "/annotate/project/manage/"


def test_of_a_file_that_cannot_be_taken_no_project_is_made(staff: Crew) -> None:
    response = make(staff, file=text_file({"text": ""}, {"x": 1}))
    html = response.content.decode()
    assert response.status_code == 422
    assert "None of the captions could be taken. Nothing was made." in html
    assert "The text is empty." in html
    assert "All others came in" not in html
    assert "Nothing of the file came in." in html
    assert Project.objects.count() == 1
    assert not AuditEvent.objects.exists()


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
    assert f"The project has the labels of {ten.title}. Choose among those" in plain(html)
    assert re.search(r'value="WHAT/WHERE"[^>]*checked', html)
    assert not Project.objects.filter(slug="dogs-cats").exists()
    unknown: dict[str, Any] = {f"offered-{thirteen.pk}": ["NOISE"]}
    wrong = make(staff, **unknown)
    assert wrong.status_code == 422
