"""The pages of publishing, the card, statistics and files, and who may see them."""

import csv
import io
import json
import zipfile
from io import BytesIO
from typing import Any

import yaml
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from annotation.models import (
    CaptionFinding,
    DataSet,
    DataSetCaption,
    DataSetClip,
    Publication,
    Verdict,
)
from annotation.selectors.data_sets.card import card_markdown, data_card
from annotation.selectors.data_sets.clips import captioned_clips, references_of_clips
from annotation.selectors.data_sets.files import archive_names, split_names
from earmark.captions import read_references
from leaderboard.models import Evaluation, Kind, Phase, Submission
from tests.annotation.data_sets.conftest import CAPTIONS, Desk, add_sound
from tests.annotation.data_sets.made import make_data_set, set_parts
from tests.annotation.projects.manage_page import HOSTILE
from tests.factories import PhaseFactory, TeamFactory, submit
from tests.leaderboard.scored_pages import text as text_of
from tests.sounds import wav

FORMULA = "=cmd|' /C calc'!A0 rain falls"


def text(response: Any) -> str:
    return text_of(response.content)


def form(data_set: DataSet, phase: Phase | None = None, **changes: str) -> dict[str, str]:
    part = changes.get("part", "")
    seen = references_of_clips(captioned_clips(data_set, part)).content_hash
    wanted = {"phase": str(phase.pk) if phase else "", "readers": "hidden", "seen": seen}
    return {**wanted, "part": part, **changes}


def test_bad_input_is_told_and_publishes_nothing(desk: Desk) -> None:
    client = desk.client(desk.owner)
    taken = PhaseFactory.create()
    taken.challenge.organisers.add(desk.owner)
    submit(taken, TeamFactory.create())
    old = form(desk.data_set)
    DataSetCaption.objects.filter(pk=desk.caption("rain.wav").pk).update(text="Rain falls again.")
    for fields, code, why in (
        (form(desk.data_set, taken), 422, "already has submissions"),
        (old, 422, "have changed since you opened"),
        (form(desk.data_set, readers="nobody"), 422, "nobody is not one of the available"),
        ({**form(desk.data_set), "phase": "x"}, 422, "Select a valid choice"),
        ({}, 422, "required"),
        ({**form(desk.data_set), "part": "nothing"}, 404, ""),
    ):
        response = client.post(desk.path("publish/"), fields)
        assert response.status_code == code, fields
        assert why in response.content.decode(), fields
    assert not Publication.objects.exists()
    # What is shown by now is published.
    assert form(desk.data_set)["seen"] in client.post(desk.path("publish/"), old).content.decode()
    assert client.post(desk.path("publish/"), form(desk.data_set)).status_code == 302
    for part in ("publish/", "card/", "statistics/", "files/"):
        assert client.get(desk.path(f"{part}?part=nothing")).status_code == 404


def test_a_phase_gets_its_human_row_with_the_references(
    desk: Desk, phase: Phase, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    """As on the phase's own page: made once, scored at once, and not where it is not wanted."""
    client = desk.client(desk.owner)
    field = client.get(desk.path("publish/")).content.decode()
    assert '<input type="checkbox" name="human_row"' in field
    client.post(desk.path("publish/"), form(desk.data_set, phase))
    assert not phase.submissions.exists()
    for _ in range(2):
        with django_capture_on_commit_callbacks() as sent:
            client.post(desk.path("publish/"), form(desk.data_set, phase, human_row="on"))
        human = phase.submissions.get()
        assert (human.kind, bool(sent)) == (Kind.HUMAN, True)
        assert Evaluation.objects.filter(submission=human).exists()
    # Stored for later there is no phase that could have one.
    client.post(desk.path("publish/"), form(desk.data_set, human_row="on"))
    assert Submission.objects.count() == 1


def test_hidden_references_stay_hidden_from_all_but_organisers(desk: Desk, phase: Phase) -> None:
    desk.client(desk.owner).post(desk.path("publish/"), form(desk.data_set, phase))
    address = f"/c/{phase.challenge.slug}/{phase.slug}/references/"
    page = Client().get(address).content.decode()
    assert "The captions are hidden" in page
    words = {word for texts in CAPTIONS.values() for one in texts for word in one.split()}
    main = text(Client().get(address))
    assert [word for word in words if len(word) > 5 and word in main] == []
    assert "patters" in text(desk.client(desk.owner).get(address))


def test_a_phase_that_one_does_not_organise_cannot_be_chosen(desk: Desk) -> None:
    other = PhaseFactory.create(reference_set=None)
    client = desk.client(desk.owner)
    assert str(other) not in text(client.get(desk.path("publish/")))
    refused = client.post(desk.path("publish/"), form(desk.data_set, other))
    assert refused.status_code == 422
    other.refresh_from_db()
    assert other.reference_set is None


def test_the_card_has_counts_people_licences_findings_and_no_names(desk: Desk) -> None:
    DataSetClip.objects.filter(file_name="rain.wav").update(meta={"license": "CC0 | <b>x</b>"})
    CaptionFinding.objects.create(
        caption=desk.caption("rain.wav"),
        kind="spelling",
        start=0,
        end=9,
        text="Continous",
        before="x",
        verdict=Verdict.EDITED,
        decided_by=desk.manager,
    )
    DataSetCaption.objects.filter(pk=desk.caption("rain.wav").pk).update(text="Continuous rain")
    client = desk.client(desk.owner)
    saved = client.post(desk.path("card/"), {"procedure": "People *listened* <i>twice</i>."})
    assert saved.status_code == 302
    response = client.get(desk.path("card/"))
    html = response.content.decode()
    assert "<em>listened</em>" in html
    assert "<i>twice" not in html
    assert "<b>x</b>" not in html
    card = json.loads(client.get(desk.path("card/?format=json")).content)
    assert (card["clips"], card["captions"], card["captions_changed"]) == (2, 4, 1)
    assert card["licences"] == [
        {"licence": "CC0 | <b>x</b>", "clips": 1},
        {"licence": "unknown", "clips": 1},
    ]
    assert card["findings"][0]["edited"] == 1
    assert card["stages"][0]["work"] == "Write captions"
    told = json.dumps(card)
    for user in (desk.owner, desk.manager, desk.annotator):
        assert user.username not in told
    sent = client.get(desk.path("card/?format=md"))
    assert sent.headers["Content-Disposition"].startswith("attachment")
    assert "CC0 \\| \\<b\\>x" in sent.content.decode()
    assert client.get(desk.path("card/?format=exe")).status_code == 404
    long = client.post(desk.path("card/"), {"procedure": "x" * 20_001})
    assert long.status_code == 422


def test_the_card_has_the_split_in_the_order_of_its_parts(desk: Desk) -> None:
    row = {"clips": 1, "clips_asked": 1, "words": 5}
    report = {"words_in_one_part": 0, "words_outside_tolerance": 0, "distance": 0.25}
    desk.data_set.split = {
        "asked": {"parts": "train=.5,dev=.5", "seed": 7},
        "report": {**report, "parts": {"dev": row, "train": row}},
    }
    desk.data_set.save()
    card = data_card(desk.data_set)
    assert [part["name"] for part in card["split"]["report"]["parts"]] == ["train", "dev"]
    said = "outside the tolerance; distance 0.2500. Seed 7."
    assert said in card_markdown(card)
    assert said in desk.client(desk.owner).get(desk.path("card/")).content.decode()


def test_every_page_is_there_for_an_empty_data_set_and_has_hostile_captions_as_text(
    desk: Desk,
) -> None:
    empty, client = make_data_set(desk.owner, clips=0), desk.client(desk.owner)
    DataSetCaption.objects.update(text=HOSTILE)
    DataSetClip.objects.filter(file_name="rain.wav").update(
        meta={"tags": [HOSTILE], "license": HOSTILE}, part=HOSTILE[:40]
    )
    for part in ("split", "publish", "card", "statistics", "files"):
        page = client.get(f"/annotate/data-sets/{empty.slug}/{part}/")
        assert page.status_code == 200, part
        assert HOSTILE not in client.get(desk.path(f"{part}/")).content.decode(), part
    refused = client.post(f"/annotate/data-sets/{empty.slug}/publish/", form(empty))
    assert refused.status_code == 422
    assert not Publication.objects.exists()


def downloaded(client: Client, address: str) -> bytes:
    response = client.get(address)
    assert response.status_code == 200
    return bytes(response.getvalue())


def test_tables_and_lines_are_read_again_as_they_were_and_of_a_part_alone(desk: Desk) -> None:
    client = desk.client(desk.owner)
    for name in ("captions.csv", "captions.jsonl"):
        kind = name.split(".")[1]
        data = downloaded(client, desk.path(f"files/?format={kind}"))
        read = read_references(data, file_name=name)
        assert read.value is not None, read.faults
        assert {one.file_name: one.references for one in read.value.clips} == CAPTIONS
    assert client.get(desk.path("files/?format=exe")).status_code == 404
    set_parts(desk.data_set, development=1, evaluation=1)
    part = downloaded(client, desk.path("files/?format=csv&part=evaluation")).decode()
    assert [row[0] for row in csv.reader(io.StringIO(part))] == ["file_name", "dog.wav"]


def test_no_cell_is_a_formula_and_lines_have_it_as_it_is(desk: Desk) -> None:
    DataSetCaption.objects.filter(pk=desk.caption("rain.wav").pk).update(text=FORMULA)
    DataSetClip.objects.filter(file_name="rain.wav").update(meta={"=a": "=b", "tags": ["=c"]})
    client = desk.client(desk.owner)
    for kind in ("csv", "metadata"):
        rows = csv.reader(
            io.StringIO(downloaded(client, desk.path(f"files/?format={kind}")).decode())
        )
        assert [cell for row in rows for cell in row if cell.startswith("=")] == []
    lines = downloaded(client, desk.path("files/?format=jsonl")).decode().splitlines()
    assert json.loads(lines[0])["captions"][0] == FORMULA


def test_the_folder_for_hugging_face_has_parts_card_and_recordings(desk: Desk) -> None:
    set_parts(desk.data_set, development=1, evaluation=1)
    add_sound(desk, "rain.wav")
    client = desk.client(desk.owner)
    bare = zipfile.ZipFile(
        BytesIO(downloaded(client, desk.path("files/?format=hugging-face")))
    ).namelist()
    assert bare == ["README.md", "data/development.jsonl", "data/evaluation.jsonl"]
    data = downloaded(client, desk.path("files/?format=hugging-face&sounds=yes"))
    archive = zipfile.ZipFile(BytesIO(data))
    assert archive.testzip() is None
    assert archive.read("audio/development/rain.wav") == wav()
    line = json.loads(archive.read("audio/development/metadata.jsonl"))
    captions = list(CAPTIONS["rain.wav"])
    assert line == {"file_name": "rain.wav", "captions": captions, "part": "development"}
    _, header, card = archive.read("README.md").decode().split("---\n", 2)
    described = yaml.safe_load(header)
    # The library reads a folder in one way: of two configurations it would read one wrongly.
    [config] = described["configs"]
    assert config["data_files"] == [{"split": "development", "path": "audio/development/**"}]
    assert "data/evaluation.jsonl" in archive.namelist()
    assert card.lstrip().startswith("# Rain and dogs")
    read = read_references(archive.read("data/development.jsonl"), file_name="x.jsonl")
    assert read.value is not None
    assert read.value.clips[0].references == CAPTIONS["rain.wav"]


def test_names_in_the_archive_are_harmless_and_each_there_once() -> None:
    names = ["../../etc/passwd", "/etc/passwd", "a\\b.wav", "A.wav", "a.wav", ".hidden", "?", ".."]
    found = archive_names(names)
    assert list(found) == names
    assert len({name.casefold() for name in found.values()}) == len(names)
    assert all("/" not in name and not name.startswith(".") for name in found.values())
    assert split_names(["a-b", "a b", "dev"]) == {"a-b": "a_b", "a b": "a_b_2", "dev": "dev"}
    # The library's own name of all parts together.
    assert split_names(["all", "all-2"]) == {"all": "all_2", "all-2": "all_2_2"}


def test_what_is_known_of_clips_is_text_in_the_same_columns(desk: Desk) -> None:
    """Where a value is a number of one clip and a list of another, the library loads nothing."""
    DataSetClip.objects.filter(file_name="rain.wav").update(meta={"seconds": 3, "tags": ["a", "b"]})
    DataSetClip.objects.filter(file_name="dog.wav").update(meta={"tags": "bark"})
    data = downloaded(desk.client(desk.owner), desk.path("files/?format=hugging-face"))
    with zipfile.ZipFile(BytesIO(data)) as archive:
        lines = archive.read("data/train.jsonl").decode().splitlines()
    metas = [json.loads(line)["meta"] for line in lines]
    assert metas == [{"seconds": "3", "tags": "a;b"}, {"seconds": "", "tags": "bark"}]
