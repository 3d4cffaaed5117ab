"""The packed paraphrase table has the pairs of METEOR's file, whatever befalls the packed file."""

import gzip
import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earmark.captions import Candidates, References
from earmark.metrics.meteor import paraphrases
from earmark.metrics.meteor.files import paraphrase_path
from earmark.metrics.meteor.normalizer import words_of
from earmark.metrics.meteor.paraphrases import (
    MAX_WORDS,
    ParaphraseTable,
    pack_pairs,
    paraphrase_table,
    read_pairs,
)
from earmark.packed_file import PackedFileDamaged, mapped
from earmark.pipeline import score_family
from earmark.text.ptb import tokenize
from earmark.workspace import Workspace

Sentences = Sequence[Sequence[str]]
# (phrase of a reference or of a candidate that comes first in the file, paraphrases in order).
Found = dict[tuple[bool, str], list[str]]

PHRASES = ("a", "dog", "dogs", "a dog", "the dog", "is talking", "speaks", "ßu", "a b c d e f g")
WORDS = ("she", "is", "talking", "a", "dog", "dogs", "speaks", "ßu", "b", "c", "d", "e", "f", "g")
sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=9), max_size=4)


def write_table(path: Path, pairs: Iterable[tuple[str, str]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.1\n{phrase}\n{paraphrase}\n" for phrase, paraphrase in pairs)
    return path


def ngrams(captions: Sentences) -> set[str]:
    return {
        " ".join(words[start : start + length])
        for words in captions
        for start in range(len(words))
        for length in range(1, MAX_WORDS + 1)
        if start + length <= len(words)
    }


def by_reading_all(path: Path, candidates: Sentences, references: Sentences) -> Found:
    """What METEOR does: it reads every pair, and keeps those whose sides are in the captions."""
    said, told = (
        {phrase.encode() for phrase in ngrams(captions)} for captions in (candidates, references)
    )
    found: Found = {}
    for phrases, partners in read_pairs(path):
        for phrase, partner in zip(phrases, partners, strict=True):
            if phrase in told and partner in said:
                found.setdefault((False, phrase.decode()), []).append(partner.decode())
            if phrase in said and partner in told:
                found.setdefault((True, phrase.decode()), []).append(partner.decode())
    return found


def by_table(table: ParaphraseTable, candidates: Sentences, references: Sentences) -> Found:
    """The same by a packed table, whose nodes are told by where they stand."""
    texts: list[dict[int, str]] = []
    for captions in (candidates, references):
        places = zip(*(column.tolist() for column in table.phrases_in(captions)), strict=True)
        texts.append(
            {
                node: " ".join(captions[sentence][start : start + length])
                for node, sentence, start, length in places
            }
        )
    said, told = (np.array(sorted(text), np.int64) for text in texts)
    links = table.links(said, told)
    found: Found = {}
    for row in np.argsort(links.place, kind="stable").tolist():
        backward = bool(links.backward[row])
        candidate = texts[0][int(links.candidate[row])]
        reference = texts[1][int(links.reference[row])]
        phrase, partner = (candidate, reference) if backward else (reference, candidate)
        found.setdefault((backward, phrase), []).append(partner)
    return found


@settings(max_examples=60)
@given(
    pairs=st.lists(st.tuples(st.sampled_from(PHRASES), st.sampled_from(PHRASES)), min_size=1),
    candidates=sentences,
    references=sentences,
)
def test_any_table_in_any_order(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[str, str]],
    candidates: Sentences,
    references: Sentences,
) -> None:
    """Phrases that do not stand together, pairs that repeat, a phrase that is its own."""
    path = write_table(tmp_path_factory.mktemp("table") / "table.gz", pairs)
    table = pack_pairs(read_pairs(path))
    assert by_table(table, candidates, references) == by_reading_all(path, candidates, references)


def test_words_that_differ_in_zeros_are_told_apart() -> None:
    """Numpy compares bytes without the zeros at their end."""
    table = pack_pairs([([b"dog"], [b"dogs"])])
    assert by_table(table, [("dogs\0",)], [("dog",)]) == {}
    assert by_table(table, [("dogs",)], [("dog",)]) == {(False, "dog"): ["dogs"]}


def test_blocks_of_the_file_make_no_difference(tmp_path: Path) -> None:
    """The same phrase on both sides of a block's end, which is some 4 MB away."""
    pairs = [("speaks", f"word number {number}") for number in range(200_000)]
    pairs += [("speaks", "is talking"), ("is talking", "speaks")]
    path = write_table(tmp_path / "table.gz", pairs)
    found = by_table(pack_pairs(read_pairs(path)), [("is", "talking")], [("she", "speaks")])
    assert found == {(False, "speaks"): ["is talking"], (True, "is talking"): ["speaks"]}


def split(captions: Iterable[str]) -> list[tuple[str, ...]]:
    return [words_of(tokenize(caption)) for caption in captions]


@pytest.fixture(scope="module")
def real_table(prepared_cache: Path) -> ParaphraseTable:
    return paraphrase_table(prepared_cache)


def test_clotho_has_the_pairs_of_the_real_table(
    real_table: ParaphraseTable, shared_data: Path
) -> None:
    rows = (shared_data / "clotho/clotho_captions_evaluation.csv").read_text().splitlines()
    candidates, references = split(rows[3::7]), split(rows[1::7])
    found = by_table(real_table, candidates, references)
    assert found == by_reading_all(paraphrase_path(), candidates, references)


@pytest.fixture
def small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of two pairs in place of METEOR's, which no process has open."""
    path = write_table(tmp_path / "table.gz", [("dog", "dogs"), ("speaks", "is talking")])
    monkeypatch.setattr(paraphrases, "paraphrase_path", lambda: path)
    monkeypatch.setattr(paraphrases, "_open_tables", {})
    return path


def links_of_dog(folder: Path | None) -> Found:
    """What the open table has of one word; then the table is not open any more."""
    found = by_table(paraphrase_table(folder), [("dogs",)], [("dog",)])
    paraphrases._open_tables.clear()
    return found


EXPECTED: Found = {(False, "dog"): ["dogs"]}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was done: "read" METEOR's file, "mapped" the packed one."""
    done: list[str] = []

    def counting(name: str, real: Callable[[Path], object]) -> Callable[[Path], object]:
        def call(path: Path) -> object:
            done.append(name)
            return real(path)

        return call

    monkeypatch.setattr(paraphrases, "read_pairs", counting("read", read_pairs))
    monkeypatch.setattr(paraphrases, "mapped", counting("mapped", mapped))
    return done


def test_it_is_packed_once_and_mapped_once_by_each_process(
    small_table: Path, tmp_path: Path, counted: list[str]
) -> None:
    """Whatever is scored, and where: the folder of the first call serves all."""
    for folder in (tmp_path / "one", tmp_path / "one", tmp_path / "other"):
        for caption in ("a dog barks", "it rains"):
            score_family(
                "meteor",
                Candidates.single([caption]),
                References.build([("x.wav", ["the dogs bark"])]),
                Workspace(cache_dir=folder, cache_bytes=0),
            )
    assert counted == ["mapped", "read", "mapped"]
    paraphrases._open_tables.clear()
    counted.clear()
    assert links_of_dog(tmp_path / "one") == EXPECTED
    assert counted == ["mapped"]


def packed_path(folder: Path) -> Path:
    (path,) = folder.glob("meteor-paraphrases-2-*.bin")
    return path


def _flipped(data: bytes, at: int) -> bytes:
    damaged = bytearray(data)
    damaged[at] ^= 1
    return bytes(damaged)


@pytest.mark.parametrize("at", [0, 3, 700, 1030, -6, -1])
@pytest.mark.parametrize("damage", [_flipped, lambda data, at: data[:at]], ids=["flipped", "cut"])
def test_a_damaged_file_is_found_and_written_anew(
    small_table: Path, tmp_path: Path, damage: Callable[[bytes, int], bytes], at: int
) -> None:
    """Else it would give other numbers, and nobody would know."""
    links_of_dog(tmp_path)
    whole = packed_path(tmp_path).read_bytes()
    packed_path(tmp_path).write_bytes(damage(whole, at))
    with pytest.raises(PackedFileDamaged):
        mapped(packed_path(tmp_path))
    assert links_of_dog(tmp_path) == EXPECTED
    assert packed_path(tmp_path).read_bytes() == whole


def test_without_a_folder_it_is_in_the_users_cache(
    small_table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert links_of_dog(None) == EXPECTED
    path = packed_path(tmp_path / "cache" / "earmark")
    # Other users of the machine may read it, and not write it.
    assert path.stat().st_mode & 0o777 == 0o644


def test_where_no_file_can_be_written_the_process_has_the_table_in_memory(
    small_table: Path, tmp_path: Path, counted: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("not a folder")
    for _ in range(2):
        assert by_table(paraphrase_table(occupied), [("dogs",)], [("dog",)]) == EXPECTED
    assert counted.count("read") == 1
    assert caplog.text.count("in memory") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["occupied", "table.gz"]


def _links_in_another_process(table: Path, folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paraphrases, "paraphrase_path", lambda: table)
        assert links_of_dog(folder) == EXPECTED


def test_processes_that_pack_it_at_the_same_time_leave_one_whole_file(tmp_path: Path) -> None:
    table = write_table(tmp_path / "table.gz", [("dog", "dogs"), *[("a", "the")] * 100_000])
    folder = tmp_path / "cache"
    spawn = multiprocessing.get_context("spawn")
    both = [spawn.Process(target=_links_in_another_process, args=(table, folder)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert [path.name for path in folder.iterdir()] == [packed_path(folder).name]
    mapped(packed_path(folder))
