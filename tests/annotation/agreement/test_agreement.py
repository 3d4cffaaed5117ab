"""Agreement: the formulas are those of scikit-learn and nltk, and of paper and pencil."""

import math
import warnings
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score, f1_score

from annotation.agreement.captions import (
    Caption,
    Labelling,
    disputes_of,
    pairs_of,
    where_said,
    word_labels,
)
from annotation.agreement.measures import (
    PairAgreement,
    alpha_of_all,
    draws,
    pair_agreement,
    ratings_alpha,
    totals,
)
from annotation.agreement.tables import kappa, word_counts

NAMES = ("WHO", "WHAT", "HOW", "O")
LABELS = st.sampled_from(NAMES)


def spans_of(labels: list[str]) -> list[dict[str, object]]:
    """Draw a span over every word that has a label."""
    return [
        {"token_start": at, "token_end": at, "label": label}
        for at, label in enumerate(labels)
        if label != "O"
    ]


def caption(key: int, **said: list[str]) -> Caption:
    """Make a caption from the labels that people give its words."""
    words = len(next(iter(said.values())))
    return Caption(
        key=key,
        words=tuple(f"word{number}" for number in range(words)),
        labellings={name: Labelling.of(spans_of(labels), words) for name, labels in said.items()},
    )


@st.composite
def captions_of(draw: st.DrawFn, people: tuple[str, ...] = ("ann", "bob")) -> list[Caption]:
    """Captions that some of the people labelled, at least two of them each."""
    found = []
    for key in range(draw(st.integers(1, 6))):
        words = draw(st.integers(1, 8))
        chosen = draw(st.lists(st.sampled_from(people), min_size=2, unique=True))
        said = {
            name: draw(st.lists(LABELS, min_size=words, max_size=words)) for name in sorted(chosen)
        }
        found.append(caption(key, **said))
    return found


def pooled(captions: list[Caption], name: str) -> list[str]:
    return [label for found in captions for label in found.labellings[name].labels]


def measured(captions: list[Caption], resamples: int = 20) -> PairAgreement:
    return pair_agreement(captions, "ann", "bob", NAMES, resamples=resamples)


def same(ours: float | None, theirs: float) -> bool:
    if math.isnan(theirs):
        return ours is None
    return ours is not None and ours == pytest.approx(theirs, abs=1e-12)


def sklearn_kappa(one: list[str], other: list[str]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where kappa is not defined
        return float(cohen_kappa_score(one, other)) if one else math.nan


@given(captions_of())
def test_kappa_and_its_variants_are_scikit_learns(captions: list[Caption]) -> None:
    found = measured(captions).measures
    both = list(zip(pooled(captions, "ann"), pooled(captions, "bob"), strict=True))
    chosen = {
        "kappa": both,
        "kappa_either": [pair for pair in both if pair != ("O", "O")],
        "kappa_both": [pair for pair in both if "O" not in pair],
    }
    for name, pairs in chosen.items():
        one, other = [a for a, _ in pairs], [b for _, b in pairs]
        assert same(found[name].value, sklearn_kappa(one, other)), name
        assert found[name].n == len(pairs)
    assert same(found["observed"].value, float(np.mean([a == b for a, b in both])))


@given(captions_of())
def test_f1_of_labels_is_scikit_learns(captions: list[Caption]) -> None:
    one, other = pooled(captions, "ann"), pooled(captions, "bob")
    theirs = f1_score(one, other, labels=NAMES, average=None, zero_division=np.nan)
    for row, value in zip(measured(captions).labels, theirs, strict=True):
        assert same(row.f1.value, float(value)), row.name


@given(captions_of(("ann", "bob", "cat")))
def test_alpha_is_nltks_with_people_missing(captions: list[Caption]) -> None:
    rows = [
        (name, f"{found.key}-{number}", label)
        for found in captions
        for name, labelling in found.labellings.items()
        for number, label in enumerate(labelling.labels)
    ]
    # Where only one label occurs nltk says 1; we say that it is not defined.
    assume(len({label for _, _, label in rows}) > 1)
    theirs = AnnotationTask(data=rows).alpha()
    assert same(alpha_of_all(captions, NAMES, resamples=20).value, float(theirs))


@given(captions_of(), st.randoms())
def test_nothing_depends_on_the_order_of_spans_or_captions(
    captions: list[Caption], random: Random
) -> None:
    def shuffled(spans: list[dict[str, object]], words: int) -> Labelling:
        random.shuffle(spans)
        return Labelling.of(spans, words)

    again = [
        Caption(
            found.key,
            found.words,
            {
                name: shuffled(spans_of(list(labelling.labels)), len(found.words))
                for name, labelling in found.labellings.items()
            },
        )
        for found in captions
    ]
    assert measured(again) == measured(captions)
    random.shuffle(again)
    for name, estimate in measured(again).measures.items():
        assert estimate.value == measured(captions).measures[name].value


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), LABELS.filter(lambda name: name != "O")),
        max_size=6,
    ),
    st.randoms(),
)
def test_even_spans_that_overlap_give_words_the_same_labels_in_any_order(
    drawn: list[tuple[int, int, str]], random: Random
) -> None:
    spans = [
        {"token_start": min(a, b), "token_end": max(a, b), "label": name} for a, b, name in drawn
    ]
    before = Labelling.of(spans, 5)
    random.shuffle(spans)
    assert Labelling.of(spans, 5) == before


def test_of_spans_that_overlap_the_last_in_the_text_wins() -> None:
    inner_first = [
        {"token_start": 1, "token_end": 1, "label": "WHO"},
        {"token_start": 1, "token_end": 2, "label": "WHAT"},
    ]
    assert word_labels(inner_first, 4) == ("O", "WHAT", "WHAT", "O")
    coincide = [
        {"token_start": 0, "token_end": 0, "label": "WHAT"},
        {"token_start": 0, "token_end": 0, "label": "HOW"},
    ]
    assert word_labels(coincide, 1) == word_labels(coincide[::-1], 1) == ("HOW",)


def test_second_case_by_hand_spans_of_several_words() -> None:
    """Ann draws WHO 0-0, WHAT 1-2, HOW 4-4; bob draws WHO 0-0, WHAT 1-1, WHAT 2-2, HOW 4-5.

    Only WHO 0-0 is the same: F1 = 2*1 / (3 + 4) = 2/7. By words they differ in word 5
    alone: observed 5/6, for where one span ends and the next begins does not show there.
    """
    ann = [(0, 0, "WHO"), (1, 2, "WHAT"), (4, 4, "HOW")]
    bob = [(0, 0, "WHO"), (1, 1, "WHAT"), (2, 2, "WHAT"), (4, 5, "HOW")]

    def drawn(rows: list[tuple[int, int, str]]) -> Labelling:
        return Labelling.of(
            [{"token_start": a, "token_end": b, "label": name} for a, b, name in rows], 6
        )

    words = tuple("abcdef")
    found = measured([Caption(1, words, {"ann": drawn(ann), "bob": drawn(bob)})])
    assert found.measures["span_f1"].value == pytest.approx(2 / 7)
    assert found.measures["span_f1"].n == 7
    assert found.measures["observed"].value == pytest.approx(5 / 6)


def test_what_is_not_defined_has_no_value_and_no_interval() -> None:
    everywhere_o = [caption(key, ann=["O", "O"], bob=["O", "O"]) for key in range(5)]
    found = measured(everywhere_o)
    assert found.kappa.value is None
    assert found.kappa.low is None
    assert found.measures["observed"].value == 1
    assert found.measures["kappa_both"].n == 0
    assert alpha_of_all(everywhere_o, NAMES).value is None
    assert measured([]).kappa.value is None
    assert measured([]).captions == 0


def test_resampling_captions_is_what_sums_of_counts_do() -> None:
    """The quick way, weights times counts, gives what drawing captions one by one gives."""
    random = Random(3)
    captions = [
        caption(
            key,
            ann=[random.choice(NAMES) for _ in range(6)],
            bob=[random.choice(NAMES) for _ in range(6)],
        )
        for key in range(8)
    ]
    weights = draws(8, resamples=40)
    assert (weights.sum(axis=1) == 8).all()
    slow = []
    for row in weights:
        drawn = [
            found for found, times in zip(captions, row, strict=True) for _ in range(int(times))
        ]
        slow.append(sklearn_kappa(pooled(drawn, "ann"), pooled(drawn, "bob")))
    quick = kappa(totals(word_counts(captions, "ann", "bob", NAMES), weights))
    assert quick == pytest.approx(slow)


def test_captions_by_dispute_and_by_confusion() -> None:
    half = caption(1, ann=["WHO", "O"], bob=["WHO", "HOW"])
    none = caption(2, ann=["WHO"], bob=["WHO"])
    all_of_it = caption(3, ann=["WHO", "HOW"], bob=["WHAT", "O"])
    quarter = caption(4, ann=["O", "O", "O", "O"], bob=["O", "O", "O", "HOW"])
    captions = [half, none, all_of_it, quarter]
    found = disputes_of(captions)
    assert [(row.caption.key, row.words, row.share) for row in found] == [
        (3, (0, 1), 1.0),
        (1, (1,), 0.5),
        (4, (3,), 0.25),
    ]
    confused = where_said(captions, "ann", "bob", "O", "HOW")
    assert [(row.key, words) for row, words in confused] == [(1, (1,)), (4, (3,))]
    # The other way round is another cell.
    assert [row.key for row, _ in where_said(captions, "bob", "ann", "O", "HOW")] == [3]
    assert pairs_of([*captions, caption(5, ann=["O"], cat=["O"])]) == {
        ("ann", "bob"): 4,
        ("ann", "cat"): 1,
    }


# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), part C: 4 observers, 12 units.
TABLE = (
    (1, None, 1, 1), (2, 2, 3, 2), (3, 3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2), (1, 2, 3, 4),
    (4, 4, 4, 4), (1, 1, 2, 1), (2, 2, 2, 2), (None, 5, 5, 5), (None, None, 1, 1),
    (None, None, 3, None),
)  # fmt: skip
UNITS = [[number for number in unit if number is not None] for unit in TABLE]

ratings = st.lists(st.lists(st.integers(1, 4), max_size=4), max_size=12)


def alpha(units: list[list[int]]) -> float | None:
    return ratings_alpha([[unit] for unit in units], lowest=1, highest=5, resamples=50).value


def test_the_published_example() -> None:
    """His part E has .815 for ordinal data."""
    found = ratings_alpha([[unit] for unit in UNITS], lowest=1, highest=5)
    low, value, high = found.low or 0, found.value or 0, found.high or 0
    assert value == pytest.approx(0.815, abs=5e-4)
    assert found.n == 11
    assert 0 < low < value < high
    # Units that are said to be of one clip move the interval alone.
    together = ratings_alpha([UNITS[:6], UNITS[6:]], lowest=1, highest=5)
    assert (together.value, together.n) == (found.value, found.n)
    # Where nobody could have disagreed it is not defined.
    assert [alpha(units) for units in ([], [[3]], [[2, 2], [2, 2, 2]])] == [None] * 3


@given(ratings, st.randoms())
def test_full_agreement_is_1_whatever_the_order_and_the_way_the_scale_is_read(
    units: list[list[int]], draw: Random
) -> None:
    found = alpha(units)
    assert found is None or found <= 1 + 1e-9
    whole = alpha([[unit[0]] * 2 for unit in units if unit])
    assert whole is None or whole == pytest.approx(1)
    shuffled = [draw.sample(unit, len(unit)) for unit in units]
    draw.shuffle(shuffled)
    assert alpha(shuffled) == pytest.approx(found)
    assert alpha([[5 - number for number in unit] for unit in units]) == pytest.approx(found)
