"""Nothing that is judged was learned from, and what the shipped labeller learned from is known."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.models.descriptors.words import RESOURCES
from earmark.train.descriptors import (
    AnnotatedCaption,
    LabelSet,
    data_hash,
    read_lines,
    read_sets,
    without_source,
)
from earmark.train.descriptors.data_split import NEAR, assigned_folds, caption_groups, fold_split
from earmark.train.descriptors.labelled_captions import (
    caption_digest,
    caption_digests,
    digests_learned_by_shipped,
)
from tests.earmark.descriptors.records import by_word


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


def test_the_list_is_of_the_very_captions_in_the_report(shared_data: Path) -> None:
    sets = read_sets([shared_data / "descriptors"])
    report = json.loads((RESOURCES / "report.json").read_text())
    assert data_hash(sets) == report["data_hash"]
    learned = without_source(sets, "clotho_eval")
    assert sum(len(part.captions) for part in learned) == report["captions"]["written"]
    assert set(caption_digests(learned)) == digests_learned_by_shipped()


def test_a_caption_is_known_again_however_it_is_typed() -> None:
    texts = ("a dog barks", " A Dog  Barks")
    first, second = read_lines([json.dumps(by_word(text)) for text in texts])
    assert caption_digest(first) == caption_digest(second)
    assert caption_digest(first) not in digests_learned_by_shipped()
