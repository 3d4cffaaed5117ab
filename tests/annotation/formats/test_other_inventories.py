"""Labels of another inventory: refused or mapped, never pooled with the project's own."""

import json
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError

from annotation.models import Annotation, Assignment, Import, Project, Revision
from annotation.selectors.adjudication.cases import adjudication_board
from annotation.selectors.agreement.answers import agreement_data
from annotation.selectors.captions.rows import caption_history
from annotation.selectors.formats import ExportSelection, download_of
from annotation.selectors.schemes import InventoryChoice, label_mapping
from annotation.selectors.training.material import LabelSource, TrainingSelection, training_material
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import
from annotation.services.formats.imports import ImportReport
from annotation.services.tasks import tasks_take
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.formats.test_imports import bring as bring_records
from tests.annotation.formats.test_imports import exported, project_of, record
from tests.annotation.labelled import label
from tests.leaderboard.challenges.test_commands import run

API = "/api/v1/labelling"


def file_of(*rows: dict[str, Any]) -> LabelFile:
    return LabelFile(BytesIO("\n".join(map(json.dumps, rows)).encode()), "x.jsonl")


def bring(project: Project, file: LabelFile, source: str = "", **table: str) -> ImportReport:
    choice = FileChoice(InventoryChoice(source, table))
    return file_import(project=project, file=file, choice=choice, actor=None, now=NOW)


@pytest.fixture
def ten(shared_data: Path) -> LabelFile:
    path = shared_data / "descriptors" / "aces_10_labels.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    return LabelFile(BytesIO(b"".join(lines[:90])), path.name)


@pytest.fixture
def thirteen(shared_data: Path) -> LabelFile:
    path = shared_data / "descriptors" / "aces_13_labels.jsonl"
    return LabelFile(BytesIO(path.read_bytes()), path.name)


def test_a_file_that_is_there_already_asks_nothing(db: None, ten: LabelFile) -> None:
    """An export that comes back would ask each time otherwise; nor is it an import of its own."""
    project = project_of("aces-13")
    bring(project, ten, "aces-10")
    out = LabelFile(BytesIO(exported(project).encode()), "x.jsonl")
    again = bring(project, out)
    assert (again.unchanged, again.annotations, Import.objects.count()) == (90, 0, 1)


def test_thirteen_labels_in_ten_say_what_became_of_them(db: None, thirteen: LabelFile) -> None:
    project = project_of("aces-10")
    report = bring(project, thirteen, "aces-13")
    assert report.left_out_labels == {"WHO_WHAT_PROPERTY": 82, "WHAT/WHERE": 36}
    listed = Import.objects.get()
    assert (listed.inventory, listed.left_out_labels) == ("", dict(report.left_out_labels))
    assert listed.mapping == {
        label: list(names) for label, names in label_mapping("aces-13", "aces-10").items()
    }
    assert listed.report["labels"]["HOW_PROPERTY"] == 106
    assert Annotation.objects.counting().count() == 400 - report.to_settle
    thirteen.file.seek(0)
    assert bring(project, thirteen, "aces-13").unchanged == 400
    assert set(Annotation.objects.exclude(inventory="").values_list("inventory", "flagged")) == {
        ("incomplete", True)
    }


def test_what_the_lead_maps_counts_as_the_leads_decision_and_only_a_question_waits(
    crew: Crew,
) -> None:
    """Those who made a file cannot log in: nobody else could say what their labels are."""
    project, lead = project_of("aces-10"), crew.manager
    told = {**record("tape", (2, 2, "HOW_PROPERTY"), (0, 0, "WHO")), "text": "one sure dog"}
    rows = (told, record("tape", (0, 0, "WHAT/WHERE"), (2, 2, "WHO")))

    def bring_all(**table: str) -> ImportReport:
        choice = FileChoice(InventoryChoice("aces-13", table))
        return file_import(project=project, file=file_of(*rows), choice=choice, actor=lead, now=NOW)

    report = bring_all()
    assert (report.annotations, report.to_settle) == (2, 1)
    sure, asked = Annotation.objects.order_by("pk")
    assert (sure.counts, asked.counts, asked.inventory) == (True, False, "incomplete")
    told_of = [event for event in caption_history(sure.item, {})[1] if event.labels]
    assert told_of[0].notes == (
        f"Labels decided by {lead} at the import: HOW_PROPERTY became HOW.",
    )
    again = bring_all(**{"WHAT/WHERE": "WHERE"})
    assert (again.annotations, again.unchanged, again.left_out) == (1, 1, 0)
    (now,) = Annotation.objects.exclude(pk=sure.pk)
    assert (now.counts, now.flagged, [span["label"] for span in now.spans]) == (
        True,
        False,
        ["WHERE", "WHO"],
    )
    assert Assignment.objects.filter(done=True).count() == 2


@pytest.fixture
def mapped(crew: Crew) -> Crew:
    """Ann labelled a caption here, and a file has other labels of it by bob and a session."""
    label(crew.items[0], crew.ann, (1, 1, "WHO"))
    spans = [{"token_start": 1, "token_end": 1, "label": "WHO"}]
    row = {"text": crew.items[0].text, "spans": spans}
    names = (crew.bob.username, "dev-elia")
    bring(crew.project, file_of(*({**row, "_session_id": name} for name in names)), "aces-10")
    return crew


def test_agreement_adjudication_training_and_its_files_do_not_have_them(mapped: Crew) -> None:
    data, board = agreement_data(mapped.project), adjudication_board(mapped.project)
    assert (data.captions, data.left_out) == ((), {"alone": 1, "inventory": 2})
    assert (board.open, board.agreed, board.single) == ((), (), ())
    chosen = TrainingSelection(LabelSource.ACCEPTED)
    (material,) = training_material(mapped.project, chosen)
    assert len(material.records) == 1
    client = mapped.client(mapped.manager)
    for part, said in (
        (
            "agreement/",
            "2 answers of files that are incomplete or have labels of another inventory",
        ),
        ("models/", "2 answers imported incomplete or with labels of another inventory"),
        ("manage/", "2 answers, which do not count"),
    ):
        assert said in client.get(f"/annotate/{mapped.project.slug}/{part}").content.decode()
    rows = b"".join(download_of(mapped.project, "hf", ExportSelection()).pieces)
    assert rows.count(b"\n") == 1
    assert exported(mapped.project).count("\n") == 3, "Prodigy's has"


def test_their_maker_gets_them_to_go_through_and_then_they_count(mapped: Crew) -> None:
    bob = mapped.client(mapped.bob)
    slug, item = mapped.project.slug, mapped.items[0]
    response = bob.post(f"{API}/{slug}/tasks", {"count": 1}, content_type="application/json")
    task = response.json()["tasks"][0]
    assert (task["id"], task["annotation"]["counts"]) == (item.pk, False)
    label(item, mapped.bob, (1, 1, "WHO"), (2, 2, "HOW"))
    row = Annotation.objects.get(item=item, user=mapped.bob)
    assert (row.inventory, row.counts, row.late) == ("", True, "")
    (caption,) = agreement_data(mapped.project).captions
    spans = caption.labellings[str(mapped.bob.pk)].spans
    assert spans == {(1, 1, "WHO"), (2, 2, "HOW")}, "not those of the file, accepted elsewhere"
    held = tasks_take(project=mapped.project, user=mapped.bob, count=12, now=NOW, lease=LEASE)
    assert item.pk not in {row.item_id for row in held}


def test_mapped_labels_say_so_in_the_file_that_they_leave_in(db: None) -> None:
    """Imported elsewhere they would pass for labels of the project that they stood in."""
    one, other = project_of("aces-13"), project_of("aces-13", "other")
    rows = record("x", (3, 3, "HOW"), (2, 2, "WHO"), (0, 0, "OTHER"))
    bring(one, file_of(rows), "aces-10", HOW="HOW_PROPERTY")
    line = exported(one)
    assert json.loads(line)["_inventory"] == "aces-10"
    bring(other, LabelFile(BytesIO(line.encode()), "x.jsonl"))
    row = Annotation.objects.get(item__project=other)
    assert (row.inventory, row.counts) == ("aces-10", False)
    assert exported(other) == line


def test_the_api_refuses_previews_and_maps(crew: Crew) -> None:
    span = {"token_start": 0, "token_end": 0, "label": "NOISE"}
    data = json.dumps({"text": "bang", "spans": [span], "_session_id": "x"}).encode()

    def send(**form: str) -> Any:
        file = SimpleUploadedFile("x.jsonl", data)
        url = f"{API}/{crew.project.slug}/import"
        return crew.client(crew.manager).post(url, {"file": file, **form})

    refused = send()
    assert refused.status_code == 422
    assert "NOISE (1)" in refused.json()["detail"]
    seen = send(dry_run="true").json()
    assert (seen["dry_run"], seen["captions"], seen["annotations"]) == (True, 1, 1)
    assert seen["labels"] == {"NOISE": 1}
    assert seen["sessions"] == [{"session": "x", "annotations": 1, "name": "x", "made": True}]
    assert "NOISE (1)" in seen["refusal"]
    for wrong in ("{", "[]", '{"NOISE": 1}', '{"NOISE": "BIG"}'):
        assert send(table=wrong).status_code == 422
    assert not Annotation.objects.exists()
    done = send(table='{"NOISE": "SOUND_TYPE"}').json()
    assert (done["dry_run"], done["refusal"], done["inventory"]) == (False, "", "")
    assert Annotation.objects.get().spans[0]["label"] == "SOUND_TYPE"
    assert Import.objects.get().by == crew.manager


def test_the_command_refuses_previews_and_maps(db: None, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps(record("x", (0, 0, "ART"), (2, 2, "WHO"))) + "\n")
    arguments = [file, "--project", "dogs", "--create"]
    with pytest.raises(CommandError, match=r"ART \(1\).*--map LABEL=LABEL"):
        run("import_annotations", *arguments)
    out, _ = run("import_annotations", *arguments, "--dry-run")
    for said in (
        "1 record, 1 with labels.",
        "Session x: 1 annotation",
        "ART (1), WHO (1).",
        "Refused",
    ):
        assert said in out
    assert not Project.objects.exists()
    out, _ = run("import_annotations", *arguments, "--map", "ART=")
    assert out.splitlines()[-1:] == ["Spans without a label of the project: ART (1)."]


def test_answers_mapped_before_inventories_were_kept_are_marked(db: None) -> None:
    """By the labels in the lines of the file; all of that person, but what they changed since."""
    project = project_of("aces-10")
    mapping = label_mapping("aces-13", "aces-10")
    told = [
        record("x", (3, 3, "HOW_PROPERTY")),
        {**record("x", (2, 2, "WHO")), "text": "a bad dog"},
    ]
    told.append({**record("x", (0, 0, "HOW_PROPERTY")), "text": "slowly it rains"})
    bring_records(project, *told, record("y", (2, 2, "WHO")), mapping=mapping)
    Annotation.objects.update(inventory="")
    Revision.objects.update(inventory="")
    x = project.members.get(name="x").user
    changed = Annotation.objects.get(item__text="slowly it rains")
    label(changed.item, x, (0, 0, "HOW"))
    import_module("annotation.migrations.0012_projects_of_before").inventories_fill(apps, None)
    marked = Annotation.objects.exclude(inventory="")
    assert {(row.item.text, row.user, row.inventory) for row in marked} == {
        ("a big dog barks", x, "aces-13"),
        ("a bad dog", x, "aces-13"),
    }
    assert list(
        Revision.objects.filter(annotation=changed).values_list("version", "inventory")
    ) == [(1, "aces-13"), (2, "")]
