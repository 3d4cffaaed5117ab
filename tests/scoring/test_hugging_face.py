"""The module for Hugging Face's evaluate gives what ``scoring.score`` gives.

evaluate is no requirement of ours: ``pip install evaluate`` (0.4.6 was tried), or its folder in
PYTHONPATH, has these tests run.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from scoring.scorer import score
from tests.scoring.test_scorer import REFERENCES, ROOT, SAID

pytestmark = pytest.mark.skipif(find_spec("evaluate") is None, reason="evaluate is not installed")
CODE = f"""
import json, evaluate
from scoring.hugging_face import MODULE
captions, references = {SAID!r}, {REFERENCES!r}
whole = evaluate.load(MODULE, "rouge_l").compute(predictions=captions, references=references)
batches = evaluate.load(MODULE)
for caption, texts in zip(captions, references):
    batches.add(prediction=caption, reference=texts)
parameters = {{"sbert": {{"encoder": "no"}}}}
given = batches.compute(metrics=["bleu_1", "sbert_sim"], parameters=parameters)
print(json.dumps([whole, given]))
"""


def test_corpus_values_are_those_of_the_library(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=ROOT,
        env={**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    whole, given = json.loads(run.stdout.splitlines()[-1])
    expected = score(SAID, REFERENCES, ["bleu_1", "rouge_l"])
    assert whole["rouge_l"] == expected["rouge_l"]
    assert whole["signatures"] == {"rouge_l": expected.signatures["rouge_l"]}
    assert whole["unavailable"] == {}
    assert given["bleu_1"] == expected["bleu_1"]
    assert "hf download" in given["unavailable"]["sbert_sim"]
