"""Captions collected in batches, and by several processes, have the scores of one corpus."""

import subprocess
import sys
from pathlib import Path

import pytest

from scoring.accumulator import NamedTwice, ScoreAccumulator
from scoring.captions.plain_lists import UnusableInput
from scoring.metrics.rouge_l.metric import RougeL
from scoring.pipeline import CorpusMismatch
from scoring.scorer import score
from tests.scoring.test_scorer import REFERENCES, ROOT, SAID

METRICS = ["bleu_4", "rouge_l", "cider_d", "vocab"]
WHOLE = score(SAID, REFERENCES, METRICS)


def test_batches_have_the_scores_of_the_whole() -> None:
    accumulator = ScoreAccumulator(METRICS)
    accumulator.update(SAID[:1], REFERENCES[:1])
    accumulator.update(SAID[1:], REFERENCES[1:])
    found = accumulator.compute()
    assert found.corpus == WHOLE.corpus
    assert found.per_clip["cider_d"].tolist() == WHOLE.per_clip["cider_d"].tolist()
    assert accumulator.compute().corpus == WHOLE.corpus
    assert len(accumulator) == 3


def test_the_next_epoch_prepares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    accumulator = ScoreAccumulator("rouge_l")
    accumulator.update(SAID, REFERENCES)
    first = accumulator.compute()

    def fail(*_: object) -> None:
        raise AssertionError("prepared again")

    monkeypatch.setattr(RougeL, "prepare", fail)
    accumulator.reset()
    accumulator.update(SAID, REFERENCES)
    assert accumulator.compute().corpus == first.corpus


def test_a_clip_that_fills_up_a_batch_counts_once() -> None:
    accumulator = ScoreAccumulator(METRICS)
    names = ["dog.wav", "rain.wav", "hall.wav"]
    accumulator.update(SAID, REFERENCES, names)
    accumulator.update(SAID[:1], REFERENCES[:1], names[:1])
    found = accumulator.compute()
    assert found.clips == tuple(names)
    assert found.corpus == WHOLE.corpus
    # Without names nothing says that it is the same clip.
    unnamed = ScoreAccumulator(METRICS)
    unnamed.update([*SAID, SAID[0]], [*REFERENCES, REFERENCES[0]])
    assert len(unnamed.compute().clips) == 4


def test_one_name_with_two_captions_is_refused() -> None:
    accumulator = ScoreAccumulator(METRICS)
    accumulator.update(SAID[:1], REFERENCES[:1], ["dog.wav"])
    accumulator.update(["a cat"], REFERENCES[:1], ["dog.wav"])
    with pytest.raises(NamedTwice, match=r"'dog\.wav' was given twice"):
        accumulator.compute()


def test_a_batch_that_is_refused_adds_nothing() -> None:
    accumulator = ScoreAccumulator(METRICS)
    with pytest.raises(CorpusMismatch):
        accumulator.update(SAID, REFERENCES[:1])
    with pytest.raises(UnusableInput, match="2 names for 3 clips"):
        accumulator.update(SAID, REFERENCES, ["a", "b"])
    with pytest.raises(UnusableInput, match="captions is one text"):
        accumulator.update("a dog", REFERENCES)
    assert len(accumulator) == 0


def test_ranks_have_the_scores_of_all_captions(tmp_path: Path) -> None:
    """Two real processes of torch.distributed, of which one has no captions of its own left."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.scoring.accumulating_rank", str(tmp_path), str(rank)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    printed = [run.communicate()[0].split("\n") for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    shown = f"{WHOLE.corpus} {[len(SAID), WHOLE.per_clip['cider_d'].tolist()]}"
    assert [lines[0] for lines in printed] == [shown, shown]
    assert [lines[1] for lines in printed] == ["own 2", "own 1"]
    first = f"{score(SAID[:1], REFERENCES[:1], METRICS).corpus}"
    assert [lines[2] for lines in printed] == [first, first]
