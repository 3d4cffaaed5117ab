"""The list of data sets, making one, its overview, and who may do so."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import DataSet, Project
from annotation.services.data_sets.making import RESERVED, data_set_create
from annotation.services.projects import slug_for
from annotation.urls import urlpatterns
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.data_sets.conftest import Desk
from tests.annotation.projects.manage_page import HOSTILE
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.one_database
LIST = "/annotate/data-sets/"


def test_the_list_has_what_one_may_see(desk: Desk) -> None:
    seen = {
        user.pk: desk.data_set.name in desk.client(user).get(LIST).content.decode()
        for user in (desk.outsider, desk.annotator, desk.manager, desk.owner, desk.admin)
    }
    assert list(seen.values()) == [False, False, True, True, True]


def test_the_page_annotate_leads_to_data_sets(desk: Desk) -> None:
    links = [
        LIST in desk.client(user).get("/annotate/").content.decode()
        for user in (desk.owner, desk.manager, desk.annotator)
    ]
    assert links == [True, True, False]


def test_a_data_set_whose_project_is_deleted_stays_its_owners(desk: Desk) -> None:
    desk.project.delete()
    codes = [
        desk.client(user).get(desk.path()).status_code
        for user in (desk.owner, desk.manager, desk.admin)
    ]
    assert codes == [200, 404, 200]


def test_a_data_set_whose_owner_left_stays_its_projects(desk: Desk) -> None:
    desk.owner.delete()
    page = desk.client(desk.manager).get(desk.path())
    assert page.status_code == 200
    assert "someone who left" in text(page.content)


def test_who_may_make_projects_makes_a_data_set(desk: Desk) -> None:
    client = desk.client(desk.owner)
    assert client.get(f"{LIST}new/").status_code == 200
    file = SimpleUploadedFile("x.csv", f"file_name,caption_1\nx.wav,{HOSTILE}\n".encode())
    made = client.post(f"{LIST}new/", {"name": HOSTILE, "file": file})
    found = DataSet.objects.exclude(pk=desk.data_set.pk).get()
    assert made["Location"] == f"{LIST}{found.slug}/"
    assert found.owner == desk.owner
    for path in (LIST, made["Location"]):
        assert "<script>alert" not in client.get(path).content.decode()


def test_the_answers_of_a_project_lead_who_may_to_a_data_set_of_them(desk: Desk) -> None:
    answers = f"/annotate/{desk.project.slug}/manage/answers/"
    new = f"{LIST}new/?project={desk.project.slug}"
    client = desk.client(desk.manager)
    assert new not in client.get(answers).content.decode()
    User.objects.filter(pk=desk.manager.pk).update(is_staff=True)
    assert new in client.get(answers).content.decode()
    chosen = f'<option value="{desk.project.pk}" selected>'
    assert chosen in client.get(new).content.decode()
    for other in (f"{LIST}new/", f"{LIST}new/?project=x"):
        assert " selected>No project: use a file" in client.get(other).content.decode()


@pytest.mark.parametrize("name", ["", "a" * 81, "x\u202ey"])
def test_a_name_that_is_none_is_refused(desk: Desk, name: str) -> None:
    refused = desk.client(desk.owner).post(f"{LIST}new/", {"name": name})
    assert refused.status_code == 422
    assert DataSet.objects.count() == 1


def test_others_make_none(desk: Desk) -> None:
    for user in (desk.outsider, desk.annotator, desk.manager):
        for answer in (desk.client(user).get, desk.client(user).post):
            assert answer(f"{LIST}new/").status_code == 404
    assert desk.client(None).post(f"{LIST}new/")["Location"].startswith("/accounts/login/")


def test_addresses_of_pages_are_no_data_sets(desk: Desk) -> None:
    """A project named data-sets has its pages where a data set of such a name would be."""
    routes = [str(one.pattern).split("/") for one in urlpatterns]
    pages = {route[1] for route in routes if route[0] == "<slug:project>" and len(route) > 2}
    pages |= {route[1] for route in routes if route[0] == "data-sets" and "<" not in route[1]}
    assert pages - {""} == RESERVED
    assert [data_set_create(name=one, act=desk.act).slug for one in ("New", "manage")] == [
        "new-2",
        "manage-2",
    ]


def test_a_project_of_that_address_from_before_keeps_its_pages(desk: Desk) -> None:
    assert slug_for("Data sets") == "data-sets-2"
    project = make_project(desk.manager)
    Project.objects.filter(pk=project.pk).update(slug="data-sets", name="From before")
    client = desk.client(desk.manager)
    for part in ("", "manage/", "history/", "captions/"):
        assert "From before" in client.get(f"{LIST}{part}").content.decode(), part
    assert desk.data_set.name in client.get(desk.path()).content.decode()
    assert desk.data_set.name in desk.client(desk.owner).get(LIST).content.decode()


def test_the_list_takes_as_many_queries_for_many(
    desk: Desk, django_assert_max_num_queries: object
) -> None:
    for number in range(30):
        data_set_create(name=f"Set {number}", act=desk.act)
    client = desk.client(desk.owner)
    with django_assert_max_num_queries(9):  # type: ignore[operator]
        assert "Set 29" in client.get(LIST).content.decode()
