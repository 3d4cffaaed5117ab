"""False sounds: they are false, and what is kept of them is not stale."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.captions import Candidates, References
from scoring.metrics.family import metric_parameters
from scoring.registry import METRICS, load_family, metrics_for
from scoring.signature import signature
from scoring.text.porter2 import stem
from scoring.tricks.events import JOINTS, events_of, parts_of
from scoring.tricks.false_sounds import (
    RESULTS_FILE,
    Changes,
    FalseSoundResults,
    measure_false_sounds,
    measured_false_sounds,
    results_json,
    with_false_sounds,
)
from scoring.workspace import Workspace

RERUN = "measure again: scoring/resources/tricks/README.md says how"
REFERENCES = References.build(
    [
        ("a.wav", ["A dog barks while rain falls", "Dogs barking and a rainy street"]),
        ("b.wav", ["People talk, then a door slams", "A crowd speaks and doors slam"]),
    ]
)
EVENTS = events_of(REFERENCES.captions)


def test_captions_come_apart_at_their_joints() -> None:
    assert parts_of("A dog barks, and then a car passes.")[0] == ["A dog barks", "a car passes"]
    assert "rain falls" in EVENTS
    assert "a dog barks" in EVENTS


def test_what_is_added_is_in_no_reference_in_any_form() -> None:
    captions = ["A dog barks.", "Somebody slammed it"]
    altered = with_false_sounds(captions, REFERENCES, EVENTS)
    assert altered == with_false_sounds(captions, REFERENCES, EVENTS)
    for caption, made, clip in zip(captions, altered, REFERENCES.clips, strict=True):
        assert made.startswith(caption.rstrip("."))
        added = made.removeprefix(caption.rstrip("."))
        assert any(added.startswith(joint) for joint in JOINTS)
        told = {stem(word) for text in (caption, *clip.references) for word in text.lower().split()}
        for word in ("dog", "rain", "street", "peopl", "door", "slam", "crowd", "speak"):
            assert not (word in told and word in {stem(w) for w in added.split()})


def test_a_caption_stays_as_it_is_where_nothing_is_false() -> None:
    assert with_false_sounds(["A dog barks", "x"], REFERENCES, ["a dog barks"])[0] == "A dog barks"
    assert with_false_sounds(["A dog barks", "x"], REFERENCES, []) == ["A dog barks", "x"]


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=2))
def test_any_captions_can_be_altered(captions: list[str]) -> None:
    assert len(with_false_sounds(captions, REFERENCES, EVENTS)) == 2


def test_better_and_worse_are_counted_in_the_metric_s_own_direction() -> None:
    found, missing = measure_false_sounds(
        Candidates.single(["a dog barks", "people talk"]), REFERENCES, ["rouge_l"], Workspace()
    )
    assert not missing
    # What matches nothing costs precision.
    assert found["rouge_l"].human == Changes(0, 2, 2)
    assert found["rouge_l"].system.cases == 2
    assert Changes(1, 2, 4).percent == 25
    assert results_json(FalseSoundResults("c.csv", "r.csv", found)).count("rouge_l") == 2


def test_what_is_kept_is_what_would_be_written() -> None:
    assert results_json(measured_false_sounds()) == RESULTS_FILE.read_text()
    assert [*measured_false_sounds().metrics] == [*metrics_for(several=False)], RERUN


@pytest.mark.parametrize("name", metrics_for(several=False))
def test_it_was_measured_with_what_the_code_computes_now(name: str) -> None:
    now = load_family(METRICS[name].family)
    current = signature(name, metric_parameters(now, name), "5", now.revision)
    assert measured_false_sounds().metrics[name].signature == current, RERUN
