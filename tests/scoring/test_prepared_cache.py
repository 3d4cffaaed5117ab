"""The disk cache: the same scores, never half a file, never an error of its own."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from scoring import prepared_cache
from scoring.captions import References
from scoring.kept_references import KeptReferences
from scoring.metrics.bleu.metric import Bleu
from scoring.metrics.family import Arrays, Family
from scoring.metrics.rouge_l.metric import RougeL, RougeReferences
from scoring.pipeline import score, score_family
from scoring.prepared_cache import are_prepared, cache_name, prepared_references
from scoring.registry import load_family
from scoring.workspace import Workspace
from tests.scoring.corpora import corpus, words_workspace
from tests.scoring.strategies import Sides, corpora

CANDIDATES = ["a dog barks", "rain", "über\u00a0cool  "]
REFERENCES = [["a dog is barking", "the dog barks"], ["rain falls"], ["", "über cool"]]
FAMILIES = ("bleu", "rouge_l", "cider_d", "vocab", "sbert")


class NeverPrepared(RougeL):
    """Fails where the cache does not answer."""

    def prepare(self, references: References, workspace: Workspace) -> RougeReferences:
        raise AssertionError("the cache was not used")


@pytest.mark.parametrize("name", FAMILIES)
def test_cached_and_fresh_give_equal_scores(name: str, tmp_path: Path) -> None:
    candidates, references, workspace = corpus(CANDIDATES, REFERENCES, details=True)
    fresh = score_family(name, candidates, references, workspace)
    workspace.cache_dir = tmp_path / "new" / "folder"
    for _ in range(2):
        cached = score_family(name, candidates, references, workspace)
        for metric, result in fresh.items():
            assert cached[metric].value == result.value
            assert cached[metric].per_clip.tolist() == result.per_clip.tolist()
            assert cached[metric].details == result.details
    assert len(list(workspace.cache_dir.iterdir())) == 1


@given(corpora)
def test_what_is_dumped_is_what_is_loaded(sides: Sides) -> None:
    candidates, references, workspace = corpus(*sides, details=True)
    for name in ("bleu", "rouge_l", "cider_d"):
        family = load_family(name)
        ready = family.prepare(references, workspace)
        again = family.load(family.dump(ready))
        before, after = (
            family.score(candidates, references, each, workspace)[family.metrics[-1]]
            for each in (ready, again)
        )
        assert before.per_clip.tolist() == after.per_clip.tolist()
        assert before.details == after.details


def test_the_second_time_nothing_is_prepared(tmp_path: Path) -> None:
    _, references, workspace = corpus(CANDIDATES, REFERENCES, cache_dir=tmp_path)
    first = prepared_references(RougeL(), references, workspace)
    assert prepared_references(NeverPrepared(), references, workspace) == first


def test_what_several_families_use_is_kept_once(tmp_path: Path) -> None:
    """A worker holds the vectors of references once, and so does the disk."""
    _, references, workspace = corpus(CANDIDATES, REFERENCES, cache_dir=tmp_path)
    workspace.kept = KeptReferences()
    sbert, fense, earmark, content = (
        prepared_references(load_family(name), references, workspace)
        for name in ("sbert", "fense", "earmark", "spice_plus_emb")
    )
    assert fense == (sbert,)
    assert earmark == (sbert, content)
    assert {path.name.rpartition("-")[0] for path in tmp_path.iterdir()} == {
        "sbert",
        "spice_plus_emb",
    }
    assert are_prepared(load_family("earmark"), references, workspace)
    assert not are_prepared(load_family("spider_fl"), references, workspace)


def test_name_depends_on_references_and_signature() -> None:
    one = References.build([("a.wav", ["a dog"])])
    other = References.build([("b.wav", ["a dog"])])
    names = {
        cache_name(RougeL(), one),
        cache_name(RougeL(), other),
        cache_name(RougeL(beta=1), one),
        cache_name(Bleu(), one),
    }
    assert len(names) == 4
    assert cache_name(RougeL(), one) == cache_name(RougeL(), References.from_json(one.to_json()))


def _flip(data: bytes) -> bytes:
    at = data.index(b"words.npy") + 200
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: b"not a zip file",
        _flip,
    ],
    ids=["empty", "half", "one byte short", "other content", "one bit"],
)
@pytest.mark.parametrize("family", [RougeL(), Bleu()], ids=["rouge_l", "bleu"])
def test_damaged_file_is_prepared_again(
    family: Family[Any], damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    _, references, workspace = corpus(CANDIDATES, REFERENCES, cache_dir=tmp_path)
    prepared_references(family, references, workspace)
    path = tmp_path / cache_name(family, references)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    prepared_references(family, references, workspace)
    with np.load(path) as file:
        again = {name: file[name].tolist() for name in file.files}
    path.write_bytes(whole)
    with np.load(path) as file:
        assert again == {name: file[name].tolist() for name in file.files}


def test_pickled_objects_are_never_read(tmp_path: Path) -> None:
    _, references, workspace = corpus(CANDIDATES, REFERENCES, cache_dir=tmp_path)
    path = tmp_path / cache_name(RougeL(), references)
    np.savez(path, words=np.array([{"an": "object"}], dtype=object))
    assert prepared_references(RougeL(), references, workspace)[1] == [("rain", "falls")]


def test_folder_that_cannot_be_written_does_not_stop_the_scoring(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    sides = corpus(CANDIDATES, REFERENCES, cache_dir=tmp_path / "file")
    assert score(sides[0], sides[1], ["rouge_l"], sides[2]).unavailable == {}


def test_failure_while_writing_leaves_nothing_behind(tmp_path: Path) -> None:
    class Broken(RougeL):
        def dump(self, prepared: RougeReferences) -> Arrays:
            return {"words": np.array([object()])}

    _, references, workspace = corpus(CANDIDATES, REFERENCES, cache_dir=tmp_path)
    with pytest.raises(ValueError, match="allow_pickle"):
        prepared_references(Broken(), references, workspace)
    assert list(tmp_path.iterdir()) == []


def test_many_writers_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    _, references, _ = corpus(CANDIDATES, REFERENCES)

    def one(_: int) -> object:
        workspace = words_workspace([*CANDIDATES, *references.captions], cache_dir=tmp_path)
        return prepared_references(RougeL(), references, workspace)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(one, range(24)))
    assert all(each == found[0] for each in found)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


# Bytes of the prepared references of one clip.
SIZE = 1350


@pytest.fixture
def old_files(tmp_path: Path) -> list[Path]:
    """Prepared references of four sets, used 40, 30, 20 and 10 minutes ago by other processes."""
    paths = []
    for number in range(4):
        references = References.build([("a.wav", [f"a dog barks {number}"])])
        workspace = words_workspace(references.captions, cache_dir=tmp_path)
        prepared_references(RougeL(), references, workspace)
        paths.append(tmp_path / cache_name(RougeL(), references))
        used = time.time() - 600 * (4 - number)
        os.utime(paths[-1], (used, used))
        assert 0.8 * SIZE < paths[-1].stat().st_size < 1.2 * SIZE
    prepared_cache._used.clear()
    return paths


@pytest.fixture(autouse=True)
def nothing_used() -> Iterator[None]:
    prepared_cache._used.clear()
    yield
    prepared_cache._used.clear()


def prepare_new(folder: Path, files: float, caption: str = "rain falls") -> Path:
    """Prepare other references in a folder that may hold as much as so many files."""
    references = References.build([("a.wav", [caption])])
    workspace = words_workspace([caption], cache_dir=folder, cache_bytes=int(SIZE * files))
    prepared_references(RougeL(), references, workspace)
    return folder / cache_name(RougeL(), references)


def test_files_used_longest_ago_make_room(tmp_path: Path, old_files: list[Path]) -> None:
    new = prepare_new(tmp_path, 3.5)
    assert set(tmp_path.iterdir()) == {*old_files[2:], new}


def test_what_was_read_counts_as_used(tmp_path: Path, old_files: list[Path]) -> None:
    """Also for other processes, which go by the time of the file alone."""
    references = References.build([("a.wav", ["a dog barks 0"])])
    workspace = words_workspace(references.captions, cache_dir=tmp_path)
    prepared_references(NeverPrepared(), references, workspace)
    prepared_cache._used.clear()
    new = prepare_new(tmp_path, 2.5)
    assert set(tmp_path.iterdir()) == {old_files[0], new}


def test_files_that_this_process_has_just_used_stay(tmp_path: Path, old_files: list[Path]) -> None:
    """A run of many metrics must not throw out what it wrote a moment ago."""
    prepared_cache._used.extend(old_files[:2])
    new = prepare_new(tmp_path, 1)
    assert set(tmp_path.iterdir()) == {*old_files[:2], new}


def test_only_files_of_the_cache_are_removed(tmp_path: Path, old_files: list[Path]) -> None:
    """The folder may be one that a person has files in."""
    others = ["mine.npz", "meteor-paraphrases-2-abc.bin", "rouge_l-00.npz", "notes.part"]
    for name in others:
        (tmp_path / name).write_bytes(bytes(10 * SIZE))
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / "answers").mkdir()
    new = prepare_new(tmp_path, 2.5)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*others, "answers", new.name, old_files[3].name}


def test_unfinished_files_go_after_a_day(tmp_path: Path, old_files: list[Path]) -> None:
    old, young = (
        tmp_path / f"rouge_l-0123456789abcdef-{name}.part" for name in ("abcd_123", "wxyz_789")
    )
    for part, age in ((old, 90_000), (young, 80_000)):
        part.touch()
        os.utime(part, (time.time() - age,) * 2)
    prepare_new(tmp_path, 10)
    assert young.exists()
    assert not old.exists()


def test_what_cannot_be_removed_is_said_and_the_next_goes(
    tmp_path: Path,
    old_files: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path == old_files[0]:
            raise PermissionError("not yours")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    new = prepare_new(tmp_path, 3.5)
    assert set(tmp_path.iterdir()) == {old_files[0], old_files[3], new}
    assert f"Cannot remove {old_files[0]}" in caplog.text


def test_with_no_byte_for_them_references_are_neither_read_nor_written(
    tmp_path: Path, old_files: list[Path]
) -> None:
    references = References.build([("a.wav", ["a dog barks 0"])])
    workspace = words_workspace(references.captions, cache_dir=tmp_path, cache_bytes=0)
    with pytest.raises(AssertionError, match="the cache was not used"):
        prepared_references(NeverPrepared(), references, workspace)
    score_family("bleu", *corpus(CANDIDATES, REFERENCES, cache_dir=tmp_path, cache_bytes=0))
    assert set(tmp_path.iterdir()) == set(old_files)


def test_threads_that_make_room_at_the_same_time_do_not_disturb_each_other(
    tmp_path: Path, old_files: list[Path]
) -> None:
    with ThreadPoolExecutor(8) as pool:
        captions = [f"rain falls {number}" for number in range(32)]
        list(pool.map(lambda caption: prepare_new(tmp_path, 2.5, caption), captions))
    assert not list(tmp_path.glob("*.part"))
    prepared_cache._used.clear()
    prepare_new(tmp_path, 2.5)
    assert len(list(tmp_path.iterdir())) == 2
