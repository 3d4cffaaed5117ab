"""Computing one caption in the web process: quick, one at a time, and never for long."""

from threading import BoundedSemaphore, Event, Thread

import pytest
from django.conf import LazySettings

from earmark.metrics.meteor.files import MeteorFilesMissing
from earmark.pipeline import score
from earmark.registry import standard_families
from earmark.workspace import Workspace
from leaderboard.services.playground import computing
from leaderboard.services.playground.computing import (
    PlaygroundLabeller,
    playground_compute,
    word_weight_documents,
)
from leaderboard.services.playground.texts import MOST_WORDS, PlaygroundTexts, texts_read
from leaderboard.web.page_cache import Busy
from leaderboard.web.refusals import Refused
from tests.labellers import trained
from tests.leaderboard.playground.hostile_text import HOSTILE, MANY_WORDS


@pytest.fixture(autouse=True)
def forgotten() -> None:
    computing._reports.clear()


def test_aces_is_tried_with_the_labeller_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what one labeller said is not kept as what another says."""
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("sbert_sim", "aces"))
    texts = PlaygroundTexts("a dog barks", ("a cat meows in the room",))
    other = PlaygroundLabeller(path=str(trained()))
    for labeller, name in (
        (PlaygroundLabeller(), "earmark-desc"),
        (other, "tiny"),
        (other, "tiny"),
    ):
        found = playground_compute(texts, labeller).metrics
        assert f"|desc:{name}" in found["aces"].signature
    broken = PlaygroundLabeller(fault="The files are not as they were stored.")
    families = {family.name: family for family in playground_compute(texts, broken).families}
    assert families["aces"].note == broken.fault
    assert not families["aces"].metrics
    assert families["sbert"].metrics, "the others stand"


@pytest.mark.parametrize("parameters", [{"encoder": "/nowhere"}, {"layer": 3}])
def test_another_model_or_layer_of_bert_score_is_respected(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings, parameters: dict[str, object]
) -> None:
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("sbert_sim", "bert_score"))
    settings.SCORING_PARAMETERS = {"bert_score": parameters}
    texts = PlaygroundTexts("a dog", ("a cat barks",))
    found = {family.name: family for family in playground_compute(texts).families}
    plain = score(
        texts.candidates,
        texts.against(word_weight_documents()),
        ("sbert_sim", "bert_score"),
        Workspace(),
        settings.SCORING_PARAMETERS,
    )
    assert found["sbert"].metrics[0].value == pytest.approx(plain.results["sbert_sim"].value)
    if plain.unavailable:
        reason = plain.unavailable["bert_score"]
        assert "/nowhere" in reason
        assert found["bert_score"].note == reason.replace("/nowhere", "nowhere"), "no place is told"
    else:
        value = plain.results["bert_score"].value
        assert found["bert_score"].metrics[0].value == pytest.approx(value, abs=1e-5)


def test_half_a_character_is_refused() -> None:
    """Forms cannot bring one, JSON can; no metric could encode it."""
    with pytest.raises(Refused) as refused:
        texts_read(caption="a \ud800 dog", references=["a dog", "\udfff"])
    assert [(fault.column, fault.line) for fault in refused.value.faults] == [
        ("references", 2),
        ("caption", None),
    ]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_computed_without_harm(hostile: str) -> None:
    report = playground_compute(PlaygroundTexts(hostile.strip(), (hostile.strip(), "A dog barks.")))
    assert {family.name for family in report.families} == set(standard_families())
    assert [family.note for family in report.families if family.note] == []


@pytest.mark.parametrize("many", MANY_WORDS)
def test_texts_of_many_words_are_refused_before_anything_is_computed(many: str) -> None:
    """500 characters can be 500 words, whose alignment with ten references took half a minute."""
    with pytest.raises(Refused) as refused:
        texts_read(caption=many, references=["a dog", "", f"{many[:-1]}"])
    assert [(fault.column, fault.line) for fault in refused.value.faults] == [
        ("references", 3),
        ("caption", None),
    ]
    assert f"and the limit is {MOST_WORDS}. Shorten it." in str(refused.value.faults)


def test_words_are_counted_without_meteors_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other metrics stand where they are missing, and so does the limit."""

    def missing(*_: object) -> None:
        raise MeteorFilesMissing("its data files")

    monkeypatch.setattr("leaderboard.services.playground.texts.words_of", missing)
    assert texts_read(caption="a dog barks", references=["a dog"])
    with pytest.raises(Refused):
        texts_read(caption="a " * (MOST_WORDS + 1), references=["a dog"])


def test_no_family_begins_to_label_or_embed_once_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each would else run a first batch before it reports progress, some two seconds in all."""
    names = ("aces", "bert_score", "sbert_sim", "fense")
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: names)
    monkeypatch.setattr(computing, "MOST_PROCESSOR_SECONDS", -1.0)
    monkeypatch.setattr(computing, "_shared", computing._SharedWorkspace())
    monkeypatch.setattr(computing._shared, "met", set(standard_families()))
    begun: list[object] = []
    for module in (
        "earmark.metrics.aces.metric.label",
        "earmark.models.token_vectors.embed_tokens",
        "earmark.models.encoder.embed",
    ):
        monkeypatch.setattr(module, lambda *found, **_: begun.append(found))
    report = playground_compute(PlaygroundTexts("a zebra brays", ("a donkey brays",)))
    told = {family.name: family.note for family in report.families}
    assert all("Shorten the caption" in told[name] for name in ("aces", "bert_score", "sbert"))
    assert not begun


def test_few_wait_so_that_the_server_keeps_threads_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More than may wait are refused at once, though the first still computes."""
    going, done = Event(), Event()

    def slow(*_: object) -> object:
        going.set()
        done.wait()
        raise RuntimeError

    monkeypatch.setattr(computing, "_scores", slow)
    monkeypatch.setattr(computing, "_waiting", BoundedSemaphore(1))
    first = Thread(target=_swallow, args=(PlaygroundTexts("a", ("b",)),))
    first.start()
    try:
        assert going.wait()
        with pytest.raises(Busy, match="Other captions"):
            playground_compute(PlaygroundTexts("c", ("d",)))
    finally:
        done.set()
        first.join()
    # Nothing stays taken after a failure.
    with pytest.raises(RuntimeError):
        playground_compute(PlaygroundTexts("e", ("f",)))


def _swallow(texts: PlaygroundTexts) -> None:
    with pytest.raises(RuntimeError):
        playground_compute(texts)


def test_the_same_texts_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1",))
    texts = PlaygroundTexts("a dog", ("a cat",))
    first = playground_compute(texts)
    assert playground_compute(PlaygroundTexts("a dog", ("a cat",))) is first
    assert playground_compute(PlaygroundTexts("a dog", ("a dog",))) is not first


@pytest.mark.parametrize("limit", ["MOST_SECONDS", "MOST_PROCESSOR_SECONDS"])
def test_what_takes_too_long_is_given_up_and_the_rest_stands(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1", "sbert_sim"))
    texts = PlaygroundTexts("a dog", ("a cat",))
    whole = playground_compute(texts)
    computing._reports.clear()
    monkeypatch.setattr(computing._shared, "met", set(standard_families()))
    monkeypatch.setattr(computing, limit, -1.0)
    assert [
        "Shorten the caption" in family.note for family in playground_compute(texts).families
    ] == [True, True]
    monkeypatch.undo()
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1", "sbert_sim"))
    assert playground_compute(texts) == whole
