"""`manage.py make_sounds`: its files are read by the other commands, and bad input is refused."""

import wave
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from scoring.captions import read_references


def made(folder: Path, **options: object) -> str:
    out = StringIO()
    call_command("make_sounds", str(folder), stdout=out, **options)
    return out.getvalue()


def test_sounds_captions_and_pool_fit_each_other(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    assert made(folder, count=9, seed=2) == f"Made 9 sounds in {folder}.\n"
    names = sorted(path.name for path in (folder / "sounds").iterdir())
    read = read_references((folder / "captions.csv").read_bytes())
    assert read.value is not None
    assert sorted(read.value.file_names) == names
    call_command(
        "choose_clips",
        str(folder / "pool.csv"),
        count=4,
        seed=1,
        json=str(tmp_path / "chosen.json"),
        stdout=StringIO(),
    )
    assert (tmp_path / "chosen.json").is_file()
    with wave.open(str(folder / "sounds" / names[0])) as file:
        assert file.getnframes() > file.getframerate()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"count": 0}, "--count 0"), ({"count": 10_001}, "10,000"), ({"seed": -1}, "--seed -1")],
)
def test_what_cannot_be_made_is_refused(tmp_path: Path, options: dict[str, int], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        made(tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CommandError, match="new or empty"):
        made(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
