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

from scoring.captions import Candidates, References
from scoring.errors import ResourceMissing
from scoring.metrics.meteor import files, matching, metric
from scoring.metrics.meteor.alignment import align
from scoring.metrics.meteor.files import paraphrase_path
from scoring.metrics.meteor.lexicon import load_lexicon
from scoring.metrics.meteor.matching import Matcher, java_hash
from scoring.metrics.meteor.metric import Meteor, MeteorSegment, PreparedMeteor, best_segments
from scoring.metrics.meteor.normalizer import words_of
from scoring.metrics.meteor.paraphrases import ParaphraseTable, pack_pairs
from scoring.metrics.meteor.statistics import count, score
from scoring.results import MetricScore
from scoring.statistics import jackknife
from scoring.text.porter2 import stem
from scoring.workspace import Workspace

SYSTEMS = ("audiocaption", "dcase2022_baseline", "dcase2023_baseline")

# Candidate, references, the jar's 23 counts, the jar's score.
JAR = [
    ("a dog barks", ["a dog barks"], "3 3 1 1 2 2 1 1 0 0 0 0 0 0 0 0 0 0 0 0 1 3 3", 1.0),
    # Two stem matches in two chunks: the search prefers none, as they weigh nothing in it.
    ("dogs barked", ["a dog is barking"], "2 4 0 2" + 19 * " 0", 0.0),
    (
        "a car speeds by",
        ["an automobile races past"],
        "4 4 2 1 0 0 0 0 0 0 0 0 2 3 1 0 0 0 0 0 1 3 3",
        0.3716229754249022,
    ),
    (
        "a man is talking",
        ["a man speaks"],
        "4 3 2 1 1 1 1 1 0 0 0 0 0 0 0 0 1 1 1 0 1 4 3",
        0.8241563055062167,
    ),
    (
        "a motor running in the background",
        ["the background noise of an engine that runs"],
        "6 8 3 4 1 1 1 1 0 0 0 0 0 0 0 0 1 1 1 1 2 4 4",
        0.1985120673339535,
    ),
    (
        "the the a a the",
        ["a the a the a"],
        "5 5 5 5 0 0 4 4 0 0 0 0 0 0 0 0 0 0 0 0 2 4 4",
        0.38213572961786046,
    ),
    # More paths than the beam holds.
    (
        "a bird and a bird and a dog",
        ["a dog and a bird sing while a bird and a cat fight"],
        "8 13 5 6 3 3 5 5 0 0 0 0 0 0 0 0 0 0 0 0 4 8 8",
        0.2669610885553915,
    ),
    (
        "water drips",
        ["the rain falls on a roof", "water is dripping from a tap", "water drips"],
        "2 2 0 0 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 2 2",
        1.0,
    ),
    # "as" and "c5" have the same hash in Java, which METEOR takes for the same word.
    ("as it rains", ["c5 it rains"], "3 3 2 1 1 2 2 1 0 0 0 0 0 0 0 0 0 0 0 0 1 3 3", 1.0),
    (
        "a mid-range hum isn 't 1,000 hz",
        ["a mid range hum is n't 1000 hz"],
        "9 9 2 3 4 4 1 1 0 0 0 0 0 0 0 0 1 0 0 1 2 6 6",
        0.3353728931833509,
    ),
    ("wind", ["music"], "1 1" + 21 * " 0", 0.0),
    ("", ["music", "a dog"], "0 1" + 21 * " 0", 0.0),
    ("music", [""], "1" + 22 * " 0", 0.0),
    (
        "it is raining heavily and a thunder is heard far away in the distance",
        [
            "heavy rain is falling and thunder can be heard in the distance",
            "thunder rumbles as it rains hard",
        ],
        "14 12 7 6 3 3 4 4 0 0 0 0 1 1 0 0 0 0 1 2 5 9 10",
        0.31666803951380257,
    ),
]
# All pairs of the jar's paraphrase table that these cases can match, in its order.
PAIRS = (
    *(("a motor", "an engine"), ("a motor", "engine"), ("automobile", "car"), ("away", "be")),
    *(("be", "is"), ("can", "is"), ("can be", "is"), ("car", "automobile")),
    *(("distance", "away"), ("dog", "dogs"), ("dogs", "dog"), ("engine", "motor")),
    *(("is talking", "speaks"), ("isn", "is"), ("motor", "an engine"), ("motor", "engine")),
)
JAR_CORPUS = 0.3169197059829551
VOCABULARY = sorted(
    {word for _, references, _, _ in JAR for line in references for word in line.split()}
)


def split(lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(words_of(line.split()) for line in lines)


def workspace(*captions: str, details: bool = False) -> Workspace:
    """A workspace that knows the tokens of these captions, which are words and spaces."""
    tokens = {caption: tuple(caption.split()) for caption in captions}
    return Workspace(details=details, _tokens=tokens)


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
    phrases, paraphrases = ([text.encode() for text in side] for side in zip(*PAIRS, strict=True))
    return pack_pairs([(phrases, paraphrases)])


def matcher_of(clips: Sequence[Sequence[tuple[str, ...]]], table: ParaphraseTable) -> Matcher:
    return Matcher(load_lexicon(), table, clips)


def prepared_for(
    clips: Sequence[Sequence[tuple[str, ...]]], table: ParaphraseTable
) -> PreparedMeteor:
    """References whose matcher is made already, with this table."""
    return PreparedMeteor(clips, range(len(clips)), [matcher_of(clips, table)])


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
    assert result.value == pytest.approx(JAR_CORPUS, abs=1e-12)
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

    expected = jackknife(JAR_CORPUS, np.array([without(n) for n in range(len(JAR))]))
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


def test_progress_reaches_the_total(table: ParaphraseTable) -> None:
    seen: list[tuple[str, int, int]] = []
    run = workspace("wind")
    run.progress = lambda *report: seen.append(report)
    repeated = prepared_for([split(["wind"])] * 120, table)
    references = References.build((str(n), ["wind"]) for n in range(120))
    Meteor().score(Candidates.single(["wind"] * 120), references, repeated, run)
    assert seen == [("meteor", done, 120) for done in (50, 100, 120)]


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


def test_what_was_dumped_loads_without_pickle(prepared: PreparedMeteor, tmp_path: Path) -> None:
    arrays: dict[str, Any] = dict(Meteor().dump(prepared))
    np.savez(tmp_path / "meteor.npz", **arrays)
    with np.load(tmp_path / "meteor.npz", allow_pickle=False) as file:
        loaded = replace(Meteor().load(file), _made=prepared._made)
    assert [tuple(clip) for clip in loaded.references] == list(prepared.references)
    for number, case in enumerate(JAR):
        segments = [segment(each, case[0].split(), number) for each in (loaded, prepared)]
        assert segments[0].alignment == segments[1].alignment


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


@given(
    st.lists(st.sampled_from(VOCABULARY), max_size=12),
    st.lists(st.lists(st.sampled_from(VOCABULARY), max_size=12), min_size=1, max_size=5),
)
def test_references_that_are_not_aligned_could_not_have_counted(
    table: ParaphraseTable, candidate: list[str], references: list[list[str]]
) -> None:
    """The bound of each pair is kept, and the segment is that of aligning all of them in order."""
    matcher = matcher_of([tuple(map(tuple, references))], table)
    said = matcher.sentence(tuple(candidate))
    found = matcher.matches([said], [0])
    best: MeteorSegment | None = None
    for number, told in enumerate(matcher.clips[0]):
        alignment = align(found.of_pair(number), len(candidate), len(told.words))
        counts = count(alignment, said.function, told.function)
        scored = score(counts)
        assert scored.value <= found.bounds[number]
        if best is None or scored.value > best.score.value:
            best = MeteorSegment(number, alignment, counts, scored)
    assert best == best_segments(matcher, [tuple(candidate)], [0])[0]


def test_long_captions_are_scored_in_blocks_as_they_are_alone(
    table: ParaphraseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may match at once is bounded, as memory is."""
    captions = [case[0] for case in JAR]
    clips = [split(references) for _, references, _, _ in JAR]
    references = References.build((str(n), case[1]) for n, case in enumerate(JAR))
    usual, apart = (
        Meteor().score(
            Candidates.single(captions),
            references,
            prepared_for(clips, table),
            workspace(*captions),
        )["meteor"]
        for cells in (250_000, 60)
        if not monkeypatch.setattr(metric, "_BLOCK_CELLS", cells)
    )
    np.testing.assert_array_equal(usual.per_clip, apart.per_clip)


def test_references_indexed_in_blocks_score_the_same(
    prepared: PreparedMeteor, table: ParaphraseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "_INDEXED", 3)
    apart = prepared_for(prepared.references, table)
    assert score_jar_cases(apart, details=True).details == (
        score_jar_cases(prepared, details=True).details
    )


def test_chosen_clips_score_as_among_all(prepared: PreparedMeteor) -> None:
    places = [8, 2, 2]
    references = References.build((str(n), case[1]) for n, case in enumerate(JAR))
    chosen = Meteor().chosen(prepared, references, places)
    run = workspace(*(JAR[place][0] for place in places))
    result = Meteor().score(
        Candidates.single(JAR[place][0] for place in places),
        References.build((str(n), JAR[place][1]) for n, place in enumerate(places)),
        chosen,
        run,
    )["meteor"]
    expected = score_jar_cases(prepared).per_clip[places]
    np.testing.assert_array_equal(result.per_clip, expected)


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


def test_java_hash_is_javas() -> None:
    """Values as String.hashCode documents them: sum of s[i] * 31 ** (n - 1 - i)."""
    assert java_hash("hello") == 99162322
    assert java_hash("as") == java_hash("c5")


def test_synonyms_reach_irregular_and_inflected_forms() -> None:
    lexicon = load_lexicon()
    assert lexicon.synsets("oxen") >= lexicon.synsets("ox") > frozenset()
    assert lexicon.synsets("automobiles") & lexicon.synsets("car")
    assert lexicon.synsets("glass") == lexicon.synsets("glass")
    assert lexicon.synsets("zzz") == frozenset()


def test_missing_data_files_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "folder", lambda: tmp_path)
    with pytest.raises(ResourceMissing, match="pip install pycocoevalcap"):
        paraphrase_path()
    with pytest.raises(ResourceMissing, match="pip install pycocoevalcap"):
        files.read_lists("function/english.words")
