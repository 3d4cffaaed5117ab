"""Many metrics at once: the right ones, in order, and one failure that stays alone."""

from collections.abc import Callable

import pytest

from scoring.captions import Candidates, References
from scoring.errors import UnknownMetric
from scoring.pipeline import (
    CorpusMismatch,
    EmptyCorpus,
    Unavailable,
    UnknownFamily,
    score,
    score_family,
)
from scoring.workspace import Workspace
from tests.scoring.corpora import corpus

Run = Callable[[Candidates, References, Workspace], object]
WORDS = ("bleu", "rouge_l", "cider_d", "vocab")


def test_gives_what_was_asked_for_in_registry_order() -> None:
    sides = corpus(["a dog"], [["a dog"]])
    scores = score(sides[0], sides[1], ["vocab", "rouge_l", "bleu_2", "rouge_l"], sides[2])
    assert list(scores.results) == ["bleu_2", "rouge_l", "vocab"]
    assert scores.unavailable == {}


def test_unknown_metric_is_refused_before_any_work() -> None:
    told: list[tuple[str, int, int]] = []
    sides = corpus(["a"], [["a"]], progress=lambda *step: told.append(step))
    with pytest.raises(UnknownMetric, match="no metric 'blue'"):
        score(sides[0], sides[1], ["bleu_1", "blue"], sides[2])
    assert told == []


def test_parameters_reach_their_family() -> None:
    sides = corpus(["a b"], [["a b c d"]])
    scores = score(sides[0], sides[1], ["rouge_l"], sides[2], {"rouge_l": {"beta": 1.0}})
    assert scores.results["rouge_l"].value == pytest.approx(2 / 3)


def test_parameters_for_an_unknown_family_are_refused() -> None:
    sides = corpus(["a"], [["a"]])
    with pytest.raises(UnknownFamily, match="'rouge'"):
        score(sides[0], sides[1], ["rouge_l"], sides[2], {"rouge": {"beta": 1.0}})


def test_a_missing_model_makes_only_its_own_metric_unavailable() -> None:
    sides = corpus(["a dog"], [["a dog"]])
    wanted = ["rouge_l", "sbert_sim", "vocab"]
    scores = score(sides[0], sides[1], wanted, sides[2], {"sbert": {"encoder": "no-such-model"}})
    assert list(scores.results) == ["rouge_l", "vocab"]
    assert list(scores.unavailable) == ["sbert_sim"]
    assert "hf download" in scores.unavailable["sbert_sim"].reason


def test_every_metric_of_a_family_that_failed_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> None:
        raise OSError("disk\n gone")

    monkeypatch.setattr("scoring.metrics.bleu.metric.Bleu.prepare", unreadable)
    sides = corpus(["a"], [["a"]])
    scores = score(sides[0], sides[1], ["bleu_1", "bleu_4", "vocab"], sides[2])
    assert list(scores.results) == ["vocab"]
    assert scores.unavailable == {
        name: Unavailable(name, "OSError: disk gone") for name in ("bleu_1", "bleu_4")
    }


def test_programming_errors_propagate() -> None:
    sides = corpus(["a"], [["a"]])
    with pytest.raises(TypeError, match="no_such_parameter"):
        score(sides[0], sides[1], ["rouge_l"], sides[2], {"rouge_l": {"no_such_parameter": 1}})


def test_progress_may_stop_the_run() -> None:
    class Stopped(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    sides = corpus(["a"], [["a"]], progress=stop)
    with pytest.raises(Stopped):
        score(sides[0], sides[1], ["bleu_1", "vocab"], sides[2])


def _by_metric(candidates: Candidates, references: References, workspace: Workspace) -> object:
    return score(candidates, references, ["vocab"], workspace)


def _by_family(candidates: Candidates, references: References, workspace: Workspace) -> object:
    return score_family("vocab", candidates, references, workspace)


@pytest.mark.parametrize("run", [_by_metric, _by_family])
def test_sides_that_do_not_match_are_refused(run: Run) -> None:
    references = References.build([("a.wav", ["a"]), ("b.wav", ["b"])])
    with pytest.raises(CorpusMismatch, match="1 clips and references for 2"):
        run(Candidates.single(["a"]), references, Workspace())
    with pytest.raises(EmptyCorpus):
        run(Candidates(()), References(()), Workspace())


@pytest.mark.parametrize("name", [*WORDS, "sbert"])
def test_every_family_tells_its_end_once(name: str) -> None:
    told: list[tuple[str, int, int]] = []
    sides = corpus(["a", "b"], [["a"], ["b c"]], progress=lambda *step: told.append(step))
    score_family(name, *sides)
    assert told[-1] == (name, 2, 2)
    assert told[:-1].count((name, 2, 2)) == 0


def test_only_the_first_candidate_of_a_clip_counts() -> None:
    _, references, workspace = corpus(["a dog", "a cat"], [["a dog"]] * 2)
    ranked = Candidates((("a dog", "a cat"), ("a cat", "a dog")))
    ours = score_family("rouge_l", ranked, references, workspace)["rouge_l"]
    assert ours.per_clip.tolist() == [1.0, 0.5]
