"""``choose_clips`` on the command line."""

import csv
import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

POOL = (
    "file_name,tags,duration,uploader\n"
    "a.wav,dog;bark,16,ann\n"
    "b.wav,dog,20,ann\n"
    "c.wav,cat,24,bob\n"
    "d.wav,rain;water,29,bob\n"
    "e.wav,rain,31,cas\n"
)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "pool.csv"
    path.write_text(POOL, encoding="utf-8")
    return path


def run(pool: Path, *arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("choose_clips", str(pool), *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_file_says_what_was_chosen_of_what_and_how(pool: Path, tmp_path: Path) -> None:
    target = tmp_path / "chosen.json"
    arguments = ("--count=2", "--seed=3", "--shortest=15", "--longest=30", f"--json={target}")
    out, err = run(pool, *arguments)
    assert out == ""
    assert "2 clips of 4. Entropy of the tags 2.0000 bits" in err
    found = json.loads(target.read_text(encoding="utf-8"))
    # Two clips with two tags each that occur once: no other two have four tags.
    assert found["chosen"] == ["a.wav", "d.wav"]
    assert found["pool"] == {
        "file": "pool.csv",
        "sha256": hashlib.sha256(pool.read_bytes()).hexdigest(),
    }
    assert (found["count"], found["seed"], found["pool_clips"]) == (2, 3, 5)
    assert (found["eligible_clips"], found["tags"], found["tags_covered"]) == (4, 5, 4)
    assert found["entropy"] == pytest.approx(2)
    assert found["entropy_limit"] >= 2
    # dog twice, four tags once.
    assert found["pool_entropy"] == pytest.approx(2.2516, abs=1e-4)
    assert found["durations"] == {
        "total": 45,
        "shortest": 16,
        "longest": 29,
        "mean": 22.5,
        "bins": [],
    }
    again = tmp_path / "again.json"
    run(pool, *arguments[:-1], f"--json={again}")
    assert again.read_bytes() == target.read_bytes()


def test_faults_of_the_pool_and_of_what_is_asked_come_together(pool: Path) -> None:
    pool.write_text(POOL + "f.wav,,long,\n", encoding="utf-8")
    errors = StringIO()
    with pytest.raises(CommandError, match="5 errors"):
        call_command(
            *("choose_clips", str(pool), "--count=9", "--seed=-1"),
            *("--group-column=uploader", "--most-per-group=2"),
            stderr=errors,
        )
    told = errors.getvalue()
    assert "line 7, column tags: The clip has no tags" in told
    assert "line 7, column duration: The duration is not a number" in told
    assert 'Found: "long"' in told
    assert "line 7, column uploader" in told
    assert 'column --count: The pool has 6 clips. Ask for at most as many. Found: "9"' in told
    assert "column --seed" in told


def test_paths_that_do_not_do(pool: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Check the path"):
        run(tmp_path / "none.csv", "--count=1")
    with pytest.raises(CommandError, match="used twice"):
        run(pool, "--count=1", f"--json={pool}")
    with pytest.raises(CommandError, match="it is a folder"):
        run(pool, "--count=1", f"--json={tmp_path}")
    with pytest.raises(CommandError, match="invalid _shares value"):
        run(pool, "--count=1", "--duration-shares=1,x")


PARTS = "development=.6,validation=.2,evaluation=.2"


def captions_file(path: Path, *, clips: int = 60, first: int = 0) -> Path:
    """Write clips with two captions of words of which many are rare."""
    rng = np.random.default_rng(first)
    words = [[f"w{int(90 * x**3)}" for x in rng.random(8)] for _ in range(clips)]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["file_name", "caption_1", "caption_2"])
        for number, said in enumerate(words, first):
            rows.writerow([f"é {number}.wav", f'A "{said[0]}", {number}', " ".join(said[1:])])
    return path


def split(*files: Path, out: Path, **options: Any) -> tuple[str, str]:
    """Run the command; what it wrote to both outputs."""
    stdout, stderr = StringIO(), StringIO()
    given = {"parts": PARTS, "trials": 2000, **options}
    try:
        call_command(
            "split_captions", *map(str, files), out=out, stdout=stdout, stderr=stderr, **given
        )
    except CommandError as error:
        return f"{error}", stderr.getvalue()
    return stdout.getvalue(), stderr.getvalue()


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_parts_have_every_clip_once_as_it_came(tmp_path: Path) -> None:
    files = [captions_file(tmp_path / "a.csv"), captions_file(tmp_path / "b.csv", first=60)]
    split(*files, out=tmp_path / "out", json=tmp_path / "report.json", seed=3)
    came = [row for file in files for row in rows_of(file)[1:]]
    found = {
        name: rows_of(tmp_path / "out" / f"{name}.csv")
        for name in ("development", "validation", "evaluation")
    }
    assert {tuple(rows[0]) for rows in found.values()} == {("file_name", "caption_1", "caption_2")}
    assert sorted(row for rows in found.values() for row in rows[1:]) == sorted(came)
    assert [len(rows) - 1 for rows in found.values()] == [72, 24, 24]
    for rows in found.values():
        order = [came.index(row) for row in rows[1:]]
        assert order == sorted(order), "clips are in the order in which they came"
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["clips"] == 120
    assert {name: part["clips"] for name, part in report["parts"].items()} == {
        name: len(rows) - 1 for name, rows in found.items()
    }


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    file = captions_file(tmp_path / "a.csv")
    (tmp_path / "validation.csv").write_text("mine")
    said, faults = split(file, out=tmp_path)
    assert said == "1 error. Nothing was written."
    assert "validation.csv" in faults
    assert "--replace" in faults
    assert (tmp_path / "validation.csv").read_text() == "mine"
    assert not (tmp_path / "development.csv").exists()
    split(file, out=tmp_path, replace=True)
    assert (tmp_path / "validation.csv").read_text() != "mine"
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv"] * 4


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    file = captions_file(tmp_path / "a.csv")
    bad = tmp_path / "bad.csv"
    bad.write_text("file_name,caption_1\nx.wav,...\n")
    said, faults = split(
        *(file, bad, tmp_path / "gone.csv"),
        out=tmp_path / "out",
        parts="a=.5,b/c=.6",
        seed=-1,
        trials=-5,
        similarity="0",
        keep_together=["place"],
    )
    assert said.endswith("Nothing was written.")
    places = [line.split(":")[1].strip() for line in faults.splitlines()]
    # A long path is told by its beginning.
    gone = places.pop(3).removesuffix("…")
    assert str(tmp_path / "gone.csv").startswith(gone)
    assert places[:4] == ["--seed", "--trials", "--similarity", "--parts"]
    assert sum(place.startswith(str(bad)[:40]) for place in places) == 1
    assert "--keep-together" in places
    assert not (tmp_path / "out").exists()
