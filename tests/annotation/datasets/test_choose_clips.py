"""``choose_clips`` on the command line."""

import hashlib
import json
from io import StringIO
from pathlib import Path

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


def test_without_a_file_the_names_are_printed(pool: Path) -> None:
    out, err = run(
        pool,
        *("--count=2", "--shortest=15", "--longest=30", "--duration-shares=1,1"),
        *("--group-column=uploader", "--most-per-group=1"),
    )
    assert out == "a.wav\nd.wav\n"
    assert "15 to 22.5 s: 1 of 2\n" in err


def test_tags_exclude_clips_are_ignored_and_need_a_share_as_in_the_paper(
    pool: Path, tmp_path: Path
) -> None:
    target = tmp_path / "chosen.json"
    _, err = run(
        pool,
        *("--count=2", "--exclude-tags= Water;speech", "--ignore-tags=bark;Autumn"),
        *("--min-tag-share=.01", f"--json={target}"),
    )
    assert "1 clip left out for excluded tags." in err
    found = json.loads(target.read_text(encoding="utf-8"))
    assert (found["eligible_clips"], found["excluded_clips"], found["tags"]) == (4, 1, 3)
    assert found["asked"]["excluded_tags"] == ["water", "speech"]
    assert found["asked"]["ignored_tags"] == ["bark", "autumn"]
    assert found["asked"]["least_share"] == 0.01
    # dog and rain are in two of the five clips, cat in one of them.
    with pytest.raises(CommandError):
        run(pool, "--count=5", "--min-tag-share=.4")


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


def test_nothing_is_written_where_nothing_is_chosen(pool: Path, tmp_path: Path) -> None:
    target = tmp_path / "chosen.json"
    with pytest.raises(CommandError):
        run(pool, "--count=3", "--min-tag-clips=2", "--longest=20", f"--json={target}")
    assert not target.exists()


def test_paths_that_do_not_do(pool: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Check the path"):
        run(tmp_path / "none.csv", "--count=1")
    with pytest.raises(CommandError, match="used twice"):
        run(pool, "--count=1", f"--json={pool}")
    with pytest.raises(CommandError, match="it is a folder"):
        run(pool, "--count=1", f"--json={tmp_path}")
    with pytest.raises(CommandError, match="invalid _shares value"):
        run(pool, "--count=1", "--duration-shares=1,x")
