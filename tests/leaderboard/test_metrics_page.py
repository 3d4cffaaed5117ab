"""The pages about metrics, and the one for machines that watch the site."""

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import reverse

from scoring.explanations import explanations
from scoring.registry import METRICS
from tests.leaderboard.conftest import Cast
from tests.leaderboard.pages import text


@pytest.mark.django_db
def test_lists_every_metric_in_the_order_used_everywhere() -> None:
    seen = text(Client().get(reverse("leaderboard:metrics")).content)
    positions = [seen.index(info.summary) for info in METRICS.values()]
    assert positions == sorted(positions)


@pytest.mark.django_db
@pytest.mark.parametrize("name", METRICS)
def test_each_metric_says_how_to_read_it(name: str) -> None:
    info = METRICS[name]
    seen = text(Client().get(reverse("leaderboard:metric", args=[name])).content)
    assert info.summary in seen
    assert info.source in seen
    assert f"{info.direction} is better" in seen
    assert explanations()[name].what in seen
    assert explanations()[name].misses in seen


@pytest.mark.django_db
def test_says_what_changes_the_number_here() -> None:
    # CIDEr-D's sigma as in Vedantam et al., CVPR 2015.
    assert "n 4 sigma 6 These stand" in text(
        Client().get(reverse("leaderboard:metric", args=["cider_d"])).content
    )


@pytest.mark.django_db
def test_says_why_a_metric_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from scoring.registry import FAMILIES

    absent = replace(FAMILIES["sbert"], path="scoring.metrics.no_such_module:Sbert")
    monkeypatch.setitem(FAMILIES, "sbert", absent)
    seen = text(Client().get(reverse("leaderboard:metric", args=["sbert_sim"])).content)
    assert "Not available on this installation" in seen


@pytest.mark.django_db
def test_unknown_is_not_found() -> None:
    assert Client().get("/metrics/nonsense/").status_code == 404


def test_names_only_the_phases_that_the_reader_may_see(cast: Cast) -> None:
    url = reverse("leaderboard:metric", args=[cast.phase.ranking_metric])
    assert cast.phase.challenge.title in text(cast.client(None).get(url).content)
    cast.phase.challenge.published = False
    cast.phase.challenge.save()
    assert cast.phase.challenge.title not in text(cast.client(None).get(url).content)


@pytest.mark.django_db
def test_health_is_ok_where_the_database_answers() -> None:
    response = Client().get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")


@pytest.mark.django_db
def test_health_is_bad_where_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(connection, "cursor", gone)
    assert Client().get("/healthz").status_code == 503


@pytest.mark.django_db
def test_a_missing_page_leads_back() -> None:
    response = Client().get("/no/such/page/")
    assert response.status_code == 404
    assert "There is no such page" in text(response.content)


def test_the_page_for_failures_needs_nothing() -> None:
    """Rendered as Django's handler does: without request, context or database."""
    from django.template import loader

    assert "Something went wrong" in loader.get_template("500.html").render()
