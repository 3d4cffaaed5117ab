"""A project in which there is something of everything, as an archive that can be changed."""

import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from annotation.formats.project_archive import MEMBERS, PROJECT, SETTINGS, TABLES
from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    Gold,
    Import,
    ImportState,
    Item,
    Lateness,
    Member,
    Order,
    Project,
    Scheme,
    SendBack,
)
from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.schemes import SchemeDraft
from annotation.services.adjudication import Decision, gold_decide, gold_reopen
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import
from annotation.services.formats.project_archives import project_archive_download
from annotation.services.people import session_give
from annotation.services.projects import ProjectAct, Task, items_add
from annotation.services.qualification import qualification_answer, qualification_choose
from annotation.services.schemes import scheme_publish
from annotation.services.sounds import sounds_add_zip
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import disputed_first, label
from tests.sounds import wav, zipped


def rows_of(data: bytes) -> dict[str, list[dict[str, Any]]]:
    """What an archive has of each table, in its own words."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        found = {
            name: [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
            if name.endswith(".jsonl")
        }
        found[SETTINGS.part] = [json.loads(archive.read(PROJECT))["settings"]]
    found["earlier_hands.jsonl"].sort(key=json.dumps)  # they have no order
    found[MEMBERS.part] = [row["member"] for row in found[MEMBERS.part] if row["member"]]
    return found


def empty_columns(*archives: bytes) -> set[str]:
    """Columns that are nowhere anything but empty: they look the same whatever is lost."""
    found, rows = set(), [rows_of(data) for data in archives]
    for table in (*TABLES, MEMBERS, SETTINGS):
        for name in table.columns:
            column: Any = table.model._meta.get_field(name)
            plain = column.get_default() if column.has_default() else None
            values = [row[name] for one in rows for row in one[table.part]]
            if all(value in (plain, None, "", [], {}) for value in values):
                found.add(f"{table.part}: {name}")
    return found


@pytest.fixture
def whole(crew: Crew, folder: Path, tmp_path: Path) -> Crew:
    """Answers of two people, one skipped with a comment, gold, guidelines, a sound of two names."""
    tasks = [Task(f"a sound {n}", meta={"file_name": f"{n}.wav", "n": n}) for n in range(2)]
    items_add(project=crew.project, tasks=tasks)
    sounds = zipped({"0.wav": wav(), "1.wav": wav()}, tmp_path / "sounds.zip")
    act = ProjectAct(crew.manager, NOW)
    sounds_add_zip(project=crew.project, path=sounds, act=act)
    label(crew.items[1], crew.ann, (1, 1, "WHAT"), (2, 2, "HOW"))
    label(crew.items[0], crew.ann, answer=Answer.IGNORE, comment="=why?")
    label(crew.items[1], crew.bob, (1, 2, "WHAT/WHERE"))
    spans = [{"start": 0, "end": 5, "token_start": 0, "token_end": 0, "label": "HOW"}]
    labels = ["HOW", *"OOOOOO"]
    Gold.objects.create(
        item=crew.items[1], labels=labels, spans=spans, provenance=[], settled_at=NOW, note="so"
    )
    Project.objects.filter(pk=crew.project.pk).update(guidelines="# How\n\n*So.*", seed=7)
    crew.project.refresh_from_db()
    return crew


def archived(project: Project) -> bytes:
    return b"".join(project_archive_download(project).pieces)


def changed(data: bytes, **parts: Callable[[bytes], bytes | None]) -> bytes:
    """An archive with some of its parts changed, or without them."""
    buffer = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", 8) as new:
        for name in old.namelist():
            change = parts.get(name.partition(".")[0].partition("/")[0])
            content = change(old.read(name)) if change else old.read(name)
            if content is not None:
                new.writestr(name, content)
    return buffer.getvalue()


HOUR = timedelta(hours=1)


@pytest.fixture
def everything(whole: Crew) -> Crew:
    """A project in which every column that an archive carries has something to carry."""
    crew, act = whole, ProjectAct(whole.manager, NOW + HOUR)
    line = {"text": "rain on a roof", "_session_id": "tape-1", "spans": [], "odd": 1}
    file = LabelFile(io.BytesIO(json.dumps(line).encode() + b"\n"), "tape.jsonl")
    file_import(project=crew.project, file=file, choice=FileChoice(), actor=crew.manager, now=NOW)
    label(crew.items[2], crew.bob, answer=Answer.IGNORE, comment="=why?")
    _settled(crew)
    _labels_changed(crew, act)
    _qualified(crew, act)
    _handed_and_tested(crew)
    session = crew.project.members.get(name="tape-1")
    session_give(session=session, to=crew.ann, act=act)
    back = SendBack.objects.create(project=crew.project, by=crew.judge, at=NOW, note="verbs, too")
    answer = Annotation.objects.filter(item=crew.items[0], user=crew.bob)
    answer.update(sent_back=back, set_aside=1)
    Item.objects.filter(pk=crew.items[3].pk).update(removed_at=NOW, removed_by=crew.manager)
    Import.objects.filter(project=crew.project).update(
        state=ImportState.UNDONE,
        inventory="aces-10",
        chosen={"people": {"tape-1": crew.ann.pk}, "map_from": "aces-10", "table": {}},
        mapping={"NOISE": ["WHAT"]},
        copies={str(crew.items[0].pk): 2},
        undone_by=crew.judge,
        undone_at=NOW + 2 * HOUR,
    )
    Project.objects.filter(pk=crew.project.pk).update(
        offered=["WHO", "HOW"],
        order=Order.RANDOM,
        copies=3,
        share=0.5,
        settle_own=True,
        suggest=True,
        suggestion_threshold=0.9,
        test_every=7,
        ranked_by="labeller@1",
        ranked_at=NOW,
        closed=True,
        agreement_shown_at=NOW,
        reopened_at=NOW,
        qualification_on=True,
        pass_mark=60,
        qualification_tries=5,
    )
    Member.objects.filter(project=crew.project, user=crew.ann).update(
        agreement_shown_at=NOW, guidelines_read=1, guidelines_read_at=NOW
    )
    crew.project.guidelines_versions.create(
        number=1, text=crew.project.guidelines, saved_by=crew.manager, saved_at=NOW
    )
    crew.project.refresh_from_db()
    return crew


def _settled(crew: Crew) -> None:
    """A caption decided by the judge, taken back, decided again; another answer late."""
    item = disputed_first(crew)
    for note in ("first", "again"):
        case = cases_of(crew.project, [item.pk])[0]
        choices = dict.fromkeys(case.disputed, "HOW")
        decision = Decision(choices, seen=case.stamp, note=note)
        gold_decide(item=item, decision=decision, by=crew.judge, now=NOW)
        if note == "first":
            case = cases_of(crew.project, [item.pk])[0]
            gold_reopen(item=item, by=crew.judge, now=NOW, seen=case.stamp, reason="why not")
    answer = Annotation.objects.get(item=item, user=crew.ann)
    place = {key: answer.spans[0][key] for key in ("token_start", "token_end", "label")}
    taken = [{**place, "labeller": "labeller@1"}]
    Annotation.objects.filter(pk=answer.pk).update(
        flagged=True,
        seconds=2.5,
        late=Lateness.SHOWN,
        inventory="aces-13.1",
        extra={"taken": taken},
    )
    answer.revisions.update(taken=taken, late=Lateness.SETTLED, inventory="aces-13.1")


def _labels_changed(crew: Crew, act: ProjectAct) -> None:
    crew.project.refresh_from_db()
    first = crew.project.scheme
    labels = tuple(label for label in first.inventory if label.name != "OTHER")
    draft = SchemeDraft("Ours", "Fewer.", labels, {"OTHER": ""}, asks_again=False)
    scheme_publish(project=crew.project, draft=draft, base=first, act=act)
    crew.project.refresh_from_db()
    back = SchemeDraft("Back", "", first.inventory, restores=first)
    scheme_publish(project=crew.project, draft=back, base=crew.project.scheme, act=act)
    crew.project.refresh_from_db()
    Scheme.objects.filter(pk=crew.project.scheme_id).update(asks_again=True)


def _qualified(crew: Crew, act: ProjectAct) -> None:
    Project.objects.filter(pk=crew.project.pk).update(qualification_on=True)
    settled = Gold.objects.filter(item__project=crew.project).values_list("item", flat=True)
    qualification_choose(project=crew.project, items=settled, act=act)
    member = crew.project.members.get(user=crew.ann)
    for caption in crew.project.qualification_captions.all():
        qualification_answer(
            member=member, caption=caption, labels=caption.labels, number=1, now=NOW
        )


def _handed_and_tested(crew: Crew) -> None:
    item = crew.items[2]
    item.assignment_records.create(user=crew.ann, at=NOW)
    place = item.assignments.filter(user=None).first()
    assert place is not None
    Assignment.objects.filter(pk=place.pk).update(user=crew.ann, expires_at=NOW + HOUR)
    test = crew.items[3]
    Assignment.every.create(
        item=test, number=0, project=crew.project, rank=test.rank, user=crew.judge, test=True
    )
    label(test, crew.judge, (1, 1, "WHAT"))
