"""The page on which a reader tries every metric: same numbers as the scorer, and no harm done."""

import html
from threading import BoundedSemaphore, Event, Thread
from typing import Any

import numpy as np
import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from leaderboard.services.trying import computing
from leaderboard.services.trying.computing import (
    TriedFamily,
    TriedMetric,
    TryReport,
    documents,
    try_compute,
)
from leaderboard.services.trying.texts import (
    MOST_REFERENCES,
    TextsRefused,
    TryTexts,
    example_texts,
    texts_read,
)
from leaderboard.services.trying.workspace import TryWorkspace
from scoring.details import json_ready
from scoring.explanations.example import example_corpus
from scoring.metrics.bert_score import BertScore
from scoring.models.encoder import find_encoder
from scoring.models.token_vectors import embed_tokens
from scoring.pipeline import score
from scoring.registry import FAMILIES, METRICS, metrics_for, metrics_of
from scoring.workspace import Workspace
from tests.leaderboard.conftest import Cast
from tests.leaderboard.pages import text

URL = "/metrics/try/"
HOSTILE = [
    "<script>alert(1)</script> barks",
    "{{ request.user }} {% load x %} a dog",
    "a dog \U0001f415 barks \U0001f44d\U0001f3fd",
    "\u05db\u05dc\u05d1 \u202enam a\u202c \u0643\u0644\u0628",
    "x" * 500,
    "a " * 250,
    "'; DROP TABLE leaderboard_user; --",
    "=cmd|' /C calc'!A0",
    "\ufffd \u2028 a \u200d \ufeff b",
    "a\u0301\u0302\u0303" * 100,
]


@pytest.fixture(autouse=True)
def forgotten() -> None:
    computing.forget()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[TryTexts]:
    """Answer at once, with no metric computed; gives the texts that were asked for."""
    asked: list[TryTexts] = []

    def answer(texts: TryTexts) -> TryReport:
        asked.append(texts)
        found = [_family(name) for name in FAMILIES if name != "vocab"]
        return TryReport(texts, tuple(found))

    monkeypatch.setattr("leaderboard.views.trying.try_compute", answer)
    return asked


def _family(name: str) -> TriedFamily:
    rows = [TriedMetric(info, 0.25, "signed") for info in metrics_of(name) if not info.several]
    return TriedFamily(name, name, tuple(rows), None, "")


def post(client: Client, caption: str, references: str, **more: Any) -> Any:
    return client.post(URL, {"caption": caption, "references": references}, **more)


@pytest.mark.django_db
def test_the_form_opens_with_an_example_of_the_metric_that_is_asked_for() -> None:
    page = Client().get(URL)
    assert page.status_code == 200
    assert page.context["form"]["caption"].value() == example_texts().caption
    asked = Client().get(URL, {"metric": "meteor"}).context["form"]
    assert asked["caption"].value() == example_texts("meteor").caption
    assert asked["metric"].value() == "meteor"
    nonsense = Client().get(URL, {"metric": "<b>\0"})
    assert nonsense.context["form"]["caption"].value() == example_texts().caption


@pytest.mark.django_db
def test_every_metric_has_the_value_and_the_explanation_of_the_scorer() -> None:
    caption = "A door creaks open and a man is speaking"
    references = ["A door creaks and someone walks", "Footsteps after a door is opened"]
    page = post(Client(), caption, "\r\n\r\n".join(references))
    report = page.context["answer"].report
    texts = TryTexts(caption, tuple(references))
    expected = score(
        texts.candidates,
        texts.against(documents()),
        metrics_for(several=False),
        Workspace(details=True),
    )
    assert not expected.unavailable
    assert list(report.metrics) == list(expected.results)
    for name, result in expected.results.items():
        assert report.metrics[name].value == pytest.approx(result.value, abs=1e-5, nan_ok=True)
        assert report.metrics[name].signature == result.signature
    details = {family.name: family.details for family in report.families}
    assert set(details) == set(FAMILIES)
    assert details["meteor"] == json_ready((expected.results["meteor"].details or ())[0])
    seen = text(page.content)
    for name in expected.results:
        assert METRICS[name].label in seen
        assert reverse("leaderboard:metric", args=[name]) in page.content.decode()
    assert "The caption names" in seen  # CB-score's own explanation
    assert "Not available" not in seen


def test_captions_read_once_have_the_vectors_that_the_families_compute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And the families find them: neither embeds a caption again."""
    captions = list(example_corpus()[1].captions)
    encoder = find_encoder()
    expected = Workspace(device="cpu").embeddings(captions, encoder)
    tokens = embed_tokens(encoder, captions, device="cpu")
    workspace = TryWorkspace(device="cpu")
    workspace.read_captions(captions, encoder)
    monkeypatch.setattr("scoring.metrics.bert_score.embed_tokens", None)
    monkeypatch.setattr("leaderboard.services.trying.workspace.loaded", None)
    np.testing.assert_allclose(workspace.embeddings(captions, encoder), expected, atol=1e-6)
    found = BertScore().prepare(example_corpus()[1], workspace).captions
    for mine, theirs in zip(found, tokens, strict=True):
        assert mine.texts == theirs.texts
        np.testing.assert_array_equal(mine.words, theirs.words)
        np.testing.assert_allclose(mine.vectors(), theirs.vectors(), atol=1e-4)


@pytest.mark.parametrize("parameters", [{"encoder": "/nowhere"}, {"layer": 3}])
def test_another_model_or_layer_of_bert_score_is_respected(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings, parameters: dict[str, object]
) -> None:
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("sbert_sim", "bert_score"))
    settings.SCORING_PARAMETERS = {"bert_score": parameters}
    texts = TryTexts("a dog", ("a cat barks",))
    found = {family.name: family for family in try_compute(texts).families}
    plain = score(
        texts.candidates,
        texts.against(documents()),
        ("sbert_sim", "bert_score"),
        Workspace(),
        settings.SCORING_PARAMETERS,
    )
    assert found["sbert"].metrics[0].value == pytest.approx(plain.results["sbert_sim"].value)
    if plain.unavailable:
        assert found["bert_score"].note == plain.unavailable["bert_score"].reason
    else:
        value = plain.results["bert_score"].value
        assert found["bert_score"].metrics[0].value == pytest.approx(value, abs=1e-5)


@pytest.mark.django_db
def test_a_metric_that_cannot_be_computed_says_why_and_the_others_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("bleu_1", "meteor", "rouge_l")
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: names)

    def missing() -> None:
        raise OSError("no table")

    monkeypatch.setattr("scoring.metrics.meteor.metric.paraphrase_path", missing)
    seen = text(post(Client(), "a dog", "a dog barks").content)
    assert "Not available. OSError: no table" in seen
    assert "BLEU-1 0.607" in seen
    # What failed is tried again and not remembered.
    monkeypatch.undo()
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: names)
    assert "Not available" not in text(post(Client(), "a dog", "a dog barks").content)


@pytest.mark.django_db
def test_the_metric_that_the_reader_came_for_stands_first(quick: list[TryTexts]) -> None:
    data = {"caption": "a dog", "references": "a dog barks", "metric": "sbf"}
    seen = text(Client().post(URL, data).content)
    assert seen.index("Why SBF has this value") < seen.index("Word sequences", seen.index("Why"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("caption", "references", "said"),
    [
        ("", "a dog", "There is no caption. Write one."),
        ("a dog", " \n\n", "There is no reference. Write at least one."),
        ("x" * 501, "a dog", "The caption has 501 characters and the limit is 500. Shorten it."),
        ("a dog", "a cat\n\n" + "y" * 501, "Line 3: The caption has 501 characters"),
        ("a dog", "a cat\n" * 12, "Line 11: There are 12 references and the limit is 10. Remove 2"),
        ("?!", "a dog", "The caption has no words."),
        ("a dog", "a cat\na\0dog", "Line 2: The caption holds the control character U+0000"),
    ],
)
def test_a_refusal_names_line_value_and_fix_and_keeps_what_was_typed(
    quick: list[TryTexts], caption: str, references: str, said: str
) -> None:
    page = post(Client(), caption, references)
    assert page.status_code == 422
    assert said in text(page.content)
    assert page.context["form"]["caption"].value() == caption
    assert page.context["form"]["references"].value() == references
    assert not quick


def test_half_a_character_is_refused() -> None:
    """Forms cannot bring one, JSON can; no metric could encode it."""
    with pytest.raises(TextsRefused) as refused:
        texts_read(caption="a \ud800 dog", references=["a dog", "\udfff"])
    assert [(fault.column, fault.line) for fault in refused.value.faults] == [
        ("references", 2),
        ("caption", None),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_shown_as_text(quick: list[TryTexts], hostile: str) -> None:
    page = post(Client(), hostile, f"{hostile}\na dog barks")
    assert page.status_code == 200
    content = page.content.decode()
    assert "<script>alert" not in content
    assert html.escape(hostile.strip()) in content


@pytest.mark.timeout(300)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_computed_without_harm(hostile: str) -> None:
    report = try_compute(TryTexts(hostile.strip(), (hostile.strip(), "A dog barks.")))
    assert {family.name for family in report.families} == set(FAMILIES)
    assert [family.note for family in report.families if family.note] == []


@trials(max_examples=60, suppress_health_check=list(HealthCheck))
@given(caption=st.text(max_size=600), references=st.text(max_size=600))
@pytest.mark.django_db
def test_whatever_is_typed_there_is_an_answer(
    quick: list[TryTexts], settings: LazySettings, caption: str, references: str
) -> None:
    settings.RATELIMIT_ENABLE = False
    caption, references = (
        value.encode("utf-8", "replace").decode() for value in (caption, references)
    )
    page = post(Client(), caption, references)
    assert page.status_code in {200, 422}
    assert page.context["form"]["caption"].value() == caption


@pytest.mark.django_db
def test_ten_references_are_not_too_many(quick: list[TryTexts]) -> None:
    assert post(Client(), "a dog", "a cat\n" * MOST_REFERENCES).status_code == 200
    assert len(quick[0].references) == MOST_REFERENCES


@pytest.mark.django_db
def test_visitors_are_limited_by_address_and_users_by_themselves(
    quick: list[TryTexts], settings: LazySettings, cast: Cast
) -> None:
    settings.TRY_RATE = "2/m"
    codes = [post(Client(), "a dog", "a cat").status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    refused = post(Client(), "a tired dog", "a cat")
    assert "Too many requests" in text(refused.content)
    assert refused.context["form"]["caption"].value() == "a tired dog"
    assert post(Client(), "a dog", "a cat", REMOTE_ADDR="10.0.0.9").status_code == 200
    for user in (cast.member, cast.outsider):
        assert post(cast.client(user), "a dog", "a cat").status_code == 200
    # Looking costs nothing.
    assert Client().get(URL).status_code == 200


@pytest.mark.django_db
def test_what_other_sites_send_is_refused(quick: list[TryTexts]) -> None:
    assert post(Client(enforce_csrf_checks=True), "a dog", "a cat").status_code == 403
    assert not quick


@pytest.mark.django_db
def test_who_waits_too_long_is_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "WAIT_SECONDS", 0.01)
    with computing._computing:
        busy = post(Client(), "a patient dog", "a cat")
    assert busy.status_code == 503
    assert busy["Retry-After"]
    assert "Try again in a moment" in text(busy.content)
    assert busy.context["form"]["caption"].value() == "a patient dog"


def test_few_wait_so_that_the_server_keeps_threads_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More than may wait are refused at once, though the first still computes."""
    going, done = Event(), Event()

    def slow(*_: object) -> object:
        going.set()
        done.wait(30)
        raise RuntimeError

    monkeypatch.setattr(computing, "_scores", slow)
    monkeypatch.setattr(computing, "_waiting", BoundedSemaphore(1))
    first = Thread(target=_swallow, args=(TryTexts("a", ("b",)),))
    first.start()
    try:
        assert going.wait(30)
        with pytest.raises(computing.Busy):
            try_compute(TryTexts("c", ("d",)))
    finally:
        done.set()
        first.join()
    # Nothing stays taken after a failure.
    with pytest.raises(RuntimeError):
        try_compute(TryTexts("e", ("f",)))


def _swallow(texts: TryTexts) -> None:
    with pytest.raises(RuntimeError):
        try_compute(texts)


def test_the_same_texts_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1",))
    texts = TryTexts("a dog", ("a cat",))
    first = try_compute(texts)
    assert try_compute(TryTexts("a dog", ("a cat",))) is first
    assert try_compute(TryTexts("a dog", ("a dog",))) is not first


def test_what_takes_too_long_is_given_up_and_the_rest_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1", "sbert_sim"))
    texts = TryTexts("a dog", ("a cat",))
    whole = try_compute(texts)
    computing.forget()
    monkeypatch.setattr(computing, "MOST_SECONDS", -1.0)
    assert ["Shorten the caption" in family.note for family in try_compute(texts).families] == [
        True,
        True,
    ]
    monkeypatch.undo()
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("bleu_1", "sbert_sim"))
    assert try_compute(texts) == whole


@pytest.mark.django_db
def test_the_part_for_htmx_is_the_answer_alone(quick: list[TryTexts]) -> None:
    part = post(Client(), "a dog", "a cat", headers={"HX-Request": "true"})
    assert part.content.decode().lstrip().startswith('<div class="try-answer"')
    refused = post(Client(), "", "a cat", headers={"HX-Request": "true"})
    assert 'data-invalid="caption ' in refused.content.decode()


@pytest.mark.django_db
def test_every_metric_page_leads_here_but_that_of_several_candidates() -> None:
    for name, info in METRICS.items():
        page = Client().get(reverse("leaderboard:metric", args=[name])).content.decode()
        assert (f"{URL}?metric={name}" in page) == (not info.several)
        assert ('id="try-answer"' in page) == (not info.several)
    assert f'href="{URL}"' in Client().get(reverse("leaderboard:metrics")).content.decode()
