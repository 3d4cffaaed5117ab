"""Bringing captions into a data set: from files and from projects, again and again."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Annotation, DataSet, DataSetCaption, DataSetClip
from annotation.selectors.data_sets.source_captions import source_captions
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.data_sets.filling import (
    CaptionsRefused,
    captions_add,
    captions_read,
    source_add,
)
from annotation.services.data_sets.making import DataSetAct, data_set_create
from leaderboard.models import User
from scoring.datasets.splitting.pooling import GivenFile
from tests.annotation.conftest import NOW
from tests.annotation.data_sets.conftest import CAPTIONS, Desk
from tests.annotation.data_sets.findings import words
from tests.annotation.kinds.conftest import SOUNDS
from tests.annotation.stages.conftest import BETTER, ONE, OTHER, Chain, answer, make_chain, numbers

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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", CLOTHO),
        ("x.csv", "youtube_id,caption\nsea.wav,waves roll\nsea.wav,the sea\nwind.wav,wind blows\n"),
        (
            "x.json",
            json.dumps(
                [
                    {"file_name": "sea.wav", "captions": ["waves roll", "the sea"]},
                    {"file_name": "wind.wav", "captions": ["wind blows"]},
                ]
            ),
        ),
        ("x.jsonl", LINES),
    ],
)
def test_files_in_every_form_make_a_data_set(desk: Desk, name: str, content: str) -> None:
    data = {"name": "Sea", "file": upload(name, content), "metadata": upload("t.csv", TABLE)}
    made = desk.client(desk.owner).post("/annotate/data-sets/new/", data, follow=True)
    assert "3 captions and 2 clips came in" in words(made.content)
    found = DataSet.objects.get(name="Sea")
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
    with pytest.raises(CaptionsRefused) as told:
        captions_read(file)
    (fault,) = told.value.faults
    assert (fault.line, "limit of 500" in fault.message) == (3, True)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("tags\nx\n", "no column with names"),
        ("file_name,a,a\nsea.wav,1,2\n", 'Several columns have the name "a"'),
        ("file_name," + ",".join(f"c{n}" for n in range(201)) + "\n", "202 columns"),
        ('[{"file_name": "sea.wav"}]', "no table in this file"),
        ("", ""),
    ],
)
def test_tables_that_are_none_are_refused(table: str, says: str) -> None:
    with pytest.raises(CaptionsRefused) as refused:
        captions_read(GivenFile("x.csv", CLOTHO.encode()), GivenFile("t", table.encode()))
    assert says in " ".join(fault.message for fault in refused.value.faults)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "No captions are chosen. Choose a project or a file."),
        ({"metadata": "t.csv"}, "Choose the file with the captions"),
        ({"file": "x.csv", "project": True}, "You chose a project and a file."),
        # The owner does not manage it.
        ({"project": True}, ""),
    ],
)
def test_a_form_without_one_source_is_refused(desk: Desk, data: dict[str, Any], says: str) -> None:
    sent: dict[str, Any] = {"name": "Sea"}
    for key, value in data.items():
        sent[key] = desk.project.pk if value is True else upload(value, CLOTHO)
    user = desk.owner if set(data) == {"project"} else desk.admin
    refused = desk.client(user).post("/annotate/data-sets/new/", sent)
    assert refused.status_code == 422
    assert says in words(refused.content)
    assert DataSet.objects.count() == 1


@pytest.mark.parametrize(
    ("data", "says"),
    [({}, "Choose the file with the captions"), ({"file": "x.csv"}, "nothing was stored")],
)
def test_nothing_to_bring_in_is_told(desk: Desk, data: dict[str, str], says: str) -> None:
    sent = {key: upload(name, "a\nb\n") for key, name in data.items()}
    refused = desk.client(desk.owner).post(desk.path("fill/"), sent)
    assert (refused.status_code, says in words(refused.content)) == (422, True)


def test_a_project_makes_a_data_set_and_later_answers_follow(desk: Desk) -> None:
    said = "rain falls on a roof while birds sing nearby"
    answered(desk, desk.annotator, said)
    data = {"name": "Rain", "project": desk.project.pk}
    made = desk.client(desk.admin).post("/annotate/data-sets/new/", data, follow=True)
    assert "1 caption and 1 clip came in" in words(made.content)
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
    assert "1 caption and 0 clips came in" in words(more.content)
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
    for told in ("1 caption and 1 clip came in", "There was nothing new"):
        data = {"file": upload("x.csv", file), "metadata": upload("t.csv", table)}
        assert told in words(client.post(desk.path("fill/"), data, follow=True).content)
    assert len(texts(desk.data_set)) == 5
    assert desk.caption("rain.wav").text == first.text
    assert DataSetClip.objects.get(file_name="rain.wav").meta == {"tags": "rain"}


# -- from projects in which captions are edited and rated ----------------------------------


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
    assert sorted(text for _, text in clip.captions) == sorted([BETTER, OTHER])
    if gone:
        Annotation.objects.filter(item__project=rated.write).delete()
    act = DataSetAct(rated.manager, NOW)
    made = data_set_create(name="Kept", act=act, source=rated.rate)
    report = source_add(data_set=made, act=act)
    rows = DataSetCaption.objects.filter(clip__data_set=made).order_by("number")
    assert (report.clips, report.captions) == (1, 3)
    assert {row.text for row in rows} == {ONE, OTHER, BETTER}
    assert {row.clip.file_name for row in rows} == {SOUNDS[0]}
    if not gone:
        writers = {row.text: row.annotation.user for row in rows if row.annotation}
        assert (writers[ONE], writers[BETTER]) == (rated.people[0], rated.people[2])
    assert source_add(data_set=made, act=act).captions == 0
