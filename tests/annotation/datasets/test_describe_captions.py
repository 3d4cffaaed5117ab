"""`manage.py describe_captions`: the table, the JSON, and files that cannot be read."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

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
