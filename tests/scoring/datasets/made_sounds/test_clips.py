"""Which clips are made: the same for the same seed, whatever their number, in three splits."""

import csv
import filecmp
from pathlib import Path

import numpy as np
import pytest
import soundfile

from scoring.cli.parser import main
from scoring.datasets.made_sounds import SPLITS, MadeClip, made_clips, split_counts


def test_a_clip_does_not_depend_on_how_many_are_made(clips: list[MadeClip]) -> None:
    for one, other in zip(made_clips("development", 12, seed=3), clips, strict=False):
        assert (one.file_name, one.captions) == (other.file_name, other.captions)
        assert one.content == other.content
        assert np.array_equal(one.samples, other.samples)


def test_seeds_and_splits_have_nothing_in_common() -> None:
    sources = [(split, seed) for split in SPLITS for seed in (0, 1)]
    made = [clip for split, seed in sources for clip in made_clips(split, 10, seed)]
    assert len({repr(clip.content) for clip in made}) == len(made)
    assert len({frozenset(clip.captions) for clip in made}) == len(made)
    assert len({clip.samples.tobytes() for clip in made}) == len(made)


def test_the_command_writes_clothos_layout_twice_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    assert main(["sounds", str(one), "--clips", "3", "--seed", "4"]) == 0
    assert "Made 147 clips" in capsys.readouterr().err
    assert main(["sounds", str(other), "--clips", "2", "--seed", "4"]) == 0
    for split, count in split_counts(3).items():
        with (one / f"captions_{split}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["file_name", *(f"caption_{number}" for number in range(1, 6))]
        assert [row[0] for row in rows[1:]] == sorted(path.name for path in (one / split).iterdir())
        assert len(rows) == count + 1
        names = [path.name for path in (other / split).iterdir()]
        assert filecmp.cmpfiles(one / split, other / split, names, shallow=False)[0] == names
    clip = next(made_clips("development", 1, seed=4))
    found = soundfile.info(one / "development" / clip.file_name)
    assert (found.samplerate, found.channels, found.subtype) == (16_000, 1, "PCM_16")
    read, _ = soundfile.read(one / "development" / clip.file_name)
    assert np.allclose(read, clip.samples, atol=1 / 32_000)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--clips", "0"], "--clips 0: give a whole number"),
        (["--seed", "-1"], "--seed -1: give 0 or more"),
        (["--rate", "8000"], "--rate 8000: give 16000 to 48000 Hz"),
    ],
)
def test_the_command_names_what_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main(["sounds", str(tmp_path / "new"), *arguments]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_the_command_does_not_mix_its_files_with_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").touch()
    assert main(["sounds", str(tmp_path)]) == 2
    assert "already holds something" in capsys.readouterr().err
