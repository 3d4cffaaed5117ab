"""Large corpora: scores of parts are those of the whole, and parts remember nothing of others."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark import corpus_parts
from earmark.captions import Candidates, References
from earmark.captions.corpus import one_reference_against_others
from earmark.kept_references import KeptReferences
from earmark.metrics import bert_score, cb, cider_d
from earmark.metrics.rouge_l.metric import RougeL
from earmark.pipeline import CorpusScores, score, score_family
from earmark.registry import metrics_for
from earmark.results import MetricScore
from earmark.workspace import Workspace
from tests.earmark.corpora import Sides, corpora, words_workspace

CLIPS = [
    ("A dog barks while rain falls.", ["A dog barks in the rain.", "Rain and a dog barking"]),
    ("birds sing", ["Birds are singing in a forest.", "A bird chirps", "Some birds sing"]),
    ("a car passes by", ["A car drives past on a wet road."]),
    ("people talk and laugh", ["People are talking and laughing.", "A crowd laughs"]),
    ("a door slams", ["Someone closes a door.", "A door is shut loudly", "A door slams"]),
    ("water drips into a sink", ["Water is dripping.", "Dripping water in a metal sink"]),
    ("a dog barks", ["A dog barks twice.", "A large dog is barking"]),
    ("", ["Wind blows.", "Strong wind blowing into a microphone"]),
    ("an engine idles and a and", ["An engine is running idle.", "A motor hums"]),
    ("rain falls on a roof", ["Rain falls on a tin roof.", "It is raining heavily"]),
    ("A dog barks while rain falls.", ["A man speaks.", "A man is speaking to a dog"]),
    ("church bells ring", ["Bells of a church ring.", "Bells are ringing in the distance"]),
]
COMPOSITE = {"formula": "0.5 * bleu_4 + 0.25 * fense - 0.1 * fer + 0.25 * (meteor - 0.1) / 0.2"}
# What is counted over all documents is counted by these choices only.
CHOICES: dict[str, Any] = {
    "cb": {"relevance": "tfidf"},
    "bert_score": {"idf": "references"},
    "composite": COMPOSITE,
}


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of two clips or three, and documents counted as few at a time."""
    monkeypatch.setattr(corpus_parts, "PART_CAPTIONS", 5)
    monkeypatch.setattr("gc.collect", lambda: 0)  # of all that the tests have in memory
    for module in (bert_score, cb, cider_d):
        monkeypatch.setattr(f"{module.__name__}.metric._TOGETHER", 3)


def sides() -> tuple[Candidates, References]:
    """Clips of which one, in the last part, has several candidates."""
    references = References.build((f"{i}.wav", told) for i, (_, told) in enumerate(CLIPS))
    captions: list[tuple[str, ...]] = [(caption,) for caption, _ in CLIPS]
    captions[10] = ("A dog barks while rain falls.", "a man is speaking")
    return Candidates(tuple(captions)), references


def whole_workspace(**settings: Any) -> Workspace:
    """A workspace in which nothing is taken apart, as what is prepared is to be kept."""
    return Workspace(kept=KeptReferences(), **settings)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("details", [True, False])
def test_every_metric_has_the_same_scores_by_parts(details: bool) -> None:
    candidates, references = sides()
    names = [*metrics_for(several=True), "composite"]
    told = [Workspace(details=details, processors=2), whole_workspace(details=details)]
    by_parts, whole = (score(candidates, references, names, one, CHOICES) for one in told)
    assert set(by_parts.results) == set(whole.results) == set(names) - set(whole.unavailable)
    assert {"spider_max", "composite", "vocab"} <= set(whole.results)
    assert by_parts.unavailable == whole.unavailable
    assert_same(by_parts, whole)


def assert_same(by_parts: CorpusScores, whole: CorpusScores) -> None:
    """To the last bit, and in the words of every detail."""
    for name, one in whole.results.items():
        other = by_parts.results[name]
        assert (other.value, other.interval) == (one.value, one.interval), name
        np.testing.assert_array_equal(other.per_clip, one.per_clip, name)
        assert other.signature == one.signature
        assert as_json(other) == as_json(one), name


def as_json(result: MetricScore) -> list[Any] | None:
    if result.details is None:
        return None
    rows: list[Any] = json.loads(json.dumps(list(result.details)))
    return rows


@given(sides=corpora, size=st.integers(1, 6))
def test_words_have_the_same_scores_in_parts_of_any_size(sides: Sides, size: int) -> None:
    candidates = Candidates.single(sides[0])
    references = References.build((str(i), texts) for i, texts in enumerate(sides[1]))
    texts = [*sides[0], *references.captions]
    names = ["bleu_4", "rouge_l", "cider_d", "vocab"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_parts, "PART_CAPTIONS", size)
        patch.setattr("gc.collect", lambda: 0)  # of all that the tests have in memory
        by_parts = score(candidates, references, names, words_workspace(texts))
    whole = score(candidates, references, names, words_workspace(texts, kept=KeptReferences()))
    assert_same(by_parts, whole)


@pytest.mark.usefixtures("small_parts")
def test_documents_other_than_the_clips_count_for_every_part() -> None:
    _, told = sides()
    candidates, references = one_reference_against_others(told)
    names = ["cider_d", "cb_score"]
    by_parts = score(candidates, references, names, Workspace(), CHOICES | {"composite": {}})
    whole = score(candidates, references, names, whole_workspace(), CHOICES | {"composite": {}})
    assert_same(by_parts, whole)


@pytest.mark.usefixtures("small_parts")
def test_a_family_that_fails_in_one_part_is_unavailable_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    candidates, references = sides()
    usual, scored = RougeL.score, []

    def fail_in_the_second(self: RougeL, own: Candidates, *told: Any) -> dict[str, MetricScore]:
        scored.append(own)
        if len(scored) == 2:
            raise OSError("disk gone")
        return usual(self, own, *told)

    monkeypatch.setattr(RougeL, "score", fail_in_the_second)
    found = score(candidates, references, ["rouge_l"], Workspace())
    assert found.results == {}
    assert found.unavailable["rouge_l"] == "OSError: disk gone"
    assert len(scored) == 2


@pytest.mark.usefixtures("small_parts")
def test_progress_counts_the_clips_of_all_parts() -> None:
    candidates, references = sides()
    told: list[tuple[str, int, int]] = []
    workspace = Workspace(progress=lambda *step: told.append(step))
    score_family("bleu", candidates, references, workspace)
    assert {total for _, _, total in told} == {len(CLIPS)}
    done = [clips for _, clips, _ in told]
    assert done == sorted(done)
    assert done[-1] == len(CLIPS)


@pytest.mark.usefixtures("small_parts")
def test_files_of_parts_do_not_repeat_what_is_counted_over_all(tmp_path: Path) -> None:
    candidates, references = sides()
    workspace = Workspace(cache_dir=tmp_path)
    first = score(candidates, references, ["cider_d", "rouge_l", "spider"], workspace)
    assert {path.name.partition("-")[0] for path in tmp_path.glob("*.npz")} == {"rouge_l", "spice"}
    again = score(candidates, references, ["cider_d", "rouge_l", "spider"], workspace)
    assert_same(again, first)
