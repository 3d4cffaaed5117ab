"""`manage.py check_captions`: the table, the JSON, the status, and files that cannot be read."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from earmark.datasets.describing import FIGURES, TITLES, published_sets

CLOTHO = (
    "file_name,caption_1,caption_2\n"
    "rain.wav,Continous rain falls on a roof of tin,It's raining on a roof of tin outside\n"
    'door.wav,"A door, once opened, is closed by a man who leaves",A man shuts a door\n'
)


def checked(path: Path, **options: object) -> str:
    out = StringIO()
    call_command("check_captions", str(path), stdout=out, stderr=out, **options)
    return out.getvalue()


def refused(path: Path, **options: object) -> tuple[str, int]:
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("check_captions", str(path), stdout=out, stderr=out, **options)
    return f"{out.getvalue()}{error.value}", error.value.returncode


@pytest.fixture
def clotho(tmp_path: Path) -> Path:
    path = tmp_path / "captions.csv"
    path.write_text(CLOTHO, encoding="utf-8")
    return path


def test_each_finding_is_a_line_with_its_line_of_the_file(clotho: Path) -> None:
    lines = checked(clotho, kinds="spelling,contraction,length").splitlines()
    assert [line.split()[:5] for line in lines[:3]] == [
        ["line", "2", "spelling", "rain.wav", "0-9"],
        ["line", "2", "contraction", "rain.wav", "0-4"],
        ["line", "3", "length", "door.wav", "0-18"],
    ]
    assert lines[0].split("->")[1].split(" | ")[0].strip() == "Continuous"
    assert lines[3] == "4 captions, 3 findings"
    assert [line.split() for line in lines[4:]] == [
        ["1", "contraction"],
        ["1", "length"],
        ["1", "spelling"],
    ]


def test_json_goes_to_a_file_or_to_standard_output(clotho: Path, tmp_path: Path) -> None:
    target = tmp_path / "findings.json"
    said = checked(clotho, kinds="contraction", json=str(target))
    assert said == f"Wrote {target} (1 finding).\n"
    expected = [
        {
            "file_name": "rain.wav",
            "caption": "It's raining on a roof of tin outside",
            "kind": "contraction",
            "start": 0,
            "end": 4,
            "text": "It's",
            "suggestions": ["It is", "It has", "Its"],
        }
    ]
    assert json.loads(target.read_text(encoding="utf-8")) == expected
    assert json.loads(checked(clotho, kinds="contraction", json="-")) == expected
    assert json.loads(checked(clotho, kinds="speech", json="-")) == []


def test_compressed_files_and_audiocaps_are_read(tmp_path: Path) -> None:
    path = tmp_path / "train.csv.gz"
    text = (
        "audiocap_id,youtube_id,start_time,caption\n1,abc,30,A dgo barks\n2,abc,30,A dog barks\n"
        "3,xyz,0,A dog barks\n"
    )
    path.write_bytes(gzip.compress(text.encode()))
    found = json.loads(checked(path, kinds="spelling,same_text", json="-"))
    assert [(one["file_name"], one["kind"], one["text"]) for one in found] == [
        ("abc", "spelling", "dgo"),
        ("abc", "same_text", "A dog barks"),
        ("xyz", "same_text", "A dog barks"),
    ]


def test_strict_ends_with_status_1_where_something_is_found(clotho: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        checked(clotho, kinds="contraction", strict=True)
    assert ended.value.code == 1
    assert "0 findings" in checked(clotho, kinds="speech", strict=True)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", ["empty"]),
        (b"file_name,caption_1\n", ["no rows"]),
        (b"clip,words\na,b\n", ["file_name"]),
        (b"file_name,caption_1\na.wav,\n", ["line 2", "no reference"]),
        (b"file_name,caption_1\na.wav,ab\x01c\nb.wav,...\n", ["line 2", "U+0001", "line 3"]),
        (b"\xff\xfe\x00\x00not text", ["error"]),
        (b'{"file_name": "a"', ["line 1"]),
    ],
)
def test_files_with_faults_are_refused_with_all_of_them(
    content: bytes, told: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "captions.csv"
    path.write_bytes(content)
    said, status = refused(path)
    assert status == 2
    assert "nothing was checked" in said
    assert all(part in said for part in told), said


def test_files_that_cannot_be_opened_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "captions.csv.gz"
    broken.write_bytes(gzip.compress(CLOTHO.encode())[:40])
    for path in (broken, tmp_path / "none.csv", tmp_path):
        said, status = refused(path)
        assert status == 2
        assert f"Cannot read {path}" in said
    broken.write_bytes(b"no gzip")
    assert refused(broken)[1] == 2


def test_options_that_cannot_be_used_are_refused(clotho: Path, tmp_path: Path) -> None:
    said, status = refused(clotho, kinds="speling")
    assert status == 2
    assert "spelling" in said
    assert refused(clotho, min_words=9, max_words=3)[1] == 2
    said, status = refused(clotho, kinds="speech", json=str(tmp_path / "no" / "f.json"))
    assert status == 2
    assert "cannot be written" in said


ONE = "file_name,caption_1,caption_2\nrain.wav,Rain falls,Rain on a roof\ndog.wav,A dog,A cat\n"
OTHER = "file_name,caption_1\nrain.wav,Rain falls\n"


def described(*paths: Path, **options: object) -> list[str]:
    out = StringIO()
    call_command("describe_captions", *map(str, paths), stdout=out, stderr=out, **options)
    return out.getvalue().splitlines()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "one.csv", tmp_path / "other.csv"]
    for path, text in zip(paths, (ONE, OTHER), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_each_file_is_a_column(files: list[Path]) -> None:
    rows = {line[:34].strip(): line[34:].split() for line in described(*files)}
    assert rows[""] == ["one.csv", "other.csv"]
    assert rows["captions"] == ["4", "1"]
    assert rows["different words"] == ["7", "2"]
    assert rows["similarity of a clip's captions"][1] == "none"


def test_json_has_every_figure_of_every_file(files: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    described(*files, json=str(target))
    one, other = json.loads(target.read_text(encoding="utf-8"))
    assert (one["file"], one["clips"], one["captions"]) == ("one.csv", 2, 4)
    assert one["words_per_caption"]["counts"] == {"2": 3, "4": 1}
    assert other["vocabulary_growth"] == [{"captions": 1, "words": 2.0}]


def test_nothing_is_described_where_one_file_is_unusable(files: list[Path], tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    files[1].write_text("name\nrain\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"other\.csv has .* Nothing was described") as error:
        described(*files, json=str(target))
    assert error.value.returncode == 2
    assert not target.exists()


def test_a_file_is_never_written_over_by_its_own_figures(files: list[Path]) -> None:
    with pytest.raises(CommandError):
        described(*files, json=str(files[0]))
    assert files[0].read_text(encoding="utf-8") == ONE


FILES = (
    "clotho/clotho_development.csv.gz",
    "clotho/clotho_captions_evaluation.csv",
    "audiocaps/train.csv.gz",
    "audiocaps/test.csv",
)


def test_the_sets_have_names_and_the_figures_of_the_measurements() -> None:
    """docs/measurements/data-sets.md, Describing."""
    sets = {row.title: row.figures for row in published_sets()}
    assert list(sets) == list(TITLES.values())
    assert sets["Clotho, development"]["captions"] == 19_195
    assert sets["Clotho, development"]["vocabulary"] == 4_360
    assert sets["AudioCaps, training"]["words_of_one_clip"] == 1_882
    grown = {row["captions"]: row["words"] for row in sets["AudioCaps, test"]["vocabulary_growth"]}
    assert round(grown[1_000]) == 966


def test_the_command_writes_the_same_file_again(shared_data: Path, tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    call_command(
        "describe_captions", *(str(shared_data / file) for file in FILES), json=str(target)
    )
    assert json.loads(target.read_text()) == json.loads(FIGURES.read_text())
