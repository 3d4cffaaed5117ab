"""Prepared references on disk and in memory: the same scores, never half a file, and bounded."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from earmark import prepared_cache
from earmark.captions import References
from earmark.kept_references import KeptReferences
from earmark.metrics.bleu.metric import Bleu
from earmark.metrics.family import Arrays, Family
from earmark.metrics.rouge_l.metric import RougeL, RougeReferences
from earmark.pipeline import score, score_family
from earmark.prepared_cache import are_prepared, cache_name, prepared_references
from earmark.registry import load_family, standard_families
from earmark.workspace import Workspace
from tests.earmark.corpora import Sides, corpora, corpus, words_workspace

CANDIDATES = ["a dog barks", "rain", "über\u00a0cool  "]
REFERENCES = [["a dog is barking", "the dog barks"], ["rain falls"], ["", "über cool"]]


class NeverPrepared(RougeL):
    """Fails where the cache does not answer."""

    def prepare(self, references: References, workspace: Workspace) -> RougeReferences:
        raise AssertionError("the cache was not used")


@pytest.mark.parametrize("name", standard_families())
@pytest.mark.parametrize("sides", [(CANDIDATES, REFERENCES), (["rain"], [["the"]])])
def test_cached_and_fresh_give_equal_scores(
    name: str, sides: tuple[list[str], list[list[str]]], tmp_path: Path
) -> None:
    candidates, references, workspace = corpus(*sides, details=True)
    fresh = score_family(name, candidates, references, workspace)
    workspace.cache_dir = tmp_path / "new" / "folder"
    for _ in range(2):
        cached = score_family(name, candidates, references, workspace)
        for metric, result in fresh.items():
            np.testing.assert_array_equal(cached[metric].value, result.value)
            np.testing.assert_array_equal(cached[metric].per_clip, result.per_clip)
            assert cached[metric].details == result.details
    assert list(workspace.cache_dir.iterdir())


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


TWO_CLIPS = References.build([("a.wav", ["a dog barks"]), ("b.wav", ["rain falls", "it rains"])])


def workspace_with(kept: KeptReferences | None, cache_dir: Path | None = None) -> Workspace:
    return words_workspace(TWO_CLIPS.captions, kept=kept, cache_dir=cache_dir)


def test_runs_that_share_it_prepare_once_for_each_choice_of_parameters() -> None:
    kept = KeptReferences()
    first, second, other, again = (
        prepared_references(family, TWO_CLIPS, workspace_with(kept))
        for family in (RougeL(), RougeL(), RougeL(beta=1.0), RougeL(beta=1.0))
    )
    assert first is second
    assert other is again
    assert other is not first
    assert prepared_references(RougeL(), TWO_CLIPS, workspace_with(None)) is not first
    assert len(kept) == 1


def test_threads_make_what_they_want_at_once_only_once() -> None:
    kept, together = KeptReferences(), Barrier(8)
    made: list[int] = []

    def want(number: int) -> int:
        def make() -> int:
            made.append(number)
            return number

        together.wait()
        return kept.once("references", "bleu", make)

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(want, range(8)))
    assert len(made) == 1
    assert found == set(made)


def test_the_set_that_was_used_least_recently_goes() -> None:
    kept = KeptReferences(sets=2)
    for references in ("first", "second", "first", "third"):
        for family in ("bleu", "rouge_l"):
            kept.once(references, family, partial(str, references))
    assert len(kept) == 2
    assert kept.once("first", "bleu", lambda: "anew") == "first"
    assert kept.once("second", "bleu", lambda: "anew") == "anew"


def test_a_failure_is_not_kept() -> None:
    kept = KeptReferences()

    def fail() -> str:
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        kept.once("references", "bleu", fail)
    assert kept.once("references", "bleu", lambda: "made") == "made"
