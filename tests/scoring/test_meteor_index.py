"""References prepared by the index of the paraphrase table are those prepared by reading it all."""

import gzip
import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.captions import Candidates, References
from scoring.explanations import example_corpus
from scoring.metrics.meteor import index
from scoring.metrics.meteor import metric as metric_module
from scoring.metrics.meteor.files import paraphrase_path
from scoring.metrics.meteor.index import index_for
from scoring.metrics.meteor.normalizer import words_of
from scoring.metrics.meteor.paraphrases import ParaphraseTable, reduce_table
from scoring.pipeline import score_family
from scoring.text.ptb import tokenize
from scoring.workspace import Workspace

Pairs = Iterable[tuple[str, str]]
PHRASES = ("a", "dog", "dogs", "a dog", "the dog", "is talking", "speaks", "ßu", "a b c d e f g")
SENTENCES = [("she", "is", "talking"), ("a", "dog", "speaks"), ("ßu", "a", "b", "c", "d", "e")]


@pytest.fixture(autouse=True)
def nothing_open() -> None:
    index._opened.cache_clear()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the index of the real table is built once."""
    return tmp_path_factory.mktemp("indexes")


def write_table(path: Path, pairs: Pairs) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.1\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in pairs)
    return path


def reduced(table: Path, folder: Path, sentences: Sequence[Sequence[str]]) -> ParaphraseTable:
    found = index_for(table, folder)
    assert found is not None
    return found.reduce(sentences)


def built_index(folder: Path) -> tuple[Path, Path]:
    """Build the index of a small table, not open afterwards; gives table and index."""
    table = write_table(folder / "table.gz", [("dog", "dogs"), ("speaks", "is talking")])
    assert index_for(table, folder)
    index._opened.cache_clear()
    (built,) = folder.glob("meteor-paraphrases-1-*")
    return table, built


def assert_same(one: ParaphraseTable, other: ParaphraseTable) -> None:
    left, right = one.dump(), other.dump()
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name], err_msg=name)


def split(captions: Sequence[str]) -> list[tuple[str, ...]]:
    return [words_of(tokenize(caption)) for caption in captions]


def test_real_references_have_the_same_part_of_the_real_table(folder: Path) -> None:
    sentences = split(example_corpus()[1].captions)
    found = reduced(paraphrase_path(), folder, sentences)
    assert len(found.place) > 10_000
    assert_same(found, reduce_table(paraphrase_path(), sentences))


def test_clotho_has_the_same_part_of_the_real_table(folder: Path, shared_data: Path) -> None:
    rows = (shared_data / "clotho/clotho_captions_evaluation.csv").read_text().splitlines()
    sentences = split(rows[1::7])
    found = reduced(paraphrase_path(), folder, sentences)
    assert_same(found, reduce_table(paraphrase_path(), sentences))


def test_scores_and_signatures_are_the_same(folder: Path) -> None:
    candidates, references = example_corpus()
    plain, quick = (
        score_family("meteor", candidates, references, Workspace(details=True), **parameters)
        for parameters in ({}, {"index": str(folder)})
    )
    np.testing.assert_array_equal(plain["meteor"].per_clip, quick["meteor"].per_clip)
    assert plain["meteor"].details == quick["meteor"].details
    assert plain["meteor"].signature == quick["meteor"].signature


@settings(max_examples=40)
@given(pairs=st.lists(st.tuples(st.sampled_from(PHRASES), st.sampled_from(PHRASES)), min_size=1))
def test_any_table_in_any_order(tmp_path_factory: pytest.TempPathFactory, pairs: Pairs) -> None:
    """Phrases that do not stand together, pairs that repeat, a phrase that is its own."""
    place = tmp_path_factory.mktemp("table")
    table = write_table(place / "table.gz", pairs)
    assert_same(reduced(table, place, SENTENCES), reduce_table(table, SENTENCES))


def test_equal_hashes_are_told_apart_by_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "crc32", lambda _text: 7)
    pairs = [("dog", "dogs"), ("dog", "a dog"), ("speaks", "is talking"), ("cat", "dog")]
    table = write_table(tmp_path / "table.gz", pairs)
    found = reduced(table, tmp_path, SENTENCES)
    assert found.links("dogs") == {"dog": [(False, 0)]}
    assert_same(found, reduce_table(table, SENTENCES))


def test_blocks_of_the_table_make_no_difference(tmp_path: Path) -> None:
    """The same phrase on both sides of a block's end, which is some 4 MB away."""
    pairs = [("speaks", f"word number {number}") for number in range(200_000)]
    pairs.append(("speaks", "is talking"))
    table = write_table(tmp_path / "table.gz", pairs)
    assert_same(reduced(table, tmp_path, SENTENCES), reduce_table(table, SENTENCES))


def test_it_is_built_once_and_opened_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write_table(tmp_path / "table.gz", [("dog", "dogs")])
    assert index_for(table, tmp_path)
    index._opened.cache_clear()
    monkeypatch.setattr(index, "build", None)
    assert reduced(table, tmp_path, SENTENCES).links("dogs") == {"dog": [(False, 0)]}


FILES = ["runs.txt", "paraphrases.txt", *(f"{name}.npy" for name in index.ARRAYS)]


def cut(content: bytes) -> bytes:
    return content[:-3]


def flipped(content: bytes) -> bytes:
    """Other numbers, of the size that they had."""
    return content[:-1] + bytes([content[-1] ^ 1])


def replaced(_content: bytes) -> bytes:
    return b"{}"


@pytest.mark.parametrize("damage", [cut, flipped, replaced])
@pytest.mark.parametrize("name", [*FILES, "checksums.json"])
def test_a_damaged_index_is_built_anew(
    tmp_path: Path, name: str, damage: Callable[[bytes], bytes]
) -> None:
    """Else a flipped bit would give other numbers, and nobody would know."""
    table, built = built_index(tmp_path)
    whole = (built / name).read_bytes()
    (built / name).write_bytes(damage(whole))
    assert_same(reduced(table, tmp_path, SENTENCES), reduce_table(table, SENTENCES))
    assert (built / name).read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [built.name]


@pytest.mark.parametrize("sums", ["[]", "{}", "1", '{"../../secret": [1, 1]}'])
def test_names_are_not_taken_from_a_file_that_may_be_damaged(tmp_path: Path, sums: str) -> None:
    table, built = built_index(tmp_path)
    (built / "checksums.json").write_text(sums)
    (built / "runs.txt").unlink()
    assert_same(reduced(table, tmp_path, SENTENCES), reduce_table(table, SENTENCES))


@pytest.mark.parametrize(
    "error", [IndexError, ValueError, UnicodeDecodeError("utf-8", b"", 0, 1, "")]
)
def test_an_index_that_is_damaged_while_it_is_open_is_left_aside(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception | type[Exception],
) -> None:
    table, _ = built_index(tmp_path)
    monkeypatch.setattr(metric_module, "paraphrase_path", lambda: table)

    def unreadable(*_: object) -> None:
        raise error

    monkeypatch.setattr(index.ParaphraseIndex, "reduce", unreadable)
    meteor = metric_module.Meteor(index=tmp_path)
    assert_same(meteor._reduced(SENTENCES), reduce_table(table, SENTENCES))
    assert "is damaged" in caplog.text
    assert index._opened.cache_info().currsize == 0


def test_what_killed_processes_left_is_swept_a_day_later(tmp_path: Path) -> None:
    """Each may hold 170 MB; a younger one may still be written."""
    old, young = (tmp_path / f"meteor-paraphrases-{name}.part" for name in ("old", "young"))
    for part, age in ((old, 90_000), (young, 80_000)):
        part.mkdir()
        (part / "runs.txt").touch()
        os.utime(part, (time.time() - age,) * 2)
    built_index(tmp_path)
    assert young.is_dir()
    assert not old.exists()


def test_another_process_that_was_faster_is_not_disturbed(tmp_path: Path) -> None:
    """Its index stays: the file that others have mapped is the file that is there."""
    table, built = built_index(tmp_path)
    before = (built / "runs.txt").stat().st_ino
    index.build(table, built)
    assert (built / "runs.txt").stat().st_ino == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [built.name]


def test_nothing_half_built_stays_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    table = write_table(tmp_path / "table.gz", [("dog", "dogs")])
    monkeypatch.setattr(index, "_write", full)
    assert index_for(table, tmp_path) is None
    assert [path.name for path in tmp_path.iterdir()] == ["table.gz"]
    assert "No space left" in caplog.text


def test_without_a_place_for_the_index_the_table_is_read_and_that_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A server would else try, and log a traceback, with every caption that is tried."""
    table = write_table(tmp_path / "table.gz", [("a dog", "the dog")])
    monkeypatch.setattr(metric_module, "paraphrase_path", lambda: table)
    occupied = tmp_path / "file"
    occupied.write_text("not a folder")
    references = References.build([("x.wav", ["a dog barks"])])
    scores = [
        score_family(
            "meteor", Candidates.single(["the dog barks"]), references, Workspace(), **more
        )
        for more in ({}, {"index": str(occupied)}, {"index": str(occupied)})
    ]
    assert len({score["meteor"].value for score in scores}) == 1
    assert caplog.text.count("No index of METEOR's paraphrases") == 1
