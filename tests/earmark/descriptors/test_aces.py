"""ACES: its arithmetic by hand, its choices and its details."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.metrics.aces.matching import MATCH, bag_of, balanced_of, f_beta, judge, score_of
from earmark.metrics.aces.metric import Aces
from earmark.models.descriptors import LabelledCaption, inventories, words_of
from earmark.models.encoder import embed, find_encoder
from tests.earmark.corpora import corpus

LABELS = inventories()["aces-13"]
BASIS = {"x": np.array([1.0, 0.0]), "y": np.array([0.0, 1.0]), "z": np.array([0.6, 0.8])}


def run(candidates: list[str], told_by: list[list[str]], /, **options: Any) -> Any:
    return results(candidates, told_by, **options)["aces"]


def results(
    candidates: list[str], told_by: list[list[str]], /, *, details: bool = False, **options: Any
) -> Any:
    said, told, workspace = corpus(candidates, told_by, device="cpu", details=details)
    family = Aces(**options)
    prepared = family.load(family.dump(family.prepare(told, workspace)))
    return family.score(said, told, prepared, workspace)


def labelled(text: str, labels: str) -> LabelledCaption:
    words = tuple(words_of(text))
    return LabelledCaption(words, tuple(labels.split()), (1.0,) * len(words))


def test_f_is_recall_with_beta_nine() -> None:
    assert f_beta(0.5, 0.8, 9.0) == pytest.approx(82 * 0.5 * 0.8 / (81 * 0.5 + 0.8))
    assert f_beta(0.0, 0.8, 9.0) == 0
    assert f_beta(-0.1, 0.8, 9.0) == 0


def test_judgement_by_hand() -> None:
    # WHAT: cosines x-x 1, x-z .6 -> P = 1, R = (1 + .6) / 2; HOW: z-y .8 and y-y 1 -> P .9, R 1.
    found = judge(
        {"WHAT": ["x"], "HOW": ["z", "y"], "WHO": ["x"]},
        {"HOW": ["y"], "WHAT": ["x", "z"], "WHERE": ["y"]},
        BASIS,
        LABELS,
        beta=9.0,
    )
    what = 82 * 1.0 * 0.8 / (81 * 1.0 + 0.8)
    how = 82 * 0.9 * 1.0 / (81 * 0.9 + 1.0)
    assert [match.label for match in found.matches] == ["WHAT", "HOW"]
    assert [match.f for match in found.matches] == pytest.approx([what, how])
    assert found.score == pytest.approx((what + how) / 2 - (13 - 2) / 13 / 1850)


def test_nothing_shared_is_zero_and_not_less() -> None:
    assert judge({"WHO": ["x"]}, {"WHAT": ["x"]}, BASIS, LABELS, beta=9.0).score == 0
    assert judge({}, {}, BASIS, LABELS, beta=9.0).score == 0
    assert score_of([0.0001], 13) == 0


def test_the_balanced_form_by_hand() -> None:
    # WHAT: x-x 1, x-z .6; HOW: z-y .8; WHO has no partner, nor has WHERE.
    found = judge(
        {"WHAT": ["x"], "HOW": ["z"], "WHO": ["x"]},
        {"HOW": ["y"], "WHAT": ["x", "z"], "WHERE": ["y"]},
        BASIS,
        LABELS,
        beta=9.0,
    ).balanced
    assert found.precision == pytest.approx((1 + 0.8 + 0) / 3)
    assert found.recall == pytest.approx((0.8 + 1 + 0.6 + 0) / 4)
    assert found.f == pytest.approx(2 * 0.6 * 0.6 / (0.6 + 0.6))
    assert found.nearness == pytest.approx(1 / (1 + 0 + 0.2 + 1))
    assert found.score == pytest.approx((0.6 + found.nearness / 1850) / (1 + 1 / 1850))
    # A cosine of 0 is no match.
    assert judge({"WHO": ["x"]}, {"WHO": ["y"]}, BASIS, LABELS, beta=9.0).balanced.f == 0


def test_captions_that_match_nothing_are_told_apart_by_how_near_they_come() -> None:
    near, far, more = (
        balanced_of([np.array(rows)], len(rows), 1) for rows in ([[0.4]], [[0.1]], [[0.4], [0.4]])
    )
    assert near.f == far.f == more.f == 0
    assert near.score > far.score
    assert near.score > more.score


# Cosines by label: of several spans of a caption with several of references.
ROWS = st.integers(1, 3).flatmap(
    lambda theirs: st.lists(
        st.lists(st.floats(-1, 1), min_size=theirs, max_size=theirs), min_size=1, max_size=4
    )
)


@given(
    st.lists(ROWS, min_size=0, max_size=4),
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(st.floats(-1, MATCH, exclude_max=True), min_size=3, max_size=3),
    st.integers(0, 4),
)
def test_a_span_that_matches_nothing_never_raises_the_balanced_form(
    rows: list[list[list[float]]], alone: int, missed: int, false: list[float], label: int
) -> None:
    cosines = [np.array(row) for row in rows]
    ours = sum(len(row) for row in rows) + alone
    theirs = sum(one.shape[1] for one in cosines) + missed
    before = balanced_of(cosines, ours, theirs)
    # The span has a label that both sides have, that the caption alone has, or, as the first of
    # its label in the caption, one that the references have.
    if label < len(cosines):
        more = np.array([false[: cosines[label].shape[1]]])
        cosines[label] = np.concatenate([cosines[label], more])
    elif label == len(cosines) and missed:
        cosines.append(np.array([false[:missed]]))
    after = balanced_of(cosines, ours + 1, theirs)
    assert after.recall == before.recall
    assert after.precision <= before.precision
    assert after.nearness <= before.nearness
    assert after.f <= before.f
    assert after.score <= before.score


def test_the_balanced_form_takes_its_own_best_reference_and_is_halved_alike() -> None:
    # By recall the short reference is the best for ACES.
    told = [["a dog barks", "a dog barks while rain falls on a roof"]]
    said = "a dog barks while rain falls on a roof"
    best = results([said], told, mode="max", fluency="none")["aces_balanced"]
    assert best.value == pytest.approx(1, abs=1e-6)
    broken = "a dog barks and a"
    plain, judged = (
        results([broken], [["a dog barks"]], fluency=fluency)["aces_balanced"].value
        for fluency in ("none", "earmark")
    )
    assert judged == pytest.approx(plain / 2)


def test_spans_of_several_references_are_pooled() -> None:
    found = bag_of([labelled("a big dog barks", "O WHO WHO HOW"), labelled("dog", "WHO")])
    assert found == {"WHO": ["big dog", "dog"], "HOW": ["barks"]}


def test_same_caption_has_the_highest_score_that_its_labels_allow() -> None:
    found = run(["a man talks"], [["A man talks."]], fluency="none", details=True)
    assert [row["label"] for row in found.details[0]["labels"]] == ["WHO", "HOW"]
    assert found.value == pytest.approx(1 - (13 - 2) / 13 / 1850, abs=1e-6)


def test_combined_pools_and_max_takes_the_best() -> None:
    references = [["a man talks", "a dog barks", "rain falls"]]
    best = run(["a dog barks"], references, mode="max", fluency="none", details=True)
    pooled = run(["a dog barks"], references, fluency="none", details=True)
    alone = run(["a dog barks"], [["a dog barks"]], mode="max", fluency="none")
    assert best.per_clip[0] == alone.per_clip[0]
    assert best.details[0]["reference"] == 1
    assert pooled.value < best.value
    assert pooled.details[0]["reference"] is None
    # Recall of HOW by hand: the best match of each reference's span, "barks" being the only one.
    vectors = embed(find_encoder(), ["barks", "talks", "falls"], device="cpu")
    how = next(row for row in pooled.details[0]["labels"] if row["label"] == "HOW")
    assert how["recall"] == pytest.approx(float((vectors @ vectors[0]).mean()), abs=1e-5)
    assert how["precision"] == pytest.approx(1, abs=1e-6)


def test_a_caption_that_is_not_fluent_is_halved() -> None:
    broken = "a dog barks and a"
    plain = run([broken], [["a dog barks"]], fluency="none")
    judged = run([broken], [["a dog barks"]], details=True)
    assert judged.details[0]["fluency"]["flag"] is True
    assert judged.value == pytest.approx(plain.value / 2)
    fluent = run(["a dog barks"], [["a dog barks"]], details=True)
    assert fluent.details[0]["fluency"]["flag"] is False


def test_details_show_coloured_words_and_best_matches() -> None:
    row = run(
        ["a man talks"], [["a woman speaks in a room"]], fluency="none", details=True
    ).details[0]
    assert [(word["text"], word["label"]) for word in row["words"]] == [
        ("a", "O"),
        ("man", "WHO"),
        ("talks", "HOW"),
    ]
    assert row["references"][0][1] == {"text": "woman", "label": "WHO"}
    who = row["labels"][0]
    assert (who["spans"][0]["span"], who["spans"][0]["match"]) == ("man", "woman")
    vectors = embed(find_encoder(), ["man", "woman"], device="cpu")
    assert who["spans"][0]["similarity"] == pytest.approx(float(vectors[0] @ vectors[1]), abs=1e-5)
    assert row["only_candidate"] == []
    assert row["only_references"]
    assert row["fluency"] is None
    assert set(row["balanced"]) == {"precision", "recall", "f", "nearness"}
