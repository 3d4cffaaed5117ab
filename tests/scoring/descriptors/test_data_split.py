"""Folds: nothing that is judged was learned from, not even in nearly the same words."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.train.descriptors import AnnotatedCaption, LabelSet, read_sets
from scoring.train.descriptors.data_split import NEAR, assigned_folds, caption_groups, fold_split


def caption(text: str, clip: str = "", label: str = "WHAT") -> AnnotatedCaption:
    words = tuple(text.split())
    return AnnotatedCaption(words, (label,) * len(words), clip=clip)


def near(first: AnnotatedCaption, second: AnnotatedCaption) -> bool:
    one, two = set(first.words), set(second.words)
    return len(one & two) >= NEAR * len(one | two)


def grouped(captions: Sequence[AnnotatedCaption]) -> list[list[str]]:
    return [[one.key for one in group] for group in caption_groups(captions)]


def test_captions_of_a_clip_or_of_nearly_the_same_words_belong_together() -> None:
    found = grouped(
        [
            caption("a dog barks", "a.wav"),
            caption("rain falls on a roof", "b.wav"),
            caption("an animal makes noise", "a.wav"),
            caption("rain falls on a tin roof", "c.wav"),
            caption("a bell rings"),
            caption("a bell rings", "d.wav"),
            caption("thunder far away", "c.wav"),
            caption("some wind"),
        ]
    )
    assert found == [
        ["a dog barks", "an animal makes noise"],
        ["rain falls on a roof", "rain falls on a tin roof", "thunder far away"],
        ["a bell rings", "a bell rings"],
        ["some wind"],
    ]


def test_captions_without_a_clip_are_not_of_one_clip() -> None:
    assert len(caption_groups([caption("a dog"), caption("some wind"), caption("it rains")])) == 3


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=7), max_size=12))
def test_groups_are_those_that_comparing_every_pair_gives(texts: list[list[str]]) -> None:
    captions = [caption(" ".join(words)) for words in texts]
    place = {id(one): n for n, group in enumerate(caption_groups(captions)) for one in group}
    assert len(place) == len(captions)
    # Joined the plain way: take the lower name of any two that are near, until none changes.
    names = list(range(len(captions)))
    for _ in captions:
        for one, two in combinations(range(len(captions)), 2):
            if near(captions[one], captions[two]):
                names[one] = names[two] = min(names[one], names[two])
    for one, two in combinations(range(len(captions)), 2):
        together = place[id(captions[one])] == place[id(captions[two])]
        assert together == (names[one] == names[two])


def test_a_group_stays_in_one_fold_over_all_sets() -> None:
    first = LabelSet("x", ("WHAT", "O"), (caption("a b c", "1.wav"), caption("d e f")))
    second = LabelSet("y", ("WHAT", "O"), (caption("g h i", "1.wav"), caption("j k l")))
    for seed in range(10):
        folds = assigned_folds([first, second], 2, seed)
        assert folds["a b c"] == folds["g h i"]
        assert set(folds) == {"a b c", "d e f", "g h i", "j k l"}


@pytest.fixture(scope="module")
def sets(shared_data: Path) -> list[LabelSet]:
    return read_sets([shared_data / "descriptors"])


def test_the_data_are_whole(sets: list[LabelSet]) -> None:
    # The counts of data/README.md; every text of the 13-label set recurs in the 10-label set.
    assert [(part.name, len(part.captions)) for part in sets] == [
        ("aces-13", 400),
        ("aces-10", 928),
    ]
    assert {c.key for c in sets[0].captions} <= {c.key for c in sets[1].captions}


@pytest.mark.parametrize("fold", range(5))
def test_nothing_is_learned_from_and_judged(sets: list[LabelSet], fold: int) -> None:
    folds = assigned_folds(sets, 5, 1)
    found = fold_split(sets, folds, fold)
    learned = [one for part in found.learned for one in part.captions]
    judged = [one for part in found.judged for one in part.captions]
    assert len(learned) + len(judged) == 1328
    assert not {one.clip for one in judged} & {one.clip for one in learned}
    assert not any(near(one, other) for one in judged for other in learned)


def test_folds_are_alike_and_follow_the_seed(sets: list[LabelSet]) -> None:
    folds = assigned_folds(sets, 5, 1)
    for part in sets:
        sizes = Counter(folds[one.key] for one in part.captions)
        assert max(sizes.values()) - min(sizes.values()) <= 3
    holders: dict[str, Counter[int]] = defaultdict(Counter)
    for one in sets[0].captions:
        for label in set(one.labels):
            holders[label][folds[one.key]] += 1
    # OTHER and NON_AUDITORY_SENSATION are rare; each fold has its share.
    for label in ("OTHER", "NON_AUDITORY_SENSATION"):
        counts = [holders[label][fold] for fold in range(5)]
        assert min(counts) > 0
        assert max(counts) - min(counts) <= 3
    assert folds == assigned_folds(sets, 5, 1)
    assert folds != assigned_folds(sets, 5, 2)
