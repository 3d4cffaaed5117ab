"""Trying the metrics through the API: the page's numbers, limits and refusals, as JSON."""

from typing import Any

import pytest
from django.test import Client

from earmark.registry import metrics_for, standard_families
from leaderboard.services.playground import computing
from leaderboard.services.playground.computing import playground_compute
from leaderboard.services.playground.texts import PlaygroundTexts
from tests.leaderboard.api_client import ROOT, Response, body, problem
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.django_db

CAPTION, REFERENCES = "a dog barks", ["a dog is barking", "a cat meows"]


@pytest.fixture(autouse=True)
def forgotten() -> None:
    computing._reports.clear()


@pytest.fixture
def lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute one cheap metric."""
    monkeypatch.setattr(computing, "metrics_for", lambda *, several: ("rouge_l",))


def attempt(data: Any, **headers: str) -> Response:
    client = Client(enforce_csrf_checks=True, headers=headers)
    return client.post(f"{ROOT}/metrics/try", data, content_type="application/json")


def test_gives_every_metric_with_the_numbers_of_the_page() -> None:
    found = body(attempt({"caption": CAPTION, "references": [*REFERENCES, " "]}))
    report = playground_compute(PlaygroundTexts(CAPTION, tuple(REFERENCES)))
    assert found["references"] == REFERENCES
    assert list(found["metrics"]) == list(metrics_for(several=False))
    for name, score in found["metrics"].items():
        assert score["value"] == report.metrics[name].value
        assert score["signature"] == report.metrics[name].signature
    assert set(found["details"]) == set(standard_families())
    assert found["unavailable"] == {}
    assert "6 clips" in found["documents"]


@pytest.mark.parametrize(
    "data",
    [
        "",
        "[",
        "{}",
        "[" * 70_000,
        '{"caption": 1, "references": "a dog"}',
        '{"caption": "a dog", "references": null}',
        '{"caption": "a \\ud800 dog", "references": ["a dog"]}',
        '{"caption": "a dog", "references": ["a \\u0000 dog"]}',
        b'{"caption": "\xff", "references": []}',
    ],
)
def test_what_is_not_two_texts_is_refused(lexical: None, data: Any) -> None:
    response = attempt(data)
    assert response.status_code in {400, 422}
    assert isinstance(body(response)["detail"], str)


def test_text_that_looks_like_a_slip_is_scored_with_a_warning(lexical: None) -> None:
    found = body(attempt({"caption": "a dog <unk> barks", "references": REFERENCES}))
    assert found["warnings"][0]["severity"] == "warning"
    assert "rouge_l" in found["metrics"]


def test_what_is_far_too_large_is_not_read(lexical: None) -> None:
    found = problem(attempt({"caption": "x" * 90_000, "references": REFERENCES}), 413)
    assert "larger than 80,000 bytes" in found["detail"]


def test_a_session_needs_the_token_of_our_own_pages(lexical: None, cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.member)
    data = {"caption": CAPTION, "references": REFERENCES}
    problem(client.post(f"{ROOT}/metrics/try", data, content_type="application/json"), 403)
