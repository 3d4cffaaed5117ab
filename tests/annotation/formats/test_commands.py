"""The commands: files in and out of projects."""

from pathlib import Path

import pytest
from django.core.management import CommandError

from annotation.models import Annotation, Project
from tests.annotation.conftest import Crew
from tests.factories import UserFactory
from tests.leaderboard.challenges.test_commands import run

pytestmark = pytest.mark.one_database


def test_a_real_file_goes_in_by_one_command_and_out_by_another(
    db: None, shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "descriptors" / "aces_13_labels.jsonl"
    gijs = UserFactory(username="gijs")
    arguments = [source, "--project", "aces", "--create"]
    out, err = run("import_annotations", *arguments, "--as", "audio_captions_dev-gijs=gijs")
    assert out.splitlines() == [
        "Created the project aces with ACES, 13 labels.",
        "New member without a log-in: audio_captions_dev-elia",
        "aces: 400 captions and 400 annotations added, 0 there already, 0 left out.",
    ]
    assert err == ""
    assert Annotation.objects.filter(user=gijs).count() == 184
    target = tmp_path / "out.jsonl"
    out, _ = run("export_annotations", "aces", "--out", target)
    assert out == f"Wrote {target} (551,604 bytes).\n"
    assert target.read_bytes() == source.read_bytes()
    assert list(tmp_path.iterdir()) == [target]
    out, _ = run("import_annotations", target, "--project", "aces")
    assert out == "aces: 0 captions and 0 annotations added, 400 there already, 0 left out.\n"


def test_thirteen_labels_become_ten_on_request(db: None, shared_data: Path) -> None:
    source = shared_data / "descriptors" / "aces_13_labels.jsonl"
    arguments = [source, "--project", "ten", "--create", "--scheme", "aces-10"]
    out, _ = run("import_annotations", *arguments, "--map-from", "aces-13")
    assert "400 annotations added" in out
    assert out.splitlines()[-1].endswith("annotations incomplete: flagged, and not counted.")


def test_lines_that_were_left_out_are_told(crew: Crew, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"text": "one dog"}\n{"text": ""}\n')
    out, err = run("import_annotations", file, "--project", crew.project.slug)
    assert err == "Line 2: The text is empty. Leave the record out.\n"
    assert "1 caption and 0 annotations added, 0 there already, 1 left out." in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--project", "no"], "There is no project no. Known: project-0."),
        (["--project", "n o", "--create"], "Enter a valid"),
        (["--project", "x", "--create", "--scheme", "y"], "There is no scheme y. Known: aces-10, "),
        (["--project", "x", "--create", "--manager", "y"], "There is no user y."),
        (["--project", "x", "--create", "--copies", "0"], "greater than or equal to 1"),
        (["--project", "project-0", "--as", "elia"], "should be SESSION=USERNAME"),
        (["--project", "project-0", "--as", "a=b"], "There is no user b."),
        (["--project", "project-0", "--map", "NOISE"], "should be LABEL=LABEL"),
        (["--project", "new", "--create"], "cannot be read"),
        (["--project", "project-0"], "cannot be read"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_made(
    crew: Crew, tmp_path: Path, arguments: list[str], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        run("import_annotations", tmp_path / "none.jsonl", *arguments)
    assert Project.objects.count() == 1


def test_an_export_that_cannot_be_says_why(crew: Crew, tmp_path: Path) -> None:
    slug = crew.project.slug
    with pytest.raises(CommandError, match="There is no project no"):
        run("export_annotations", "no")
    with pytest.raises(CommandError, match='Nobody called "x"'):
        run("export_annotations", slug, "--who", "x")
    with pytest.raises(CommandError, match="cannot be written"):
        run("export_annotations", slug, "--out", tmp_path / "no" / "x")


def test_without_a_file_it_goes_to_standard_output(
    crew: Crew, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    run("export_annotations", crew.project.slug, "--format", "csv")
    assert capfdbinary.readouterr().out.startswith(b"text,")
