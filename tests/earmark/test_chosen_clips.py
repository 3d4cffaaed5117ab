"""Some clips of a corpus: scored as among all, and nothing is prepared for them."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.kept_references import KeptReferences
from earmark.metrics.family import Family
from earmark.metrics.joined import JoinedFamily
from earmark.pipeline import score_by
from earmark.registry import load_family, standard_families
from earmark.results import MetricScore
from earmark.workspace import Workspace
from tests.earmark.test_isolation import TOLERANCE, candidate_of, references_of

CLIPS = 12
REFERENCES = References.build((f"{i}.wav", references_of(i)) for i in range(CLIPS))
SAID = [candidate_of(i) for i in range(CLIPS)]
# Out of order, and one of them twice, as where several captions of a clip are compared.
PLACES = [7, 2, 2, 11]


def is_parted(family: Family[Any]) -> bool:
    """Whether what a family prepares can be taken apart, or what those do that prepare for it."""
    if isinstance(family, JoinedFamily):
        return all(map(is_parted, family.prepared_by))
    return hasattr(family, "chosen")


PARTED = [name for name in standard_families() if is_parted(load_family(name))]
KEPT = KeptReferences()


def scored(name: str, places: list[int] | None) -> dict[str, MetricScore]:
    references = REFERENCES if places is None else REFERENCES.chosen(places)
    said = SAID if places is None else [SAID[place] for place in places]
    workspace = Workspace(device="cpu", details=True, kept=KEPT)
    return score_by(load_family(name), Candidates.single(said), references, workspace)


@cache
def whole(name: str) -> dict[str, MetricScore]:
    return scored(name, None)


@pytest.mark.parametrize("name", PARTED)
@pytest.mark.parametrize("places", [PLACES, [0], [4]])
def test_clips_score_as_among_all(name: str, places: list[int]) -> None:
    for metric, result in scored(name, places).items():
        expected = whole(name)[metric]
        np.testing.assert_allclose(
            result.per_clip, expected.per_clip[places], rtol=0, atol=TOLERANCE
        )
        if result.details is not None and name not in {"vocab", "cider_d"}:
            assert len(result.details) == len(places)


def test_document_frequencies_are_of_all_clips() -> None:
    alone = References.build([("2.wav", references_of(2))])
    said = Candidates.single([SAID[2]])
    workspace = Workspace(device="cpu")
    (of_one,) = score_by(load_family("cider_d"), said, alone, workspace).values()
    (of_all,) = scored("cider_d", [2]).values()
    assert of_one.value == 0
    assert of_all.value == pytest.approx(whole("cider_d")["cider_d"].per_clip[2])
    assert of_all.value > 0


@pytest.mark.parametrize("name", ["bleu", "cider_d", "sbert", "fense", "aces", "cb"])
def test_nothing_is_prepared_for_clips_that_are_chosen(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole(name)
    family: Family[object] = load_family(name)

    def fail(*_: object) -> None:
        raise AssertionError("prepared again")

    monkeypatch.setattr(type(family), "prepare", fail)
    assert scored(name, PLACES)


def test_without_a_keeper_clips_are_prepared_with_the_documents_of_all() -> None:
    part = REFERENCES.chosen(PLACES)
    assert part.documents == REFERENCES
    said = Candidates.single([SAID[place] for place in PLACES])
    ours = score_by(load_family("cider_d"), said, part, Workspace(device="cpu"))["cider_d"]
    np.testing.assert_allclose(
        ours.per_clip, whole("cider_d")["cider_d"].per_clip[PLACES], rtol=0, atol=TOLERANCE
    )


def test_what_trains_systems_can_be_parted() -> None:
    wanted = {"bleu", "rouge_l", "cider_d", "vocab", "spice", "spider", "sbert", "fluency"}
    wanted |= {"fense", "spider_fl", "bert_score", "cb", "aces", "sbf", "spice_plus"}
    assert wanted | {"spice_plus_emb", "earmark"} <= set(PARTED)
