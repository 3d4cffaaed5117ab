"""False alarms and misses: the paper's examples, phrases, the arithmetic, and what people say."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.metrics.sbf import slim_tags
from earmark.metrics.sbf.matching import TagMatch, match, scores_of
from earmark.metrics.sbf.metric import Sbf
from earmark.metrics.sbf.phrases import (
    READINGS,
    WORD_CLASSES,
    PhraseReading,
    WordClass,
    find_phrases,
    letter_of,
)
from earmark.metrics.sbf.profile import ProfileRow, most_frequent
from earmark.metrics.sbf.tags import (
    HeardSound,
    Sounds,
    class_cosines,
    cosines_to_all,
    sounds_of,
    tag_names,
    tag_vectors,
)
from earmark.models.encoder import embed, find_encoder
from earmark.results import MetricScore
from earmark.text.parse import parse
from earmark.workspace import Workspace

WORKSPACE = Workspace(device="cpu")
FAMILY = Sbf()


def phrases(caption: str, reading: str = "pattern") -> list[str]:
    return list(find_phrases(parse([caption], WORKSPACE)[0], READINGS[reading]))


def score(
    candidates: list[str], references: Sequence[Sequence[str]], family: Sbf = FAMILY
) -> dict[str, MetricScore]:
    told = References.build((f"{i}.wav", texts) for i, texts in enumerate(references))
    workspace = Workspace(device="cpu", details=True, _memos=WORKSPACE._memos)
    ready = family.prepare(told, workspace)
    return family.score(Candidates.single(candidates), told, ready, workspace)


def names(clip: Mapping[str, Any], side: str) -> set[str]:
    return {row["class"] for row in clip[side]}


# Table 2 of the paper: captions, their phrases, and the sounds that it prints for them.
TABLE_2: tuple[tuple[Any, ...], ...] = (
    (
        "A bell is ringing while birds are chirping in the background",
        ["a bell is ringing", "birds are chirping in the background"],
        "A bell rings while people talk in a courtyard",
        ["a bell rings", "people talk in a courtyard"],
        ({"Bell"}, {"Bird"}, {"Conversation"}),
        (1 / 2, 1 / 2, 1 / 2),
    ),
    (
        "The waves are crashing against the shore and splashing",
        ["the waves are crashing against the shore", "splashing"],
        "Ocean waves roll in and out from the shore",
        ["ocean waves roll in", "out from the shore"],
        ({"Waves, surf", "Ocean"}, set(), set()),
        (1, 1, 1),
    ),
    (
        "Rain is pouring down the street with traffic sounds",
        ["rain is pouring down the street", "traffic sounds"],
        "A river is flowing relatively swiftly and a waterfall flows",
        ["a river is flowing", "a waterfall flows"],
        ({"Raindrop"}, {"Traffic noise, roadway noise"}, {"Stream"}),
        (1 / 2, 1 / 2, 1 / 2),
    ),
)


@pytest.mark.parametrize(("candidate", "ours", "reference", "theirs", "found", "values"), TABLE_2)
def test_the_papers_examples_come_out_as_printed(
    candidate: str,
    ours: list[str],
    reference: str,
    theirs: list[str],
    found: tuple[set[str], set[str], set[str]],
    values: tuple[float, float, float],
) -> None:
    results = score([candidate], [[reference]])
    assert [float(results[name].per_clip[0]) for name in FAMILY.metrics] == list(values)
    details = results["sbf"].details
    assert details is not None
    assert (details[0]["phrases"], details[0]["reference_phrases"]) == (ours, [theirs])
    assert tuple(names(details[0], side) for side in ("hits", "false_alarms", "misses")) == found


@pytest.mark.parametrize("rule", WORD_CLASSES, ids=lambda rule: rule.what)
def test_every_class_of_words_has_its_example(rule: WordClass) -> None:
    (token,) = [one for one in parse([rule.example], WORKSPACE)[0] if one.word == rule.word]
    assert next(one for one in WORD_CLASSES if one.has(token)) == rule
    assert letter_of(token) == rule.letter


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_every_reading_gives_the_phrases_of_its_example(reading: PhraseReading) -> None:
    caption, expected = reading.example
    assert find_phrases(parse([caption], WORKSPACE)[0], reading) == expected


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        # Split at conjunctions, while, as, with, then, "followed by" and between clauses.
        ("A man talks and laughs", ["a man talks", "laughs"]),
        ("Water runs as people talk", ["water runs", "people talk"]),
        ("A man talks followed by a dog barking", ["a man talks", "a dog barking"]),
        ("Dogs are barking a man is speaking", ["dogs are barking", "a man is speaking"]),
        # Adverbs inside a phrase are passed over; directions stay.
        ("A man is quietly speaking", ["a man is speaking"]),
        ("A car drives away quickly", ["a car drives away"]),
        ("A clip-clop of hooves", ["a clip clop of hooves"]),
        # The same phrase twice is one; an adjective alone is none.
        ("A dog barks and a dog barks", ["a dog barks"]),
        ("Very loud", []),
        ("", []),
    ],
)
def test_phrases_of_a_caption(caption: str, expected: list[str]) -> None:
    assert phrases(caption) == expected


def sounds(
    cosines: dict[str, dict[str, float]], threshold: float = 0.4, deviations: float = 0
) -> Sounds:
    """Find sounds of phrases whose cosines are 0 for all classes but these, alike as they are."""
    table = {}
    for phrase, close in cosines.items():
        table[phrase] = np.zeros(len(tag_names()), np.float32)
        for name, value in close.items():
            table[phrase][tag_names().index(name)] = value
    redundant = class_cosines(tag_vectors(find_encoder(), "cpu")) > 0.45
    return sounds_of(list(table), table, redundant, threshold=threshold, deviations=deviations)


def told(found: Sounds) -> list[tuple[int, list[str]]]:
    return [(one.phrase, [tag_names()[place] for place in one.members]) for one in found]


def test_a_tag_exceeds_the_threshold_and_belongs_to_its_closest_phrase() -> None:
    found = sounds(
        {
            "dog barks": {"Bark": 0.5, "Rain": 0.45, "Dog": 0.399},
            "rain": {"Rain": 0.6, "Raindrop": 0.5},
        }
    )
    assert told(found) == [(0, ["Bark"]), (1, ["Rain", "Raindrop"])]
    assert found[1].similarities == pytest.approx([0.6, 0.5])
    assert sounds({}) == ()


def test_a_tag_stands_out_among_the_classes() -> None:
    close = dict.fromkeys(tag_names()[:300], 0.41) | {"Waterfall": 0.9}
    assert sum(len(one) for _, one in told(sounds({"splashing": close}))) > 200
    assert told(sounds({"splashing": close}, deviations=2)) == [(0, ["Waterfall"])]


@pytest.mark.parametrize(
    ("classes", "name"),
    [
        (["Meow", "Cat", "Animal"], "Meow"),
        (["Telephone bell ringing", "Church bell", "Bell"], "Telephone bell ringing"),
        # The parent of two others, but of others than the closest only where that has none here.
        (["Telephone bell ringing", "Church bell", "Jingle bell", "Bell"], "Bell"),
        (["Rain", "Raindrop", "Rain on surface", "Water", "Waterfall"], "Rain"),
        (["Duck", "Singing", "Child singing", "Female singing", "Bird"], "Duck"),
    ],
)
def test_a_sound_has_the_name_that_a_person_would_give_it(classes: list[str], name: str) -> None:
    cosines = {one: 0.9 - 0.1 * place for place, one in enumerate(classes)}
    assert told(sounds({"a phrase": cosines}))[0][1][0] == name


@pytest.mark.parametrize(
    "name", ["Background noise", "Noise", "Background music", "Echo", "Sound effect", "Silence"]
)
def test_what_is_no_sound_is_no_tag(name: str) -> None:
    assert not sounds({"in the background": {name: 0.9}})
    assert sounds({"in the background": {"White noise": 0.9, name: 0.8}})


def test_phrases_that_are_names_tie() -> None:
    """Their cosines are 1, whatever the last digits of their sums say."""
    names = ("Humming", "Rattle", "Engine", "Truck", "Fire", "Whistling", "Quack")
    vectors = embed(find_encoder(), [name.lower() for name in names], device="cpu")
    every = tag_vectors(find_encoder(), "cpu")
    found = [cosines_to_all(every, vector).max() for vector in vectors]
    assert found == [1] * len(names)


def one(*members: int, phrase: int = 0) -> HeardSound:
    return HeardSound(
        phrase, np.array(members), np.linspace(0.9, 0.5, len(members), dtype=np.float32)
    )


def compared(candidate: Sounds, reference: Sounds, *alike: tuple[int, int]) -> TagMatch:
    """Match sounds of 6 classes, of which these mean the same."""
    table = np.eye(6, dtype=np.float32)
    for pair in alike:
        table[pair] = table[pair[::-1]] = 0.5
    return match(candidate, reference, table, 0.45)


def test_a_sound_is_known_by_any_of_its_tags_to_the_others_names() -> None:
    # The reference's second tag is like the name of the candidate's sound, and tells the hit; the
    # candidate's second is like no name, but like a tag that names nothing.
    found = compared((one(0, 3), one(4)), (one(1, 2), one(5)), (0, 2), (4, 2))
    assert [row.class_ for row in found.hits] == [2]
    assert [row.class_ for row in found.misses] == [5]
    assert [row.class_ for row in found.false_alarms] == [0, 4]
    found = compared((one(0, 3),), (one(1, 2), one(5)), (3, 1), (0, 1), (0, 5))
    assert [row.class_ for row in found.hits] == [1, 5]
    assert not found.false_alarms
    assert scores_of(found) == (1, 1, 1)


def test_empty_sides() -> None:
    assert all(math.isnan(x) for x in scores_of(compared((), ())))
    assert scores_of(compared((one(0),), ())) == (0, 0, 0)
    assert scores_of(compared((), (one(0), one(1)))) == (0, 0, 0)
    assert scores_of(compared((one(2),), (one(0), one(1)))) == (0, 0, 0)


def test_an_invented_sound_costs_precision_and_a_missing_one_recall() -> None:
    reference = "A dog barks while rain falls"
    results = score(
        [reference, "A dog barks", "A dog barks while rain falls and a train horn blows"],
        [[reference]] * 3,
    )
    precision, recall = (results[f"sbf_{name}"].per_clip for name in ("precision", "recall"))
    assert (precision[0], recall[0], results["sbf"].per_clip[0]) == (1, 1, 1)
    assert (precision[1], recall[2]) == (1, 1)
    assert recall[1] < 1
    assert precision[2] < 1


def test_the_mean_over_the_references_leaves_out_those_that_say_nothing() -> None:
    alone = score(["A dog barks"] * 2, [["A dog barks"], ["Rain falls"]])
    # Against "the" a caption with tags scores 0; one without tags has no score.
    several = score(["A dog barks", "?!"], [["A dog barks", "Rain falls", "the"], ["the"]])
    for name in FAMILY.metrics:
        one, other = alone[name].per_clip
        assert several[name].per_clip[0] == pytest.approx((one + other + 0) / 3)
        assert math.isnan(several[name].per_clip[1])
        assert several[name].coverage == 1
    mixed = score(["?!"], [["the", "A dog barks"]])
    assert [result.per_clip[0] for result in mixed.values()] == [0, 0, 0]


def test_details_name_hits_false_alarms_and_misses() -> None:
    result = score(["A dog barks and a bell rings"], [["A dog barks", "A dog barks. Rain falls"]])
    told = result["sbf"].details
    assert told is not None
    clip = told[0]
    assert clip["phrases"] == ["a dog barks", "a bell rings"]
    assert clip["reference_phrases"] == [["a dog barks"], ["a dog barks", "rain falls"]]
    hits, alarms, misses = (
        {row["class"]: row for row in clip[side]} for side in ("hits", "false_alarms", "misses")
    )
    assert hits["Dog"]["references"] == 2
    assert alarms["Bell"]["references"] == 2
    assert alarms["Bell"]["phrase"] == "a bell rings"
    assert misses["Rain"]["references"] == 1
    assert misses["Rain"]["phrase"] == "rain falls"
    counts = [row["references"] for row in clip["false_alarms"]]
    assert counts == sorted(counts, reverse=True)


def test_a_profile_counts_what_is_certain() -> None:
    def clip(alarms: dict[str, int], misses: dict[str, int], references: int) -> dict[str, object]:
        def rows(side: dict[str, int]) -> list[dict[str, object]]:
            near = [{"class": name, "references": n, "similarity": 0.6} for name, n in side.items()]
            return [*near, {"class": "Yawn", "references": references, "similarity": 0.59}]

        return {
            "reference_phrases": [[]] * references,
            "false_alarms": rows(alarms),
            "misses": rows(misses),
        }

    kept = [
        # A false alarm that a reference bears out and a miss of a single reference do not count.
        slim_tags(clip({"Bark": 5, "Speech": 4}, {"Rain": 3, "Wind": 1}, 5)),
        slim_tags(clip({"Bark": 2, "Meow": 2}, {"Wind": 2}, 2)),
        slim_tags(clip({}, {"Wind": 1}, 1)),
    ]
    assert most_frequent([one["false_alarms"] for one in kept]) == (
        ProfileRow("Bark", 2, 2.0),
        ProfileRow("Meow", 1, 1.0),
    )
    misses = [one["misses"] for one in kept]
    assert most_frequent(misses) == (ProfileRow("Wind", 2, 2.0), ProfileRow("Rain", 1, 0.6))
    assert most_frequent(misses, limit=1) == (ProfileRow("Wind", 2, 2.0),)


@pytest.mark.parametrize(
    "changed",
    [
        {"phrases": "word"},
        {"tag_threshold": 0.9},
        {"deviations": 1},
        {"similarity_threshold": 0.7},
        {"redundancy_threshold": 0.9},
    ],
    ids=str,
)
def test_every_choice_changes_the_score(changed: dict[str, object]) -> None:
    clip = (["A dog barks and a bell rings"], [["A small puppy is barking while it rains"]])
    usual, other = (score(*clip, family=one)["sbf"] for one in (FAMILY, Sbf(**changed)))  # type: ignore[arg-type]
    assert usual.value != other.value
    assert usual.signature != other.signature
