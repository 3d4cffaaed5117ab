"""A whole project in one zip comes in again as a new project, with all of it or nothing."""

import io
import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError
from django.db import models

from annotation.formats.project_archive import (
    LEFT_OUT,
    MEMBERS,
    PROJECT,
    RECORDINGS,
    SETTINGS,
    TABLES,
    ArchivedTable,
)
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
    Role,
    Scheme,
    SendBack,
    Sound,
)
from annotation.selectors.adjudication.cases import cases_of
from annotation.selectors.schemes import SchemeDraft
from annotation.services.adjudication import Decision, gold_decide, gold_reopen
from annotation.services.formats.archive_reading import archive_preview, project_archive_read
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import
from annotation.services.formats.project_archives import _stored, project_archive_download
from annotation.services.projects import ProjectAct, Task, items_add, member_remove
from annotation.services.qualification import qualification_answer, qualification_choose
from annotation.services.schemes import scheme_publish
from annotation.services.sessions import session_give
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew
from tests.annotation.labelled import disputed_first, label
from tests.leaderboard.challenges.test_commands import run
from tests.sounds import wav, zipped

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIO_DIR = tmp_path / "audio"
    return tmp_path / "audio"


@pytest.fixture
def whole(crew: Crew, tmp_path: Path) -> Crew:
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
    _sent_back_and_removed(crew)
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
    member_remove(member=crew.project.members.get(user=crew.bob))
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
    taken = [{**row, "labeller": "labeller@1"} for row in _places(answer)]
    Annotation.objects.filter(pk=answer.pk).update(
        flagged=True,
        seconds=2.5,
        late=Lateness.SHOWN,
        inventory="aces-13.1",
        extra={"taken": taken},
    )
    answer.revisions.update(taken=taken, late=Lateness.SETTLED, inventory="aces-13.1")


def _places(answer: Annotation) -> list[dict[str, Any]]:
    keys = ("token_start", "token_end", "label")
    return [{key: span[key] for key in keys} for span in answer.spans[:1]]


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


def _sent_back_and_removed(crew: Crew) -> None:
    back = SendBack.objects.create(project=crew.project, by=crew.judge, at=NOW, note="verbs, too")
    answer = Annotation.objects.filter(item=crew.items[0], user=crew.bob)
    answer.update(sent_back=back, set_aside=1)
    Item.objects.filter(pk=crew.items[3].pk).update(removed_at=NOW, removed_by=crew.manager)


Keys = dict[type[models.Model], dict[int, int]]


def _columns(table: ArchivedTable) -> Iterator[Any]:
    return (table.model._meta.get_field(name) for name in table.columns)


def test_every_column_of_every_table_is_carried_or_left_out_with_a_reason() -> None:
    """A new field fails here before an archive silently lacks it."""
    tables = (*TABLES, MEMBERS, SETTINGS, RECORDINGS)
    listed = {table.model for table in tables}
    assert listed | set(LEFT_OUT) == set(apps.get_app_config("annotation").get_models())
    assert not listed & set(LEFT_OUT)
    for table in tables:
        fields = {field.name for field in table.model._meta.concrete_fields}
        assert set(table.columns) | set(table.left_out) == fields, table.model
        assert not set(table.columns) & set(table.left_out)
    assert all([*LEFT_OUT.values(), *(why for t in tables for why in t.left_out.values())])


def test_a_project_comes_in_again_with_every_value_of_every_column(
    everything: Crew, tmp_path: Path
) -> None:
    first, file = everything.project, tmp_path / "x.zip"
    file.write_bytes(archived(first))
    act = ProjectAct(everything.manager, NOW + HOUR)
    users = User.objects.filter(pk__in=_people_of(first))
    members = {row.user_id: row.name for row in first.members.all()}
    people = {members.get(user.pk, user.username): user for user in users}
    second, report = project_archive_read(path=file, act=act, people=people)
    assert {person.name for person in report.people} == set(people)
    stored = [
        (table, [list(_stored(project, table.model)) for project in (first, second)])
        for table in TABLES
    ]
    keys: Keys = {
        table.model: {one.pk: other.pk for one, other in zip(*rows, strict=True)}
        for table, rows in stored
    }
    empty: list[str] = []
    for table, rows in stored:
        _same_rows(table, list(zip(*rows, strict=True)), keys)
        empty += _nothing_to_carry(table, rows[0])
    _same_rows(SETTINGS, [(first, second)], keys)
    pairs = [(row, second.members.get(name=row.name)) for row in first.members.all()]
    _same_rows(MEMBERS, pairs, keys)
    empty += _nothing_to_carry(SETTINGS, [first])
    empty += _nothing_to_carry(MEMBERS, [row for row, _ in pairs])
    assert not empty
    # Who had left is in the new project, or nobody could say whose the answers are.
    assert second.members.count() == len(pairs) + 1
    sounds = [list(p.sounds.values_list("file_name", "sha256")) for p in (first, second)]
    assert sounds[0] == sounds[1]
    assert len(sounds[0]) == 2


def _people_of(project: Project) -> set[int]:
    answers = Annotation.every.filter(item__project=project)
    return {
        *project.members.values_list("user", flat=True),
        *answers.values_list("user", flat=True),
    }


_OF_THIS_PROJECT = {(Scheme, "slug")}


def _same_rows(table: ArchivedTable, pairs: list[tuple[Any, Any]], keys: Keys) -> None:
    for column in _columns(table):
        if (table.model, column.name) in _OF_THIS_PROJECT:
            continue
        for one, other in pairs:
            before, after = (getattr(row, column.attname) for row in (one, other))
            related = column.related_model if column.is_relation else None
            if related is not None and related is not User and before is not None:
                before = keys[related][before]
            before = _renumbered(column.name, before, keys)
            assert before == after, (table.part, column.name)


def _renumbered(name: str, value: Any, keys: Keys) -> Any:
    """Keys of rows within lists and objects, as they are in the new project."""
    if name == "copies" and isinstance(value, dict):
        return {str(keys[Item][int(key)]): more for key, more in value.items()}
    if name == "provenance":
        return [_word(row, keys[Annotation]) for row in value]
    return value


def _word(row: dict[str, Any], answers: dict[int, int]) -> dict[str, Any]:
    found = dict(row)
    if "from" in row:
        found["from"] = [answers[key] for key in row["from"]]
    if "votes" in row:
        found["votes"] = {str(answers[int(key)]): said for key, said in row["votes"].items()}
    if "edge" in row:
        found["edge"] = _word(row["edge"], answers)
    return found


def _nothing_to_carry(table: ArchivedTable, rows: list[Any]) -> Iterator[str]:
    """Columns that are nowhere anything but empty, which compare as the same whatever is lost."""
    for column in _columns(table):
        plain = column.get_default() if column.has_default() else None
        values = [getattr(row, column.attname) for row in rows]
        if all(value in (plain, None, "", [], {}) for value in values):
            yield f"{table.part}: {column.name}"


def test_people_without_an_account_come_in_without_a_login(
    everything: Crew, tmp_path: Path
) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(archived(everything.project))
    out, _ = run(
        *("import_project", file, "--manager", everything.manager.username),
        *("--person", f"{everything.ann.username}={everything.outsider.username}"),
    )
    second = Project.objects.exclude(pk=everything.project.pk).get()
    assert out == f"Made the project {second.slug}: 7 captions, 7 answers, 2 settled, 2 sounds.\n"
    members = {row.name: row for row in second.members.select_related("user")}
    assert members[everything.ann.username].user == everything.outsider
    judge = members[everything.judge.username]
    assert (judge.user.is_active, judge.role) == (False, Role.ANNOTATOR)
    assert not judge.user.has_usable_password()
    # Who brings it in manages it, under a name that nobody of the archive has.
    assert second.owner == everything.manager
    mine = second.members.get(user=everything.manager)
    assert (mine.role, mine.name) == (Role.MANAGER, f"{everything.manager.username} 2")
    # What nobody could go on with is free again.
    nobody = User.objects.filter(is_active=False)
    assert not Assignment.every.filter(project=second, done=False, user__in=nobody).exists()


def test_a_preview_says_what_there_is_and_makes_nothing(
    everything: Crew, tmp_path: Path, folder: Path
) -> None:
    file, counts = tmp_path / "x.zip", (Project.objects.count(), User.objects.count())
    file.write_bytes(archived(everything.project))
    shutil.rmtree(folder)
    report = archive_preview(path=file, act=ProjectAct(everything.manager, NOW))
    assert (Project.objects.count(), User.objects.count()) == counts
    assert not [path for path in folder.rglob("*") if path.is_file()]
    assert {**report.counts, "captions": 7}.items() <= dict(report.counts).items()
    assert (report.sounds, report.counts["schemes"], report.counts["past_gold"]) == (2, 3, 1)
    people = {person.name: (person.answers, person.decisions) for person in report.people}
    assert people[everything.ann.username] == (3, 0)
    assert people[everything.judge.username] == (0, 1)


def test_an_archive_of_the_first_format_is_still_read(crew: Crew, tmp_path: Path) -> None:
    file = Path(__file__).parents[2] / "data" / "project_format_1.zip"
    out, _ = run("import_project", file, "--manager", crew.manager.username)
    made = Project.objects.exclude(pk=crew.project.pk).get()
    assert out == f"Made the project {made.slug}: 6 captions, 3 answers, 1 settled, 2 sounds.\n"
    assert (made.guidelines, made.seed, made.owner) == ("# How\n\n*So.*", 7, crew.manager)
    assert Gold.objects.get(item__project=made).note == "so"
    assert made.scheme == crew.project.scheme


def test_a_scheme_that_the_site_lacks_comes_along_as_the_projects_own(
    whole: Crew, tmp_path: Path
) -> None:
    """What one person brings in never changes what other projects choose from."""

    def other(data: bytes) -> bytes:
        row = json.loads(data)
        row["labels"][0]["guideline"] = "Another one."
        return json.dumps(row).encode()

    file, before = tmp_path / "x.zip", Scheme.objects.filter(published=True).count()
    file.write_bytes(changed(archived(whole.project), schemes=other))
    run("import_project", file, "--manager", whole.manager.username)
    made = Project.objects.exclude(pk=whole.project.pk).get()
    assert (made.scheme.slug, made.scheme.published) == (made.slug, False)
    assert made.scheme.inventory[0].guideline == "Another one."
    assert Scheme.objects.filter(published=True).count() == before


def test_the_same_project_gives_the_same_bytes_in_pieces(everything: Crew) -> None:
    assert archived(everything.project) == archived(everything.project)
    pieces = list(project_archive_download(everything.project).pieces)
    assert max(map(len, pieces)) < 100_000


def broken(part: str, old: bytes, new: bytes) -> dict[str, Callable[[bytes], bytes | None]]:
    return {part: lambda data: data.replace(old, new)}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (broken("project", b'"format": 2', b'"format": 9'), "a newer version"),
        (broken("project", b'"format": 2', b'"format": []'), "is no archive of a project"),
        (broken("project", b'"copies": 2', b'"copies": 9000'), "less than or equal to"),
        (broken("project", b'"copies": 2', b'"copies": "2"'), "copies: It is no whole number."),
        (broken("project", b'"settings"', b'"ruled"'), "project.json, line 1"),
        (broken("project", b'"sounds": {', b'"sounds": [], "x": {'), "which sounds there are"),
        (broken("project", b'"scheme": 1', b'"scheme": 3'), "no version 3 of the labels"),
        (
            broken("captions", b'"text": "a door', b'"text": 5, "x": "a door'),
            "captions.jsonl, line 4",
        ),
        (broken("captions", b"a sound 1", b"\\u0000"), "NUL"),
        (broken("captions", b"{", b"{["), "this is no JSON"),
        (broken("captions", b'"rank"', b'"rang"'), '"rank" is missing'),
        (broken("answers", b'"HOW"', b'"DOG"'), "answers.jsonl, line 1: spans: The scheme has no"),
        (broken("answers", b'"user": 2', b'"user": 77'), "user: There is no person 77"),
        (broken("answers", b'"user": 3', b'"user": 4'), "Its assignment is another's"),
        (broken("assignments", b'"number": 2', b'"number": 1'), "two rows of one thing"),
        (broken("gold", b'"HOW"', b'"DOG"'), "gold.jsonl, line 1: labels: The scheme has no"),
        (
            broken("gold", b'"item": 2', b'"item": 99'),
            "gold.jsonl, line 1: item: There is no line 99",
        ),
        (broken("people", b'"annotator"', b'"queen"'), "people.jsonl, line 2: role"),
        (broken("schemes", b'"tone": 2', b'"tone": 99'), "schemes.jsonl, line 1: Label 3, tone"),
        ({"sounds": lambda _: None}, "lacks the recording"),
        ({"sounds": lambda _: b"no sound"}, "is damaged, or no sound"),
        ({"sounds": lambda data: data + b"1"}, "is damaged, or no sound"),
        ({"captions": lambda _: None}, "The archive has no captions.jsonl"),
        ({"captions": lambda _: b"\n" * 6_000_000}, "packed more than 200 to 1"),
    ],
)
def test_what_does_not_fit_is_told_and_makes_nothing(
    whole: Crew, tmp_path: Path, parts: dict[str, Any], said: str
) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(changed(archived(whole.project), **parts))
    people = User.objects.count()
    with pytest.raises(CommandError, match=said.replace("[", r"\[")):
        run("import_project", file, "--manager", whole.manager.username)
    assert Project.objects.count() == 1
    assert (Annotation.objects.count(), Sound.objects.count()) == (3, 2)
    assert User.objects.count() == people


@pytest.mark.parametrize("name", ["../escape", "sounds/x.wav", "answers.pickle", "/etc/passwd"])
def test_a_member_that_no_project_writes_is_refused_by_name(
    whole: Crew, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(archived(whole.project))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("__MACOSX/._x", b"kept by a system, and read by nobody")
        archive.writestr(name, b"x")
    with pytest.raises(CommandError, match=f'"{name}" is no part of a project'):
        run("import_project", file, "--manager", whole.manager.username)


def test_a_member_that_comes_twice_is_refused(whole: Crew, tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(archived(whole.project))
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(PROJECT, b"{}")
    with pytest.raises(CommandError, match=f'"{PROJECT}" twice'):
        run("import_project", file, "--manager", whole.manager.username)


def test_an_archive_that_is_too_large_is_refused(
    whole: Crew, tmp_path: Path, settings: Any
) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(archived(whole.project))
    settings.MAX_AUDIO_BYTES = 100
    with pytest.raises(CommandError, match="more than the limit"):
        run("import_project", file, "--manager", whole.manager.username)
    file.write_bytes(b"no zip")
    with pytest.raises(CommandError, match="no zip"):
        run("import_project", file, "--manager", whole.manager.username)
    assert Project.objects.count() == 1


def test_the_parts_are_named_as_the_guide_says() -> None:
    guide = Path("docs/guides/labelling-projects.md").read_text()
    for name in (PROJECT, MEMBERS.part, *(table.part for table in TABLES)):
        assert f"`{name}`" in guide
