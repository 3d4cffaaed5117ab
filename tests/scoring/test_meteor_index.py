"""References prepared by the index of the paraphrase table are those prepared by reading it all."""

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.captions import Candidates, References
from scoring.explanations.example import example_corpus
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the index of the real table is built once."""
    return tmp_path_factory.mktemp("indexes")


def write_table(path: Path, pairs: Pairs) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.1\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in pairs)
    return path


def assert_same(one: ParaphraseTable, other: ParaphraseTable) -> None:
    left, right = one.dump(), other.dump()
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name], err_msg=name)


def split(captions: Sequence[str]) -> list[tuple[str, ...]]:
    return [words_of(tokenize(caption)) for caption in captions]


def test_real_references_have_the_same_part_of_the_real_table(folder: Path) -> None:
    sentences = split(example_corpus()[1].captions)
    found = index_for(paraphrase_path(), folder).reduce(sentences)
    assert len(found.place) > 10_000
    assert_same(found, reduce_table(paraphrase_path(), sentences))


def test_clotho_has_the_same_part_of_the_real_table(folder: Path, shared_data: Path) -> None:
    rows = (shared_data / "clotho/clotho_captions_evaluation.csv").read_text().splitlines()
    sentences = split(rows[1::7])
    found = index_for(paraphrase_path(), folder).reduce(sentences)
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
    assert_same(index_for(table, place).reduce(SENTENCES), reduce_table(table, SENTENCES))


def test_equal_hashes_are_told_apart_by_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "crc32", lambda _text: 7)
    pairs = [("dog", "dogs"), ("dog", "a dog"), ("speaks", "is talking"), ("cat", "dog")]
    table = write_table(tmp_path / "table.gz", pairs)
    found = index_for(table, tmp_path).reduce(SENTENCES)
    assert found.links("dogs") == {"dog": [(False, 0)]}
    assert_same(found, reduce_table(table, SENTENCES))


def test_blocks_of_the_table_make_no_difference(tmp_path: Path) -> None:
    """The same phrase on both sides of a block's end, which is some 4 MB away."""
    pairs = [("speaks", f"word number {number}") for number in range(200_000)]
    pairs.append(("speaks", "is talking"))
    table = write_table(tmp_path / "table.gz", pairs)
    assert_same(index_for(table, tmp_path).reduce(SENTENCES), reduce_table(table, SENTENCES))


def test_it_is_built_once_and_opened_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write_table(tmp_path / "table.gz", [("dog", "dogs")])
    index_for(table, tmp_path)
    index._opened.cache_clear()
    monkeypatch.setattr(index, "_build", None)
    assert index_for(table, tmp_path).reduce(SENTENCES).links("dogs") == {"dog": [(False, 0)]}


@pytest.mark.parametrize("name", ["runs.txt", "paraphrase_hash.npy", "sizes.json"])
def test_a_damaged_index_is_built_anew(tmp_path: Path, name: str) -> None:
    table = write_table(tmp_path / "table.gz", [("dog", "dogs"), ("speaks", "is talking")])
    index_for(table, tmp_path)
    index._opened.cache_clear()
    (built,) = (path for path in tmp_path.iterdir() if path.is_dir())
    (built / name).write_bytes((built / name).read_bytes()[:-3])
    assert_same(index_for(table, tmp_path).reduce(SENTENCES), reduce_table(table, SENTENCES))


def test_nothing_half_built_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    table = write_table(tmp_path / "table.gz", [("dog", "dogs")])
    monkeypatch.setattr(index, "_write", full)
    with pytest.raises(OSError, match="No space"):
        index_for(table, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["table.gz"]


def test_without_a_place_for_the_index_the_table_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table = write_table(tmp_path / "table.gz", [("a dog", "the dog")])
    monkeypatch.setattr(metric_module, "paraphrase_path", lambda: table)
    occupied = tmp_path / "file"
    occupied.write_text("not a folder")
    references = References.build([("x.wav", ["a dog barks"])])
    scores = [
        score_family(
            "meteor", Candidates.single(["the dog barks"]), references, Workspace(), **more
        )
        for more in ({}, {"index": str(occupied)})
    ]
    assert scores[0]["meteor"].value == scores[1]["meteor"].value
    assert "No index of METEOR's paraphrases" in caplog.text
