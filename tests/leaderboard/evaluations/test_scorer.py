"""Families of one submission share their work, whoever comes first; submissions do not mix."""

import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earmark import corpus_parts
from earmark.captions import Candidates, References
from earmark.errors import ScoringError
from earmark.kept_references import KeptReferences
from earmark.models.loaded_encoder import PackedEncoder
from earmark.runtime import give_memory_back
from leaderboard import scorer
from leaderboard.models import Phase
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.bench.performance.processes import tree_memory
from tests.factories import submit
from tests.leaderboard.conftest import Cast

REFERENCES = References.build(
    [("a.wav", ["A dog barks.", "A dog is barking."]), ("b.wav", ["It rains.", "Rain falls."])]
)
SAID = Candidates.single(["a dog barks loudly", "rain is falling hard"])
OTHER = Candidates.single(["a cat meows", "rain is falling hard"])


def silent(_family: str, _done: int, _total: int) -> None:
    """Ignore progress."""


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Note every sentence that goes through the encoder."""
    found: list[str] = []
    real = PackedEncoder.encoded

    def note(model: PackedEncoder, sentences: Sequence[str], layer: int | None = None) -> Any:
        found.extend(sentences)
        return real(model, sentences, layer)

    monkeypatch.setattr(PackedEncoder, "encoded", note)
    _forget()
    yield found
    _forget()


def _forget() -> None:
    for thread in threading.enumerate():
        if thread.name == "reading ahead":  # for the submission of another test
            thread.join()
    scorer._shared.cache_clear()
    scorer._remembering.cache_clear()
    scorer._ranked.clear()
    scorer._kept = KeptReferences()


def test_a_caption_is_embedded_once_for_all_families(embedded: list[str]) -> None:
    first = scorer.score_family("sbert", SAID, REFERENCES, silent)[0]
    assert embedded.count("a dog barks loudly") == 1
    second = scorer.score_family("fense", SAID, REFERENCES, silent)[0]
    scorer.score_family("bert_score", SAID, REFERENCES, silent)
    assert embedded.count("a dog barks loudly") == 1
    np.testing.assert_array_equal(first.per_clip, second.per_clip)
    theirs = scorer.score_family("sbert", OTHER, REFERENCES, silent)[0]
    again = scorer.score_family("sbert", SAID, REFERENCES, silent)[0]
    assert first.per_clip[0] != theirs.per_clip[0]
    np.testing.assert_array_equal(first.per_clip, again.per_clip)


def test_only_captions_that_changed_are_read(
    embedded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    families = ("sbert", "bert_score", "aces")
    for family in families:
        scorer.score_family(family, SAID, REFERENCES, silent)
    embedded.clear()
    for family in families:
        scorer.score_family(family, OTHER, REFERENCES, silent)
    # The caption that changed, and its spans; nothing of the references.
    assert embedded[0] == "a cat meows"
    assert not {*SAID.first, *REFERENCES.captions} & {*embedded}
    monkeypatch.setattr(scorer, "MOST_REMEMBERED", 1)  # there is a bound
    third = Candidates.single(["a dog barks loudly", "a cat meows"])
    embedded.clear()
    scorer.score_family("sbert", third, REFERENCES, silent)
    assert {*embedded} == {*third.first}


def test_what_ranked_a_system_is_there_for_its_rest(
    embedded: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many others are ranked before, and whatever their rest takes; within a bound."""
    monkeypatch.setattr(scorer, "MOST_REMEMBERED", 40)
    for said in (SAID, OTHER):
        scorer.score_family("fense", said, REFERENCES, silent, others=dict)
    for said in (OTHER, SAID):
        embedded.clear()
        scorer.score_family("sbert", said, REFERENCES, silent, others=lambda: {"aces": {}})
        assert not {*said.first} & {*embedded}
        assert scorer._workspace().remembered
        scorer._workspace().forget_oldest(0)
    monkeypatch.setattr(scorer, "MOST_REMEMBERED", 1)
    for said in (SAID, OTHER):
        scorer.score_family("fense", said, REFERENCES, silent, others=dict)
    assert [*scorer._ranked] == [OTHER]


def test_what_is_free_goes_back_to_the_system() -> None:
    """The C library by itself gives back only what lies last."""
    held = [bytes(10_000) for _ in range(20_000)]
    del held[:-1]
    before = tree_memory(os.getpid())
    give_memory_back()
    assert tree_memory(os.getpid()) < before - 100_000_000


def test_what_a_phase_has_to_turn_on_is_not_remembered_from_system_to_system() -> None:
    """What was asked or heard for one phase must not answer where another phase said no."""
    _forget()
    first, second = (scorer._shared(said, REFERENCES.content_hash) for said in (SAID, OTHER))
    first.workspace_of("clair_a").memo("answers")["question"] = "answer"
    first.workspace_of("sbert").memo("vectors")["caption"] = "vector"
    assert not second.workspace_of("clair_a").memo("answers")
    assert second.workspace_of("sbert").memo("vectors")
    _forget()


def test_a_large_corpus_goes_by_parts_and_stays_in_no_memory(
    embedded: list[str], settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SCORING_CACHE_DIR = tmp_path
    whole = scorer.score_family("sbert", SAID, REFERENCES, silent)[0]
    _forget()
    monkeypatch.setattr(corpus_parts, "PART_CAPTIONS", 1)
    progress: list[tuple[int, int]] = []
    embedded.clear()
    told = scorer.score_family("sbert", SAID, REFERENCES, lambda *step: progress.append(step[1:]))
    assert (told[0].value, told[0].interval) == (whole.value, whole.interval)
    assert list(told[0].details or ()) == list(whole.details or ())
    clips = zip(REFERENCES.clips, SAID.first, strict=True)
    assert embedded == [text for clip, said in clips for text in (*clip.references, said)]
    assert progress[-1] == (2, 2)
    assert len(scorer._kept) == scorer._workspace().remembered == 0
    embedded.clear()
    scorer.score_family("sbert", OTHER, REFERENCES, silent)
    assert embedded == [*OTHER.first], "the references of parts are on the disk"


def test_progress_goes_to_whoever_asks(embedded: list[str]) -> None:
    told: list[str] = []
    scorer.score_family("sbert", SAID, REFERENCES, lambda *_: told.append("first"))
    scorer.score_family("fense", SAID, REFERENCES, lambda *_: told.append("second"))
    assert told[0] == "first"
    assert told[-1] == "second"
    assert "first" not in told[told.index("second") :]


@pytest.mark.django_db
def test_a_phase_scores_with_parameters_of_its_own(cast: Cast) -> None:
    cast.phase.parameters = {"cider_d": {"sigma": 2.0}}
    # Not saved: what counts is what the database says when the systems come in.
    first = submit(cast.phase, cast.team).evaluations.get(family="cider_d")
    cast.phase.save()
    second = submit(Phase.objects.get(pk=cast.phase.pk), cast.team, name="Second")
    other = second.evaluations.get(family="cider_d")
    assert ("sigma:6" in first.signature, "sigma:2" in other.signature) == (True, True)
    for evaluation in (first, other):
        evaluation_attempt(evaluation_id=evaluation.pk)
    values = [row.results.get().value for row in (first, other)]
    assert values[0] != values[1]
    assert [row.results.get().signature for row in (first, other)] == [
        first.signature,
        other.signature,
    ]


@pytest.mark.parametrize(
    "parameters",
    [{"sigm": 1}, {"sigma": "wide"}, {"sigma": None}],
    ids=["unknown", "text", "nothing"],
)
def test_parameters_that_make_no_family_are_refused(parameters: dict[str, object]) -> None:
    with pytest.raises(ScoringError, match="does not take these parameters of cider_d"):
        scorer.family_signature("cider_d", REFERENCES, parameters)
