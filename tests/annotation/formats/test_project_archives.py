"""A whole project in one zip comes in again as a new project, with all of it or nothing."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
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
from annotation.models import Annotation, Assignment, Item, Project, Role, Scheme
from annotation.services.formats.archive_reading import project_archive_read
from annotation.services.formats.project_archives import _stored, project_archive_download
from annotation.services.projects import ProjectAct
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew
from tests.annotation.formats.conftest import HOUR, archived, changed
from tests.leaderboard.challenges.test_commands import run

pytestmark = [pytest.mark.usefixtures("folder")]

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
    assert set(empty) == OF_OTHER_WORK
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
# What a project in which words are labelled has nothing in; the other kinds are tested with it.
OF_OTHER_WORK = {
    *(f"captions.jsonl: {name}" for name in ("content", "reference_set", "clip")),
    *("answers.jsonl: value", "answers.jsonl: refused", "versions.jsonl: value"),
    *("earlier_hands.jsonl: item", "earlier_hands.jsonl: user"),
    *(f"pair_draws.jsonl: {name}" for name in ("phase", "counts", "systems", "seed", "by", "at")),
    *("project.json: kind", "project.json: kind_options"),
}


def _same_rows(
    table: ArchivedTable, pairs: list[tuple[Any, Any]], keys: Keys, left: Collection[str] = ()
) -> None:
    for column in _columns(table):
        if (table.model, column.name) in _OF_THIS_PROJECT or column.name in left:
            continue
        for one, other in pairs:
            before, after = (getattr(row, column.attname) for row in (one, other))
            related = column.related_model if column.is_relation else None
            if related in keys and before is not None:
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


def test_the_parts_are_named_as_the_guide_says() -> None:
    guide = Path("docs/guides/labelling-projects.md").read_text()
    for name in (PROJECT, MEMBERS.part, *(table.part for table in TABLES)):
        assert f"`{name}`" in guide
