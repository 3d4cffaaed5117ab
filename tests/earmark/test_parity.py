"""The numbers of the reference programs, on three published systems over Clotho evaluation.

Expected: pycocoevalcap 1.2 on Java 17 (oracles/<system>.json), which scored the same files. Here
they go the whole way: the files as published, the readers, the tokeniser, the metrics.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.pipeline import CorpusScores, score
from earmark.workspace import Workspace
from tests.earmark.corpora import SYSTEMS, oracle, published
from tests.earmark.oracles.no_break_spaces import CLIPS, FILE

System = tuple[CorpusScores, dict[str, Any]]
TOLERANCE = {
    **dict.fromkeys(("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider_d"), 1e-6),
    "meteor": 1e-5,
}


@pytest.fixture(scope="module", params=SYSTEMS)
def system(request: pytest.FixtureRequest, shared_data: Path, prepared_cache: Path) -> System:
    candidates, references = published(shared_data, request.param)
    workspace = Workspace(cache_dir=prepared_cache)
    scores = score(candidates, references, tuple(TOLERANCE), workspace)
    return scores, oracle(shared_data, request.param)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_candidate_has_javas_tokens(shared_data: Path, name: str) -> None:
    candidates, references = published(shared_data, name)
    ours = [" ".join(tokens) for tokens in Workspace().tokens(candidates.first)]
    told = oracle(shared_data, name)["per_clip"]
    assert ours == [clip["tokens"] for clip in told]
    assert list(references.file_names) == [clip["file_name"] for clip in told]


@pytest.mark.parametrize("name", TOLERANCE)
def test_corpus_value(system: System, name: str) -> None:
    scores, told = system
    assert scores.unavailable == {}
    # To 4 decimals is what is promised; beyond it only the order of additions differs.
    assert scores.results[name].value == pytest.approx(told["corpus"][name], abs=1e-9)


@pytest.mark.parametrize("name", TOLERANCE)
def test_every_clip(system: System, name: str) -> None:
    scores, told = system
    expected = np.array([clip[name] for clip in told["per_clip"]])
    assert np.abs(scores.results[name].per_clip - expected).max() < TOLERANCE[name]
    assert scores.results[name].coverage == expected.size == 1045


@pytest.mark.parametrize(
    ("name", "metric", "value"),
    # As published for these systems on Clotho evaluation, to 3 decimals.
    [
        ("dcase2023_baseline", "meteor", 0.177),
        ("dcase2023_baseline", "cider_d", 0.420),
        ("dcase2022_baseline", "rouge_l", 0.365),
        ("audiocaption", "rouge_l", 0.289),
    ],
)
def test_published_values(
    shared_data: Path, prepared_cache: Path, name: str, metric: str, value: float
) -> None:
    sides = published(shared_data, name)
    ours = score(*sides, [metric], Workspace(cache_dir=prepared_cache)).results[metric]
    assert round(ours.value, 3) == value


# Tokens with no-break spaces: BLEU and CIDEr-D split them, as pycocoevalcap does.
TOLD = json.loads(FILE.read_text())


@pytest.fixture(scope="module")
def scores() -> CorpusScores:
    references = References.build(
        (f"{clip}.wav", texts) for clip, texts in enumerate(CLIPS.values())
    )
    return score(Candidates.single(list(CLIPS)), references, tuple(TOLERANCE), Workspace())


@pytest.mark.parametrize("name", TOLERANCE)
def test_no_break_spaces_in_tokens_score_as_with_pycocoevalcap(
    scores: CorpusScores, name: str
) -> None:
    found = scores.results[name]
    assert np.abs(found.per_clip - TOLD["per_clip"][name]).max() < TOLERANCE[name]
    assert found.value == pytest.approx(TOLD["corpus"][name], abs=1e-9)
