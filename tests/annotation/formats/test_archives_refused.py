"""What does not fit of a project's archive is told by part and line, and makes nothing."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from annotation.formats.project_archive import PROJECT
from annotation.models import Annotation, Project, Sound
from leaderboard.models import User
from tests.annotation.conftest import Crew
from tests.annotation.formats.conftest import archived, changed
from tests.annotation.formats.work_of_kinds import MAKERS, written
from tests.leaderboard.challenges.test_commands import run

pytestmark = [pytest.mark.usefixtures("folder", "db")]


def broken(part: str, old: bytes, new: bytes) -> dict[str, Callable[[bytes], bytes | None]]:
    return {part: lambda data: data.replace(old, new)}


Parts = dict[str, Callable[[bytes], bytes | None]]
LABELS: list[tuple[Parts, str]] = [
    (broken("project", b'"format": 3', b'"format": 9'), "a newer version"),
    (broken("project", b'"format": 3', b'"format": 2'), "has format 2, and only format 3"),
    (broken("project", b'"format": 3', b'"format": []'), "is not an archive of a project"),
    (broken("project", b'"copies": 2', b'"copies": 9000'), "less than or equal to"),
    (broken("project", b'"copies": 2', b'"copies": "2"'), "copies: It must be a whole number."),
    (broken("project", b'"settings"', b'"ruled"'), "project.json, line 1"),
    (broken("project", b'"sounds": {', b'"sounds": [], "x": {'), "does not list the sounds"),
    (broken("project", b'"scheme": 1', b'"scheme": 3'), "no version 3 of the labels"),
    (broken("captions", b'"text": "a door', b'"text": 5, "x": "a door'), "captions.jsonl, line 4"),
    (broken("captions", b"a sound 1", b"\\u0000"), "NUL"),
    (broken("captions", b"{", b"{["), "this is not valid JSON"),
    (broken("captions", b'"rank"', b'"rang"'), '"rank" is missing'),
    (broken("answers", b'"HOW"', b'"DOG"'), "answers.jsonl, line 1: spans: The scheme has no"),
    (broken("answers", b'"user": 2', b'"user": 77'), "user: There is no person 77"),
    (broken("answers", b'"user": 3', b'"user": 4'), "Its assignment is another person's"),
    (broken("assignments", b'"number": 2', b'"number": 1'), "has the same row twice"),
    (broken("gold", b'"HOW"', b'"DOG"'), "gold.jsonl, line 1: labels: The scheme has no"),
    (broken("gold", b'"item": 2', b'"item": 99'), "gold.jsonl, line 1: item: There is no line 99"),
    (broken("people", b'"annotator"', b'"queen"'), "people.jsonl, line 2: role"),
    (broken("schemes", b'"tone": 2', b'"tone": 99'), "schemes.jsonl, line 1: Label 3, tone"),
    ({"sounds": lambda _: None}, "lacks the recording"),
    ({"sounds": lambda _: b"no sound"}, "is damaged or not a sound"),
    ({"sounds": lambda data: data + b"1"}, "is damaged or not a sound"),
    ({"captions": lambda _: None}, "The archive has no captions.jsonl"),
    ({"captions": lambda _: b"\n" * 6_000_000}, "packed more than 200 to 1"),
]
FAULTS: dict[str, list[tuple[Parts, str]]] = {
    "label": LABELS,
    "write": [
        (broken("project", b'"write"', b'"sing"'), "no such kind of work"),
        (broken("project", b'"least": 8', b'"least": 0'), "from 0 to 20"),
        (broken("captions", b'"content": {}', b'"content": {"a": 1}'), "has no content"),
        (broken("answers", b'"heard": true', b'"heard": false'), "Listen to the whole"),
        (broken("answers", b'"heard": true', b'"heard": true, "x": 1'), "not an answer of this"),
        (broken("versions", b'"text": "rain', b'"text": "\\n rain'), "versions.jsonl, line 1"),
        (broken("answers", b'"refused": 1', b'"refused": 9'), "refused: There is no line 9"),
    ],
    "edit": [
        (broken("captions", b'"caption": "', b'"caption": 5, "x": "'), "has a caption"),
        (broken("earlier_hands", b'"user": 2', b'"user": 99'), "There is no person 99"),
        (broken("earlier_hands", b'"item": 2', b'"item": 1'), "has the same row twice"),
    ],
    "rate": [
        (broken("captions", b'"annotations": [', b'"annotations": ["a", '), "numbers of answers"),
        (broken("answers", b'"accuracy": ', b'"accuracy": 9'), "accuracy of"),
    ],
    "judge": [
        (broken("captions", b'"facet": "MM"', b'"facet": "XX"'), "is one of HC"),
        (broken("captions", b'"facet": "MM"', b'"facet": "HC"'), "0 captions of systems"),
        (broken("captions", b'"clip": ', b'"clip": -'), "captions.jsonl, line"),
        (broken("captions", b'"references": [', b'"references": [1, '), "extra: It must be text"),
        (broken("answers", b'"choice": "', b'"choice": "x'), "Choose one of them"),
        (broken("pair_draws", b'"id": ', b'"x": '), "pair_draws.jsonl, line 1: systems"),
        (broken("project", b'"phases": [', b'"phases": [5, '), "project.json, line 1"),
    ],
}


def refusal(file: Path, manager: User) -> str:
    with pytest.raises(CommandError) as told:
        run("import_project", file, "--manager", manager.username)
    return str(told.value)


def test_members_that_no_project_writes_or_that_come_twice_and_files_that_are_too_large_are_refused(
    whole: Crew, tmp_path: Path, settings: Any
) -> None:
    file, data = tmp_path / "x.zip", archived(whole.project)
    for name in ("../escape", "sounds/x.wav", "answers.pickle", "/etc/passwd"):
        file.write_bytes(data)
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("__MACOSX/._x", b"kept by a system, and read by nobody")
            archive.writestr(name, b"x")
        assert f'"{name}" is not part of a project' in refusal(file, whole.manager)
    file.write_bytes(data)
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(PROJECT, b"{}")
    assert f'"{PROJECT}" twice' in refusal(file, whole.manager)
    settings.MAX_AUDIO_BYTES = 100
    file.write_bytes(data)
    assert "and the limit is" in refusal(file, whole.manager)
    file.write_bytes(b"no zip")
    assert "not a zip" in refusal(file, whole.manager)
    assert Project.objects.count() == 1


@pytest.mark.parametrize("kind", ["label", *MAKERS])
def test_what_does_not_fit_is_told_and_makes_nothing(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if kind in MAKERS:
        project, manager = MAKERS[kind](tmp_path)
    else:
        whole: Crew = request.getfixturevalue("whole")
        project, manager = whole.project, whole.manager
    file, missed = written(project, tmp_path / "x.zip"), []
    data = file.read_bytes()
    made = [rows.objects.count() for rows in (Project, User, Annotation, Sound)]
    for parts, said in FAULTS[kind]:
        file.write_bytes(changed(data, **parts))
        if said not in (told := refusal(file, manager)):
            missed.append((said, told))
    assert missed == []
    assert [rows.objects.count() for rows in (Project, User, Annotation, Sound)] == made
