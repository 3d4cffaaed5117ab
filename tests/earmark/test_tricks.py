"""Tricks and false sounds: what they write, what metrics make of it, and nothing kept is stale."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.captions import Candidates, References, read_candidates, read_references
from earmark.metrics.family import metric_parameters
from earmark.pipeline import score
from earmark.registry import METRICS, load_family, metrics_for
from earmark.signature import signature
from earmark.text.porter2 import stem
from earmark.tricks.captions import TRICKS
from earmark.tricks.events import JOINTS, events_of, parts_of
from earmark.tricks.false_sounds import RESULTS_FILE as FALSE_SOUNDS_FILE
from earmark.tricks.false_sounds import (
    Changes,
    FalseSoundResults,
    measure_false_sounds,
    measured_false_sounds,
    with_false_sounds,
)
from earmark.tricks.false_sounds import results_json as false_sounds_json
from earmark.tricks.measuring import (
    RESULTS_FILE,
    MetricUnderTricks,
    measure_tricks,
    measured_tricks,
    results_json,
)
from earmark.workspace import Workspace

RERUN = "measure again: earmark/resources/tricks/README.md says how"
HONEST = ("A dog barks.", "Rain falls on a roof", "Two people talk while a car passes")
REFERENCES = ("A dog is barking", "Rain falls", "People talk", "A dog barks at people")


def written(name: str) -> list[str]:
    trick = next(trick for trick in TRICKS if trick.name == name)
    return trick.write(HONEST, REFERENCES)


def test_what_each_trick_writes() -> None:
    assert written("repeated")[0] == "A dog barks and a dog barks"
    assert written("hedged")[0] == "A dog barks or rain falls on a roof"
    assert written("keywords") == ["dog barks", "rain falls roof", "people talk car passes"]
    assert sorted(written("another_clip")) == sorted(HONEST)
    assert all(new != old for new, old in zip(written("another_clip"), HONEST, strict=True))
    assert written("many_sounds")[0].startswith("A dog barks, rain falls on a roof, two people")
    assert len(set(written("generic"))) == 1
    assert written("generic")[0] in REFERENCES
    assert written("common_words")[0].split()[:3] == ["a", "dog", "people"]


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=5))
def test_any_captions_give_one_caption_for_each_clip(captions: list[str]) -> None:
    for trick in TRICKS:
        made = trick.write(captions, captions)
        assert len(made) == len(captions)
        assert made == trick.write(captions, captions)


def test_a_metric_is_raised_where_a_trick_is_better_than_the_whole_honest_interval() -> None:
    values = {"repeated": 0.56, "hedged": 0.54, "keywords": 0.61, "generic": 0.2}
    higher = MetricUnderTricks("meteor", "", 0.5, 0.45, 0.55, values)
    assert higher.raised_by == ("keywords", "repeated")
    lower = MetricUnderTricks("fer", "", 0.5, 0.45, 0.55, values)
    assert lower.raised_by == ("generic",)


def test_honest_captions_and_tricks_are_scored_alike() -> None:
    references = References.build([("a.wav", REFERENCES[:1]), ("b.wav", REFERENCES[1:2])])
    candidates = Candidates.single(HONEST[:2])
    found, missing = measure_tricks(candidates, references, ["rouge_l", "bleu_4"], Workspace())
    assert not missing
    for name, row in found.items():
        for trick in TRICKS:
            made = Candidates.single(trick.write(HONEST[:2], references.captions))
            alone = score(made, references, [name], Workspace()).results[name]
            assert row.values[trick.name] == alone.value


def test_what_is_kept_is_what_would_be_written() -> None:
    assert results_json(measured_tricks()) == RESULTS_FILE.read_text()
    assert false_sounds_json(measured_false_sounds()) == FALSE_SOUNDS_FILE.read_text()


@pytest.mark.parametrize("name", metrics_for(several=False))
def test_it_was_measured_with_what_the_code_computes_now(name: str) -> None:
    now = load_family(METRICS[name].family)
    current = signature(name, metric_parameters(now, name), "5", now.revision)
    for kept in (measured_tricks().metrics, measured_false_sounds().metrics):
        assert [*kept] == [*metrics_for(several=False)], RERUN
        assert kept[name].signature == current, RERUN


def test_cheap_metrics_are_measured_so_again(shared_data: Path) -> None:
    kept = measured_tricks()
    path = shared_data / "clotho" / kept.references
    references = read_references(path.read_bytes(), file_name=path.name).value
    assert references is not None
    path = shared_data / "systems" / kept.candidates
    candidates = read_candidates(path.read_bytes(), references, file_name=path.name).value
    assert candidates is not None
    found, _ = measure_tricks(candidates, references, ["rouge_l"], Workspace())
    assert found["rouge_l"].values == pytest.approx(kept.metrics["rouge_l"].values, rel=1e-5)


CLIPS = References.build(
    [
        ("a.wav", ["A dog barks while rain falls", "Dogs barking and a rainy street"]),
        ("b.wav", ["People talk, then a door slams", "A crowd speaks and doors slam"]),
    ]
)
EVENTS = events_of(CLIPS.captions)


def test_captions_come_apart_at_their_joints() -> None:
    assert parts_of("A dog barks, and then a car passes.")[0] == ["A dog barks", "a car passes"]
    assert "rain falls" in EVENTS
    assert "a dog barks" in EVENTS


def test_what_is_added_is_in_no_reference_in_any_form() -> None:
    captions = ["A dog barks.", "Somebody slammed it"]
    altered = with_false_sounds(captions, CLIPS, EVENTS)
    assert altered == with_false_sounds(captions, CLIPS, EVENTS)
    for caption, made, clip in zip(captions, altered, CLIPS.clips, strict=True):
        assert made.startswith(caption.rstrip("."))
        added = made.removeprefix(caption.rstrip("."))
        assert any(added.startswith(joint) for joint in JOINTS)
        told = {stem(word) for text in (caption, *clip.references) for word in text.lower().split()}
        for word in ("dog", "rain", "street", "peopl", "door", "slam", "crowd", "speak"):
            assert not (word in told and word in {stem(w) for w in added.split()})


def test_a_caption_stays_as_it_is_where_nothing_is_false() -> None:
    assert with_false_sounds(["A dog barks", "x"], CLIPS, ["a dog barks"])[0] == "A dog barks"
    assert with_false_sounds(["A dog barks", "x"], CLIPS, []) == ["A dog barks", "x"]


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=2))
def test_any_captions_can_have_false_sounds(captions: list[str]) -> None:
    assert len(with_false_sounds(captions, CLIPS, EVENTS)) == 2


def test_better_and_worse_are_counted_in_the_metric_s_own_direction() -> None:
    found, missing = measure_false_sounds(
        Candidates.single(["a dog barks", "people talk"]), CLIPS, ["rouge_l"], Workspace()
    )
    assert not missing
    # What matches nothing costs precision.
    assert found["rouge_l"].human == Changes(0, 2, 2)
    assert found["rouge_l"].system.cases == 2
    assert Changes(1, 2, 4).percent == 25
    assert false_sounds_json(FalseSoundResults("c.csv", "r.csv", found)).count("rouge_l") == 2
