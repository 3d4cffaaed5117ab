"""Tokens with no-break spaces: BLEU and CIDEr-D split them, as pycocoevalcap does.

Expected: pycocoevalcap 1.2 on Java 17 (oracles/no_break_spaces.py).
"""

import json

import numpy as np
import pytest

from scoring.captions import Candidates, References
from scoring.pipeline import CorpusScores, score
from scoring.workspace import Workspace
from tests.scoring.oracles.no_break_spaces import CLIPS, FILE
from tests.scoring.test_parity import TOLERANCE

TOLD = json.loads(FILE.read_text())


@pytest.fixture(scope="module")
def scores() -> CorpusScores:
    references = References.build(
        (f"{clip}.wav", texts) for clip, texts in enumerate(CLIPS.values())
    )
    return score(Candidates.single(list(CLIPS)), references, tuple(TOLERANCE), Workspace())


def test_every_clip_but_the_last_has_such_a_token() -> None:
    tokens = Workspace().tokens([*CLIPS, *(text for texts in CLIPS.values() for text in texts)])
    assert sum("\u00a0" in word for words in tokens for word in words) > len(CLIPS)


@pytest.mark.parametrize("name", TOLERANCE)
def test_the_reference_programs_numbers(scores: CorpusScores, name: str) -> None:
    found = scores.results[name]
    assert np.abs(found.per_clip - TOLD["per_clip"][name]).max() < TOLERANCE[name]
    assert found.value == pytest.approx(TOLD["corpus"][name], abs=1e-9)
