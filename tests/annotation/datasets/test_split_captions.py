"""The command that splits captions: its files, its report, and what it refuses."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management import CommandError, call_command

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


def test_groups_stay_together_and_a_forced_difference_is_told(tmp_path: Path) -> None:
    file = captions_file(tmp_path / "a.csv", clips=20)
    whose = tmp_path / "whose.csv"
    rows = [f"é {number}.wav,{'ann' if number < 15 else f'p{number}'}" for number in range(20)]
    whose.write_text("\n".join(["file_name,uploader", *rows, ""]), encoding="utf-8")
    said, _ = split(file, out=tmp_path / "out", metadata=[whose])
    names = [row[0] for row in rows_of(tmp_path / "out" / "development.csv")[1:]]
    assert {f"é {number}.wav" for number in range(15)} <= set(names)
    assert "15 clips (12 asked for: groups stay together)" in said
    assert "1 group of clips stay together; the largest has 15." in said


def test_words_that_break_constraints_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    # The two clips with "thunder" stay together: their captions are equal.
    rows = [f"{n}.wav,word{n % 14} here,place{n}" for n in range(28)]
    rows += [f"{name}.wav,thunder here,{name}" for name in "ab"]
    file.write_text("\n".join(["file_name,caption_1,caption_2", *rows, ""]))
    said, _ = split(file, out=tmp_path / "out", similarity="1", parts="big=.6,small=.4")
    listed = [line for line in said.splitlines() if line.startswith('  "thunder", 2 clips, ')]
    assert len(listed) == 1
    assert "in one part" in listed[0]
    assert listed[0].endswith("(1 wanted in big)")
