"""The list of data sets, making one, its overview, and who may do so."""

import csv
import io
import json
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.forms import clip_choice
from annotation.models import DataSet, Project
from annotation.services.data_sets.clip_choice import choice_file
from annotation.services.data_sets.making import RESERVED, data_set_create
from annotation.services.projects import slug_for
from annotation.urls import urlpatterns
from leaderboard.models import User
from scoring.datasets.choosing import ChoiceRequest, PoolColumns, choose_clips, read_pool
from tests.annotation.conftest import make_project
from tests.annotation.data_sets.conftest import Desk
from tests.annotation.projects.manage_page import HOSTILE
from tests.leaderboard.scored_pages import text
from tests.leaderboard.scored_pages import text as text_of

LIST = "/annotate/data-sets/"


def test_the_list_has_what_one_may_see_and_the_page_annotate_leads_there(desk: Desk) -> None:
    people = (desk.outsider, desk.annotator, desk.manager, desk.owner, desk.admin)
    clients = [desk.client(user) for user in people]
    listed = [desk.data_set.name in client.get(LIST).content.decode() for client in clients]
    assert listed == [False, False, True, True, True]
    links = [LIST in client.get("/annotate/").content.decode() for client in clients[1:4]]
    assert links == [False, True, True]


@pytest.mark.parametrize("gone", ["project", "owner"])
def test_a_data_set_without_its_project_stays_its_owners_and_the_other_way_round(
    desk: Desk, gone: str
) -> None:
    getattr(desk, gone).delete()
    left, other = (desk.owner, desk.manager) if gone == "project" else (desk.manager, desk.admin)
    page = desk.client(left).get(desk.path())
    assert page.status_code == 200
    assert ("someone who left" in text(page.content)) == (gone == "owner")
    assert desk.client(desk.admin).get(desk.path()).status_code == 200
    assert desk.client(other).get(desk.path()).status_code == (404 if gone == "project" else 200)


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


# -- choosing clips from a pool ------------------------------------------------------------


PATH = "/annotate/data-sets/choose/"
ROWS = [
    f"clip{at}.wav,{tags},{10 + at},{'ann' if at % 2 else 'bob'}"
    for at, tags in enumerate(
        ("rain;roof", "rain", "rain;wind", "dog", "bell;church", "<b>x</b>;dog", "kettle", "wind")
    )
]
POOL = "\n".join(("file_name,tags,duration,uploader", *ROWS)) + "\n"
GOOD = {"count": "4", "seed": "1", "separator": ";", "fewest_clips": "1"}


def send(desk: Desk, pool: str = POOL, **changes: str) -> Any:
    file = SimpleUploadedFile("pool.csv", pool.encode())
    return desk.client(desk.owner).post(PATH, {**GOOD, "pool": file, **changes})


def test_the_choice_is_that_of_the_command_and_can_be_downloaded(desk: Desk) -> None:
    response = send(desk)
    html = response.content.decode()
    assert "4 clips were chosen" in text_of(response.content)
    assert "<b>x</b>" not in html
    pool = read_pool(POOL.encode(), PoolColumns()).pool
    assert pool is not None
    wanted = choose_clips(pool, ChoiceRequest(4, seed=1))
    assert f"{wanted.entropy:.4f} bits" in html
    key = html.split("?list=")[1].split("&amp;")[0]
    client = desk.client(desk.owner)
    rows = csv.reader(io.StringIO(client.get(f"{PATH}?list={key}").content.decode()))
    assert [row[0] for row in rows] == ["file_name", *(clip.name for clip in wanted.clips)]
    told = json.loads(client.get(f"{PATH}?list={key}&format=json").content)
    assert told["entropy"] == wanted.entropy
    assert client.get(f"{PATH}?list={key}&format=exe").status_code == 404
    assert client.get(f"{PATH}?list=other").status_code == 404
    other = desk.client(desk.admin).get(f"{PATH}?list={key}")
    assert other.status_code == 404, "another person's"


def test_tags_groups_and_durations_limit_the_choice(desk: Desk) -> None:
    tags = {"excluded_tags": "Kettle; dog", "ignored_tags": "roof", "least_percent": "20"}
    told = text_of(send(desk, count="2", **tags).content)
    # Of 5 clips without those, rain (3) and wind (2) are in 20 % or more, and so are bell, church.
    assert "5 of 8" in told
    assert any(f"{number} of 4" in told for number in (2, 3, 4))
    assert send(desk, least_percent="101").status_code == 422
    groups = {"group_column": "uploader", "most_per_group": "1", "shortest": "12"}
    assert "6 of 8" in text_of(send(desk, count="2", **groups).content)


@pytest.mark.parametrize(
    ("pool", "changes", "why"),
    [
        (POOL, {"count": "9"}, "The pool has 8 clips"),
        (POOL, {"count": "0"}, "greater than or equal to 1"),
        (POOL, {"shortest": "9", "longest": "3"}, "Enter more than the shortest"),
        (POOL, {"most_per_group": "1"}, "Name the column"),
        (POOL, {"group_column": "nobody", "most_per_group": "1"}, "nobody"),
        ("a,b\n1,2\n", {}, "file_name"),
        ("file_name,tags\nx.wav,\n", {"count": "1"}, "The clip has no tags"),
        ("", {}, "empty"),
    ],
)
def test_what_is_wrong_is_told(desk: Desk, pool: str, changes: dict[str, str], why: str) -> None:
    response = send(desk, pool, **changes)
    assert response.status_code == 422
    assert why in response.content.decode()


NO_DURATIONS = "file_name,tags\nrain.wav,rain\ndog.wav,dog\nbell.wav,\n"


@pytest.mark.parametrize(
    ("pool", "changes", "named"),
    [
        (NO_DURATIONS, {"longest": "9"}, ("Longest, in seconds", 'named "duration"')),
        (NO_DURATIONS, {"count": "9"}, ("Clips to choose", "Leave out clips without tags")),
        (POOL, {"shortest": "17", "count": "2"}, ("Shortest, in seconds", "Fewest clips per tag")),
        (
            POOL,
            {"group_column": "uploader", "most_per_group": "1", "count": "3"},
            ("Clips to choose", "Most clips per group"),
        ),
    ],
)
def test_what_is_wrong_is_told_by_the_names_of_the_fields(
    desk: Desk, pool: str, changes: dict[str, str], named: tuple[str, str]
) -> None:
    """Who uses the page does not know the options of the command."""
    response = send(desk, pool, **changes)
    assert response.status_code == 422
    notice = unescape(response.content.decode()).split("nothing was stored")[1].split("<form")[0]
    assert all(name in notice for name in named)
    assert not re.search(r"(?<!\w)--\w", notice)


def test_a_pool_that_is_too_large_for_a_page_leads_to_the_command(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.views.clip_choice.MOST_POOL", 5)
    response = send(desk)
    assert response.status_code == 422
    assert "Use the command choose_clips." in response.content.decode()
    monkeypatch.setattr(clip_choice, "MOST_BYTES", 20)
    assert "no such limit" in send(desk).content.decode()


def test_a_name_of_a_clip_is_no_formula() -> None:
    assert choice_file({"chosen": ["=1+1.wav"]}, "csv").splitlines()[1] == "'=1+1.wav"
