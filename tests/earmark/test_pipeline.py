"""Many metrics at once: the right ones, in order, one failure that stays alone, small details."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.captions import Candidates, References
from earmark.corpus_parts import CompactDetails
from earmark.pipeline import CorpusMismatch, EmptyCorpus, score, score_family
from earmark.workspace import Workspace
from tests.earmark.corpora import corpus

WORDS = ("bleu", "rouge_l", "cider_d", "vocab")


def test_gives_what_was_asked_for_in_registry_order() -> None:
    sides = corpus(["a dog"], [["a dog"]])
    scores = score(sides[0], sides[1], ["vocab", "rouge_l", "bleu_2", "rouge_l"], sides[2])
    assert list(scores.results) == ["bleu_2", "rouge_l", "vocab"]
    assert scores.unavailable == {}


def test_every_metric_of_a_family_that_failed_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> None:
        raise OSError("disk\n gone")

    monkeypatch.setattr("earmark.metrics.bleu.metric.Bleu.prepare", unreadable)
    sides = corpus(["a"], [["a"]])
    scores = score(sides[0], sides[1], ["bleu_1", "bleu_4", "vocab"], sides[2])
    assert list(scores.results) == ["vocab"]
    assert scores.unavailable == dict.fromkeys(("bleu_1", "bleu_4"), "OSError: disk gone")


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


def test_sides_that_do_not_match_are_refused() -> None:
    references = References.build([("a.wav", ["a"]), ("b.wav", ["b"])])
    for said, told, refused in (
        (Candidates.single(["a"]), references, CorpusMismatch),
        (Candidates(()), References(()), EmptyCorpus),
    ):
        with pytest.raises(refused):
            score(said, told, ["vocab"], Workspace())
        with pytest.raises(refused):
            score_family("vocab", said, told, Workspace())


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


ROWS: list[dict[str, Any]] = [{"place": place, "words": ["a", "dog"]} for place in range(250)]


@pytest.fixture
def details() -> CompactDetails:
    """Rows that came in two parts, the second with blocks of its own."""
    made = CompactDetails()
    made.extend(ROWS[:130])
    made.extend(ROWS[130:])
    return made


def test_reads_like_a_list(details: CompactDetails) -> None:
    assert len(details) == 250
    assert list(details) == ROWS
    assert list(reversed(details)) == ROWS[::-1]
    with pytest.raises(IndexError):
        details[250]


@given(place=st.integers(-250, 249), start=st.integers(-300, 300), stop=st.integers(-300, 300))
def test_has_places_and_slices_as_a_list(place: int, start: int, stop: int) -> None:
    details = CompactDetails()
    details.extend(ROWS)
    assert details[place] == ROWS[place]
    assert details[start:stop] == ROWS[start:stop]


def test_keeps_half_characters_and_numbers() -> None:
    details = CompactDetails()
    rows: list[dict[str, Any]] = [{"text": chr(0xD800) + "ö\x00", "value": 0.1}, {"value": None}]
    details.extend(rows)
    assert list(details) == rows
