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
from annotation.models import Annotation, DataSet, DataSetCaption, DataSetClip, Project
from annotation.selectors.data_sets.source_captions import source_captions
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.data_sets.clip_choice import choice_file
from annotation.services.data_sets.filling import captions_add, captions_read, source_add
from annotation.services.data_sets.making import RESERVED, DataSetAct, data_set_create
from annotation.services.projects import slug_for
from annotation.urls import urlpatterns
from earmark.datasets.choosing import ChoiceRequest, PoolColumns, choose_clips, read_pool
from earmark.datasets.splitting.pooling import GivenFile
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from tests.annotation.conftest import NOW, make_project
from tests.annotation.data_sets.conftest import CAPTIONS, Desk
from tests.annotation.data_sets.findings import words
from tests.annotation.kinds.conftest import SOUNDS
from tests.annotation.projects.manage_page import HOSTILE
from tests.annotation.stages.conftest import BETTER, ONE, OTHER, Chain, answer, make_chain, numbers
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
    people = {
        "project": (desk.owner, desk.admin, desk.manager),
        "owner": (desk.manager, desk.admin),
    }
    codes = [desk.client(user).get(desk.path()).status_code for user in people[gone]]
    assert codes == ([200, 200, 404] if gone == "project" else [200, 200])


def test_who_may_make_projects_makes_a_data_set(desk: Desk) -> None:
    client = desk.client(desk.owner)
    assert client.get(f"{LIST}new/").status_code == 200
    file = SimpleUploadedFile("x.csv", f"file_name,caption_1\nx.wav,{HOSTILE}\n".encode())
    for name in ("", "a" * 81, "x\u202ey"):
        assert client.post(f"{LIST}new/", {"name": name}).status_code == 422
    assert DataSet.objects.count() == 1
    made = client.post(f"{LIST}new/", {"name": HOSTILE, "file": file})
    found = DataSet.objects.exclude(pk=desk.data_set.pk).get()
    assert made["Location"] == f"{LIST}{found.slug}/"
    assert found.owner == desk.owner
    for path in (LIST, made["Location"]):
        assert "<script>alert" not in client.get(path).content.decode()


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
    # The name of a clip is no formula.
    assert choice_file({"chosen": ["=1+1.wav"]}, "csv").splitlines()[1] == "'=1+1.wav"
    told = json.loads(client.get(f"{PATH}?list={key}&format=json").content)
    assert told["entropy"] == wanted.entropy
    assert client.get(f"{PATH}?list={key}&format=exe").status_code == 404
    assert client.get(f"{PATH}?list=other").status_code == 404
    other = desk.client(desk.admin).get(f"{PATH}?list={key}")
    assert other.status_code == 404, "another person's"


NO_DURATIONS = "file_name,tags\nrain.wav,rain\ndog.wav,dog\nbell.wav,\n"
BY_UPLOADER = {"group_column": "uploader", "most_per_group": "1", "count": "3"}


def test_what_is_wrong_is_told_by_the_names_of_the_fields(
    desk: Desk, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who uses the page does not know the options of the command."""
    settings.RATELIMIT_ENABLE = False
    for pool, changes, *named in (
        (POOL, {"count": "9"}, "The pool has 8 clips"),
        (POOL, {"shortest": "9", "longest": "3"}, "Enter more than the shortest"),
        (POOL, {"most_per_group": "1"}, "Name the column"),
        (POOL, {"group_column": "nobody", "most_per_group": "1"}, "nobody"),
        ("a,b\n1,2\n", {}, "file_name"),
        ("file_name,tags\nx.wav,\n", {"count": "1"}, "The clip has no tags"),
        ("", {}, "empty"),
        (NO_DURATIONS, {"longest": "9"}, "Longest, in seconds", 'named "duration"'),
        (NO_DURATIONS, {"count": "9"}, "Clips to choose", "Leave out clips without tags"),
        (POOL, {"shortest": "17", "count": "2"}, "Shortest, in seconds", "Fewest clips per tag"),
        (POOL, BY_UPLOADER, "Clips to choose", "Most clips per group"),
    ):
        response = send(desk, pool, **changes)
        assert response.status_code == 422
        html = unescape(response.content.decode())
        assert all(name in html for name in named), named
        notice = html.partition("nothing was stored")[2].partition("<form")[0]
        assert not re.search(r"(?<!\w)--\w", notice)
    # One that is too large for a page leads to the command.
    monkeypatch.setattr("annotation.views.data_sets.MOST_POOL", 5)
    response = send(desk)
    assert response.status_code == 422
    assert "Use the command choose_clips." in response.content.decode()
    monkeypatch.setattr(clip_choice, "MOST_BYTES", 20)
    assert "no such limit" in send(desk).content.decode()


CLOTHO = "file_name,caption_1,caption_2\nsea.wav,waves roll,the sea\nwind.wav,wind blows,\n"
TABLE = "file_name;tags;license\nsea.wav;sea;CC0\nother.wav;x;\n"
LINES = """{"file_name": "sea.wav", "captions": ["waves roll", "the sea"]}
{"file_name": "wind.wav", "captions": ["wind blows"]}
"""


def upload(name: str, content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode())


def texts(data_set: DataSet) -> list[tuple[str, int, str]]:
    rows = DataSetCaption.objects.filter(clip__data_set=data_set)
    rows = rows.order_by("clip__position", "number")
    return list(rows.values_list("clip__file_name", "number", "text"))


def answered(desk: Desk, user: User, said: str, at: int = 0) -> Annotation:
    item = desk.project.items.order_by("position")[at]
    change = AnswerChange(
        edit=f"edit-{user.pk}-{at}-x", base=0, value={"text": said, "heard": True}
    )
    return annotation_save(item=item, user=user, change=change, now=NOW)


def test_files_in_every_form_make_a_data_set(desk: Desk) -> None:
    rows = [json.loads(line) for line in LINES.splitlines()]
    for name, content in (
        ("x.csv", CLOTHO),
        ("x.csv", "youtube_id,caption\nsea.wav,waves roll\nsea.wav,the sea\nwind.wav,wind blows\n"),
        ("x.json", json.dumps(rows)),
        ("x.jsonl", LINES),
    ):
        data = {"name": "Sea", "file": upload(name, content), "metadata": upload("t.csv", TABLE)}
        made = desk.client(desk.owner).post("/annotate/data-sets/new/", data, follow=True)
        assert "3 captions and 2 clips added" in words(made.content)
        found = DataSet.objects.latest("pk")
        assert (found.owner, found.source) == (desk.owner, None)
        assert texts(found) == [
            ("sea.wav", 1, "waves roll"),
            ("sea.wav", 2, "the sea"),
            ("wind.wav", 1, "wind blows"),
        ]
        metas = DataSetClip.objects.filter(data_set=found).values_list("meta", flat=True)
        assert list(metas) == [{"tags": "sea", "license": "CC0"}, {}]


def test_all_faults_of_both_files_are_told_and_nothing_is_made(desk: Desk) -> None:
    captions = "file_name,caption_1\nsea.wav,...\n,waves\n" + "x" * 501 + ".wav,wind\n"
    table = "file_name;tags\nsea.wav;a\nsea.wav;b\nwind.wav\n"
    data = {"name": "Sea", "file": upload("x.csv", captions), "metadata": upload("t.csv", table)}
    refused = desk.client(desk.owner).post("/annotate/data-sets/new/", data)
    assert refused.status_code == 422
    shown = words(refused.content)
    for part in (
        "The caption has no words",
        "The file name is empty",
        "This clip is already in line 2. Keep one of the rows.",
        "The row has 1 field and the header has 2",
    ):
        assert part in shown, part
    assert DataSet.objects.count() == 1
    # Names are looked at once the file can be read.
    file = GivenFile("x.csv", ("file_name,caption_1\na.wav,rain\n" + "x" * 501 + ",wind").encode())
    with pytest.raises(Refused) as told:
        captions_read(file)
    (fault,) = told.value.faults
    assert (fault.line, "limit of 500" in fault.message) == (3, True)


def test_tables_that_are_none_are_refused() -> None:
    for table, says in (
        ("tags\nx\n", "no column with names"),
        ("file_name,a,a\nsea.wav,1,2\n", 'Several columns have the name "a"'),
        ("file_name," + ",".join(f"c{n}" for n in range(201)) + "\n", "202 columns"),
        ('[{"file_name": "sea.wav"}]', "no table in this file"),
        ("", ""),
    ):
        with pytest.raises(Refused) as refused:
            captions_read(GivenFile("x.csv", CLOTHO.encode()), GivenFile("t", table.encode()))
        assert says in " ".join(fault.message for fault in refused.value.faults)


def test_a_form_without_one_source_is_refused(desk: Desk) -> None:
    project = desk.project.pk
    new, fill = "/annotate/data-sets/new/", desk.path("fill/")
    for user, address, sent, says in (
        (desk.admin, new, {}, "No captions are chosen. Choose a project or a file."),
        (desk.admin, new, {"metadata": CLOTHO}, "Choose the file with the captions"),
        (desk.admin, new, {"file": CLOTHO, "project": project}, "You chose a project and a file."),
        # The owner does not manage it.
        (desk.owner, new, {"project": project}, ""),
        (desk.owner, fill, {}, "Choose the file with the captions"),
        (desk.owner, fill, {"file": "a\nb\n"}, "nothing was stored"),
    ):
        data: dict[str, Any] = {"name": "Sea"}
        for key, value in sent.items():
            data[key] = upload("x.csv", value) if isinstance(value, str) else value
        refused = desk.client(user).post(address, data)
        assert (refused.status_code, says in words(refused.content)) == (422, True)
    assert DataSet.objects.count() == 1


def test_a_project_makes_a_data_set_and_later_answers_follow(desk: Desk) -> None:
    said = "rain falls on a roof while birds sing nearby"
    answered(desk, desk.annotator, said)
    data = {"name": "Rain", "project": desk.project.pk}
    made = desk.client(desk.admin).post("/annotate/data-sets/new/", data, follow=True)
    assert "1 caption and 1 clip added" in words(made.content)
    found = DataSet.objects.get(name="Rain")
    assert (found.source, found.min_words) == (desk.project, 8)
    caption = DataSetCaption.objects.get(clip__data_set=found)
    caption.text = "Rain falls on a roof"
    caption.save()
    bob = desk.project.people.exclude(pk__in=[desk.annotator.pk, desk.manager.pk]).get()
    answered(desk, bob, said)
    address = f"/annotate/data-sets/{found.slug}/fill/"
    client = desk.client(desk.admin)
    more = client.post(address, {"from": "project"}, follow=True)
    assert "1 caption and 0 clips added" in words(more.content)
    name = desk.project.items.order_by("position")[0].text
    assert texts(found) == [(name, 1, "Rain falls on a roof"), (name, 2, said)]
    again = client.post(address, {"from": "project"}, follow=True)
    assert "There was nothing new" in words(again.content)
    assert len(texts(found)) == 2


def test_what_stands_here_is_never_changed_by_what_changed_elsewhere(desk: Desk) -> None:
    DataSetClip.objects.filter(file_name="rain.wav").update(meta={"tags": "by hand"})
    clips = captions_read(
        GivenFile("x.csv", b"file_name,caption_1\nrain.wav,new words of rain\n"),
        GivenFile("t.csv", b"file_name,tags,license\nrain.wav,other,CC0\n"),
    )
    captions_add(data_set=desk.data_set, clips=clips, act=desk.act)
    found = DataSetClip.objects.get(file_name="rain.wav")
    assert found.meta == {"tags": "by hand", "license": "CC0"}
    said = "rain falls on a roof while birds sing nearby"
    row = answered(desk, desk.annotator, said)
    DataSetCaption.objects.filter(clip__data_set=desk.data_set).delete()
    source_add(data_set=desk.data_set, act=desk.act)
    Annotation.objects.filter(pk=row.pk).update(value={"text": "something else", "heard": True})
    report = source_add(data_set=desk.data_set, act=desk.act)
    assert (report.captions, report.changed) == (0, 1)
    assert texts(desk.data_set)[0][2] == said


def test_a_file_that_comes_again_adds_only_what_is_new(desk: Desk) -> None:
    first = desk.caption("rain.wav")
    first.text = "Continuous rain falls on a roof"
    first.save()
    rows = [*((name, *said) for name, said in CAPTIONS.items()), ("sea.wav", "waves roll", "")]
    file = "file_name,caption_1,caption_2\n" + "\n".join(",".join(row) for row in rows)
    client = desk.client(desk.owner)
    table = "file_name,tags\nrain.wav,rain\n"
    for told in ("1 caption and 1 clip added", "There was nothing new"):
        data = {"file": upload("x.csv", file), "metadata": upload("t.csv", table)}
        assert told in words(client.post(desk.path("fill/"), data, follow=True).content)
    assert len(texts(desk.data_set)) == 5
    assert desk.caption("rain.wav").text == first.text
    assert DataSetClip.objects.get(file_name="rain.wav").meta == {"tags": "rain"}


@pytest.fixture
def rated(db: None) -> Chain:
    """Of one sound two captions were written, one was changed by editing, and all were rated."""
    chain = make_chain()
    one, other, editor, *raters = chain.people
    chain.written(0, one, ONE)
    chain.written(0, other, OTHER)
    chain.feed()
    for item in chain.taken(chain.edit, editor):
        text = BETTER if item.content["caption"] == ONE else OTHER
        answer(item, editor, {"text": text, "heard": True})
    chain.feed()
    for rater in raters[:2]:
        for item in chain.taken(chain.rate, rater):
            answer(item, rater, numbers(item, 4, 3))
    return chain


@pytest.mark.parametrize("gone", [False, True])
def test_what_is_kept_makes_a_data_set_and_comes_once_whether_or_not_its_answers_are_there(
    rated: Chain, gone: bool
) -> None:
    (clip,) = source_captions(rated.edit)
    assert clip.file_name == SOUNDS[0]
    assert sorted(row.text for row in clip.captions) == sorted([BETTER, OTHER])
    if gone:
        Annotation.objects.filter(item__project=rated.write).delete()
    act = DataSetAct(rated.manager, NOW)
    made = data_set_create(name="Kept", act=act, source=rated.rate)
    assert source_add(data_set=made, act=act).captions == 3
    rows = {row.text: row for row in DataSetCaption.objects.filter(clip__data_set=made)}
    assert set(rows) == {ONE, OTHER, BETTER}
    assert {row.clip.file_name for row in rows.values()} == {SOUNDS[0]}
    if not gone:
        writers = [row.annotation and row.annotation.user for row in (rows[ONE], rows[BETTER])]
        assert writers == [rated.people[0], rated.people[2]]
    assert source_add(data_set=made, act=act).captions == 0
