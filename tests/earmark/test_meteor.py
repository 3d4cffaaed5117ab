"""METEOR without Java gives the numbers of METEOR 1.5 (pycocoevalcap 1.2, Java 17).

Expected counts and scores are what ``meteor-1.5.jar -stdio -l en -norm`` prints
for the same SCORE and EVAL lines.
"""

import csv
import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.captions import Candidates, References
from earmark.errors import ResourceMissing
from earmark.metrics.meteor import files, matching
from earmark.metrics.meteor.files import paraphrase_path
from earmark.metrics.meteor.lexicon import load_lexicon
from earmark.metrics.meteor.matching import Matcher
from earmark.metrics.meteor.metric import Meteor, MeteorSegment, PreparedMeteor, best_segments
from earmark.metrics.meteor.normalizer import words_of
from earmark.metrics.meteor.paraphrases import ParaphraseTable, pack_pairs
from earmark.results import MetricScore
from earmark.statistics import jackknife
from earmark.text.porter2 import stem
from earmark.workspace import Workspace
from tests.real_data import ROOT

SYSTEMS = ("audiocaption", "dcase2022_baseline", "dcase2023_baseline")

# Candidate, references, the jar's 23 counts, the jar's score; and all pairs of its paraphrase table
# that these cases can match, in its order.
ORACLE = json.loads((ROOT / "tests/earmark/oracles/meteor.json").read_text())
JAR = [
    (row["candidate"], row["references"], row["counts"], row["score"]) for row in ORACLE["cases"]
]
VOCABULARY = sorted(
    {word for _, references, _, _ in JAR for line in references for word in line.split()}
)


def split(lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(words_of(line.split()) for line in lines)


def workspace(*captions: str, details: bool = False) -> Workspace:
    """A workspace that knows the tokens of these captions, which are words and spaces."""
    tokens = {caption: tuple(caption.split()) for caption in captions}
    return Workspace(details=details, _memos={"tokens": tokens})


@pytest.fixture(scope="module")
def clotho(shared_data: Path) -> list[tuple[str, list[str]]]:
    """File name and tokenised references of Clotho's evaluation clips."""
    with gzip.open(shared_data / "oracles/ptb_tokens_clotho.tsv.gz", "rt", encoding="utf-8") as f:
        known = dict(line.rstrip("\n").split("\t") for line in f)
    with (shared_data / "clotho/clotho_captions_evaluation.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    captions = [(row["file_name"], [row[f"caption_{n}"] for n in range(1, 6)]) for row in rows]
    # The list of tokens lacks six captions, which have neither digits nor apostrophes.
    return [
        (name, [known.get(line) or " ".join(re.findall("[a-z]+", line.lower())) for line in lines])
        for name, lines in captions
    ]


@pytest.fixture(scope="module")
def table() -> ParaphraseTable:
    phrases, paraphrases = (
        [text.encode() for text in side] for side in zip(*ORACLE["pairs"], strict=True)
    )
    return pack_pairs([(phrases, paraphrases)])


def prepared_for(
    clips: Sequence[Sequence[tuple[str, ...]]], table: ParaphraseTable
) -> PreparedMeteor:
    """References whose matcher is made already, with this table."""
    return PreparedMeteor(clips, range(len(clips)), [Matcher(load_lexicon(), table, clips)])


def segment(prepared: PreparedMeteor, caption: Sequence[str], clip: int) -> MeteorSegment:
    (found,) = best_segments(prepared.matcher(None), [words_of(caption)], [clip])
    return found


@pytest.fixture(scope="module")
def prepared(table: ParaphraseTable) -> PreparedMeteor:
    return prepared_for([split(references) for _, references, _, _ in JAR], table)


@pytest.mark.parametrize("number", range(len(JAR)))
def test_counts_and_score_are_the_jars(prepared: PreparedMeteor, number: int) -> None:
    candidate, _, counts, expected = JAR[number]
    found = segment(prepared, candidate.split(), number)
    assert " ".join(map(str, found.counts)) == counts
    assert found.score.value == pytest.approx(expected, abs=1e-12)


def score_jar_cases(
    prepared: PreparedMeteor, *, details: bool = False, count: int = len(JAR)
) -> MetricScore:
    cases = JAR[:count]
    references = References.build((f"{n}.wav", case[1]) for n, case in enumerate(cases))
    candidates = Candidates.single(case[0] for case in cases)
    run = workspace(*candidates.first, details=details)
    first = replace(prepared, clips=range(count))
    return Meteor().score(candidates, references, first, run)["meteor"]


def test_corpus_value_comes_from_summed_counts(prepared: PreparedMeteor) -> None:
    result = score_jar_cases(prepared)
    assert result.value == pytest.approx(ORACLE["corpus"], abs=1e-12)
    assert result.per_clip.dtype == np.float32
    assert result.signature.startswith("meteor|tok:ptb-3.4.1|meteor:1.5-en-norm|refs:1-3|r:")


def test_a_clips_score_does_not_depend_on_the_others(prepared: PreparedMeteor) -> None:
    few, all_of_them = score_jar_cases(prepared, count=5), score_jar_cases(prepared)
    np.testing.assert_array_equal(few.per_clip, all_of_them.per_clip[:5])


def test_interval_is_the_jackknife_of_recounted_corpora(
    prepared: PreparedMeteor, table: ParaphraseTable
) -> None:
    def without(left_out: int) -> float:
        kept = [n for n in range(len(JAR)) if n != left_out]
        smaller = prepared_for([prepared.references[n] for n in kept], table)
        candidates = Candidates.single(JAR[n][0] for n in kept)
        references = References.build((str(n), JAR[n][1]) for n in kept)
        run = workspace(*candidates.first)
        return Meteor().score(candidates, references, smaller, run)["meteor"].value

    expected = jackknife(ORACLE["corpus"], np.array([without(n) for n in range(len(JAR))]))
    interval = score_jar_cases(prepared).interval
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_details_name_the_reference_and_the_matched_words(prepared: PreparedMeteor) -> None:
    details = score_jar_cases(prepared, details=True).details
    assert details is not None
    assert details[3]["matches"] == [
        {"matcher": "exact", "candidate": "a", "reference": "a"},
        {"matcher": "exact", "candidate": "man", "reference": "man"},
        {"matcher": "paraphrase", "candidate": "is talking", "reference": "speaks"},
    ]
    assert details[7]["reference"] == 2
    assert json.loads(json.dumps(details)) == details


def test_a_long_caption_can_be_stopped_while_its_clip_is_scored(table: ParaphraseTable) -> None:
    """Every word matches every word: seconds, in which nobody else would be asked."""
    long = ["wind " * 400]
    run = workspace(*long)
    asked: list[tuple[str, int, int]] = []

    def progress(*report: Any) -> None:
        asked.append(report)
        if len(asked) == 20:
            raise TimeoutError

    run.progress = progress
    clips = prepared_for([split(long * 2)], table)
    references = References.build([("long.wav", long * 2)])
    with pytest.raises(TimeoutError):
        Meteor().score(Candidates.single(long), references, clips, run)
    # Before the first reference was aligned, which asks 25 times.
    assert asked == [("meteor", 0, 1)] * 20


@given(
    st.lists(st.sampled_from(VOCABULARY), max_size=12),
    st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=12), min_size=1, max_size=3),
)
def test_more_references_never_lower_a_score(
    table: ParaphraseTable, candidate: list[str], references: list[list[str]]
) -> None:
    clips = [tuple(words_of(words) for words in references[:n]) for n in (1, len(references))]
    both = prepared_for([*clips, (words_of(candidate),)], table)
    scores = [segment(both, candidate, number).score.value for number in range(3)]
    assert 0.0 <= scores[0] <= scores[1] <= 1.0
    assert scores[2] == (pytest.approx(1.0) if candidate else 0.0)


def test_references_indexed_in_blocks_score_the_same(
    prepared: PreparedMeteor, table: ParaphraseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of more clips than the published systems have are."""
    monkeypatch.setattr(matching, "_INDEXED", 3)
    apart = prepared_for(prepared.references, table)
    assert score_jar_cases(apart, details=True).details == (
        score_jar_cases(prepared, details=True).details
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_systems_score_as_with_java(
    shared_data: Path,
    clotho: list[tuple[str, list[str]]],
    clotho_prepared: PreparedMeteor,
    system: str,
) -> None:
    oracle = json.loads((shared_data / f"oracles/{system}.json").read_text())
    candidates = Candidates.single(clip["tokens"] for clip in oracle["per_clip"])
    run = workspace(*candidates.first)
    result = Meteor().score(candidates, References.build(clotho), clotho_prepared, run)["meteor"]
    expected = np.array([clip["meteor"] for clip in oracle["per_clip"]])
    assert [clip["file_name"] for clip in oracle["per_clip"]] == [name for name, _ in clotho]
    np.testing.assert_allclose(result.per_clip, expected, rtol=0, atol=1e-6)
    assert result.value == pytest.approx(oracle["corpus"]["meteor"], abs=1e-9)


@pytest.fixture(scope="module")
def clotho_prepared(clotho: list[tuple[str, list[str]]], prepared_cache: Path) -> PreparedMeteor:
    run = workspace(*(line for _, lines in clotho for line in lines))
    run.cache_dir = prepared_cache
    return Meteor().prepare(References.build(clotho), run)


# What the jar's Normalizer and StringTokenizer make of a line.
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a dog barks", "a dog barks"),
        ("a rock-n-roll song", "a rock n-roll song"),
        ("do n't", "do n 't"),
        ("the dogs' bowl", "the dogs ' bowl"),
        ("90's '90s o'clock", "90 's ' 90s o 'clock"),
        ("mr. etc. u.s. no. 5", "mr. etc. us no . 5"),
        ("a bell no. 5 and etc. 7 dr.", "a bell no . 5 and etc . 7 dr ."),
        ("3.5 1,000 a,b", "3.5 1,000 a , b"),
        ("wait .. what ....", "wait .. what ...."),
        ("\u2013bang\u2014 \u201chi\u201d", '- bang \u2014 " hi "'),
        ("||| ", ""),
    ],
)
def test_normaliser_splits_as_the_jar_does(line: str, words: str) -> None:
    assert list(words_of(line.split())) == words.split()


# From the jar's englishStemmer; PyPI's stemmers differ on the last six.
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("chirping", "chirp"),
        ("skies", "sky"),
        ("generously", "generous"),
        ("yodelling", "yodel"),
        ("at", "at"),
        ("added", "ad"),
        ("biologist", "biologist"),
        ("emergency", "emerg"),
        ("ionization", "ioniz"),
        ("irrationally", "irrat"),
        ("earring's'", "earring"),
    ],
)
def test_stemmer_is_the_jars(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_missing_data_files_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "folder", lambda: tmp_path)
    with pytest.raises(ResourceMissing, match="pip install pycocoevalcap"):
        paraphrase_path()
    with pytest.raises(ResourceMissing, match="pip install pycocoevalcap"):
        files.read_lists("function/english.words")
