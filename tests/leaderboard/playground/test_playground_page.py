"""The page on which a reader tries every metric: same numbers as the scorer, and no harm done."""

import html
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from earmark.json_values import json_ready
from earmark.pipeline import score
from earmark.registry import METRICS, metrics_for, metrics_of, standard_families
from earmark.workspace import Workspace
from leaderboard.api import metrics
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.services.playground import computing
from leaderboard.services.playground.computing import (
    PlaygroundFamily,
    PlaygroundLabeller,
    PlaygroundReport,
    word_weight_documents,
)
from leaderboard.services.playground.texts import (
    MOST_BYTES,
    MOST_REFERENCES,
    PlaygroundTexts,
    example_texts,
)
from leaderboard.web.rate_limits import network_of
from tests.leaderboard.conftest import Cast
from tests.leaderboard.playground.hostile_text import HOSTILE
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.django_db

URL = "/metrics/try/"


@pytest.fixture(autouse=True)
def forgotten() -> None:
    computing._reports.clear()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[PlaygroundTexts]:
    """Answer at once, with no metric computed; gives the texts that were asked for."""
    asked: list[PlaygroundTexts] = []

    def answer(texts: PlaygroundTexts, labeller: PlaygroundLabeller) -> PlaygroundReport:
        asked.append(texts)
        found = [_family(name) for name in standard_families() if name != "vocab"]
        return PlaygroundReport(texts, tuple(found), labeller)

    monkeypatch.setattr("leaderboard.views.metrics.playground_compute", answer)
    return asked


def _family(name: str) -> PlaygroundFamily:
    infos = [info for info in metrics_of(name) if not info.several]
    rows = [MetricValue(info.name, 0.25, signature="signed") for info in infos]
    return PlaygroundFamily(name, name, tuple(rows), None, "")


def post(client: Client, caption: str, references: str, **more: Any) -> Any:
    return client.post(URL, {"caption": caption, "references": references}, **more)


def test_the_form_opens_with_an_example_of_the_metric_that_is_asked_for() -> None:
    page = Client().get(URL)
    assert page.status_code == 200
    assert page.context["form"]["caption"].value() == example_texts().caption
    asked = Client().get(URL, {"metric": "meteor"}).context["form"]
    assert asked["caption"].value() == example_texts("meteor").caption
    assert asked["metric"].value() == "meteor"
    nonsense = Client().get(URL, {"metric": "<b>\0"})
    assert nonsense.context["form"]["caption"].value() == example_texts().caption


def test_every_metric_has_the_value_and_the_explanation_of_the_scorer() -> None:
    caption = "A door creaks open and a man is speaking"
    references = ["A door creaks and someone walks", "Footsteps after a door is opened"]
    page = post(Client(), caption, "\r\n\r\n".join(references))
    report = page.context["answer"].report
    texts = PlaygroundTexts(caption, tuple(references))
    expected = score(
        texts.candidates,
        texts.against(word_weight_documents()),
        metrics_for(several=False),
        Workspace(details=True),
    )
    assert not expected.unavailable
    assert list(report.metrics) == list(expected.results)
    for name, result in expected.results.items():
        assert report.metrics[name].value == pytest.approx(result.value, abs=1e-5, nan_ok=True)
        assert report.metrics[name].signature == result.signature
    details = {family.name: family.details for family in report.families}
    assert set(details) == set(standard_families())
    assert details["meteor"] == json_ready((expected.results["meteor"].details or ())[0])
    seen = text(page.content)
    for name in expected.results:
        assert METRICS[name].label in seen
        assert reverse("leaderboard:metric", args=[name]) in page.content.decode()
    assert "The caption names" in seen  # CB-score's own explanation
    assert "Not available" not in seen


def test_a_metric_that_cannot_be_computed_says_why_and_the_others_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("bleu_1", "meteor", "rouge_l")
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: names)

    def missing() -> None:
        raise OSError("no table")

    monkeypatch.setattr("earmark.metrics.meteor.paraphrases.paraphrase_path", missing)
    seen = text(post(Client(), "a dog", "a dog barks").content)
    assert "Not available. OSError: no table" in seen
    assert "BLEU-1 0.607" in seen
    # What failed is tried again and not remembered.
    monkeypatch.undo()
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: names)
    assert "Not available" not in text(post(Client(), "a dog", "a dog barks").content)


def test_the_metric_that_the_reader_came_for_stands_first(quick: list[PlaygroundTexts]) -> None:
    data = {"caption": "a dog", "references": "a dog barks", "metric": "sbf"}
    seen = text(Client().post(URL, data).content)
    assert seen.index("Why SBF has this value") < seen.index("Word sequences", seen.index("Why"))


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
    quick: list[PlaygroundTexts], caption: str, references: str, said: str
) -> None:
    page = post(Client(), caption, references)
    assert page.status_code == 422
    assert said in text(page.content)
    assert page.context["form"]["caption"].value() == caption
    assert page.context["form"]["references"].value() == references
    assert not quick


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_shown_as_text(quick: list[PlaygroundTexts], hostile: str) -> None:
    page = post(Client(), hostile, f"{hostile}\na dog barks")
    assert page.status_code == 200
    content = page.content.decode()
    assert "<script>alert" not in content
    assert html.escape(hostile.strip()) in content


@trials(max_examples=60, suppress_health_check=list(HealthCheck))
@given(caption=st.text(max_size=600), references=st.text(max_size=600))
def test_whatever_is_typed_there_is_an_answer(
    quick: list[PlaygroundTexts], settings: LazySettings, caption: str, references: str
) -> None:
    settings.RATELIMIT_ENABLE = False
    caption, references = (
        value.encode("utf-8", "replace").decode() for value in (caption, references)
    )
    page = post(Client(), caption, references)
    assert page.status_code in {200, 422}
    assert page.context["form"]["caption"].value() == caption


def test_visitors_are_limited_by_address_and_users_by_themselves(
    quick: list[PlaygroundTexts], settings: LazySettings, cast: Cast
) -> None:
    settings.TRY_RATE = "2/m"
    codes = [post(Client(), "a dog", "a cat").status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    refused = post(Client(), "a tired dog", "a cat")
    assert "Too many requests" in text(refused.content)
    # To refuse costs little: what was sent is neither read nor shown.
    assert "a tired dog" not in refused.content.decode()
    assert post(Client(), "a dog", "a cat", REMOTE_ADDR="10.0.0.9").status_code == 200
    for user in (cast.member, cast.outsider):
        assert post(cast.client(user), "a dog", "a cat").status_code == 200
    # Looking costs nothing.
    assert Client().get(URL).status_code == 200


def test_page_and_api_share_one_count(
    quick: list[PlaygroundTexts], settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever uses both has twice the machine's time."""
    settings.TRY_RATE = "2/m"
    monkeypatch.setattr(metrics.try_rate, "_rate", settings.TRY_RATE)
    assert [post(Client(), "a dog", "a cat").status_code for _ in range(2)] == [200, 200]
    refused = Client().post(
        "/api/v1/metrics/try",
        {"caption": "a dog", "references": ["a cat"]},
        content_type="application/json",
    )
    assert refused.status_code == 429


def test_a_network_of_ipv6_counts_as_one_visitor(
    quick: list[PlaygroundTexts], settings: LazySettings
) -> None:
    """Every machine may use 2 ** 64 addresses."""
    settings.TRY_RATE = "1/m"
    addresses = ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1")
    codes = [
        post(Client(), "a dog", "a cat", REMOTE_ADDR=address).status_code for address in addresses
    ]
    assert codes == [200, 429, 200]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.9", "10.0.0.9"),
        ("::ffff:10.0.0.9", "10.0.0.9"),
        ("2001:DB8:1:2:3::9", "2001:db8:1:2::/64"),
        ("not an address", "not an address"),
    ],
)
def test_addresses_are_counted_by_network(address: str, network: str) -> None:
    assert network_of(address) == network


def test_what_is_far_too_large_is_not_read(quick: list[PlaygroundTexts], caplog: Any) -> None:
    """Not by the look for a CSRF token either, and it costs no try."""
    page = post(Client(enforce_csrf_checks=True), "a tired dog", "x" * (MOST_BYTES + 1))
    assert page.status_code == 413
    assert "larger than 80,000 bytes" in text(page.content)
    assert "a tired dog" not in page.content.decode()
    whole = post(Client(), "a dog", "\n".join(["\U0001f415 " * 49 + "a dog"] * MOST_REFERENCES))
    assert whole.status_code == 200
    assert "Traceback" not in caplog.text


def test_what_other_sites_send_is_refused(quick: list[PlaygroundTexts]) -> None:
    assert post(Client(enforce_csrf_checks=True), "a dog", "a cat").status_code == 403
    assert not quick


def test_who_waits_too_long_is_asked_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "WAIT_SECONDS", 0.01)
    with computing._computing:
        busy = post(Client(), "a patient dog", "a cat")
    assert busy.status_code == 503
    # The page sends it again by itself: nobody has to look for the moment.
    assert busy["Retry-After"] == "5"
    assert 'data-again="5"' in busy.content.decode()
    assert "Try again in a moment" in text(busy.content)
    assert busy.context["form"]["caption"].value() == "a patient dog"


def test_the_part_for_htmx_is_the_answer_alone(quick: list[PlaygroundTexts]) -> None:
    part = post(Client(), "a dog", "a cat", headers={"HX-Request": "true"})
    assert part.content.decode().lstrip().startswith('<div class="try-answer"')
    refused = post(Client(), "", "a cat", headers={"HX-Request": "true"})
    assert 'data-invalid="caption ' in refused.content.decode()


def test_every_metric_page_leads_here_but_that_of_several_candidates() -> None:
    for name in METRICS:
        page = Client().get(reverse("leaderboard:metric", args=[name])).content.decode()
        tried = name in metrics_for(several=False)
        assert (f"{URL}?metric={name}" in page) == tried
        assert ('id="try-answer"' in page) == tried
    assert f'href="{URL}"' in Client().get(reverse("leaderboard:metrics")).content.decode()
