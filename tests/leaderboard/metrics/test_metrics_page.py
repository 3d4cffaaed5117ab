"""The pages about metrics, and the one for machines that watch the site."""

import json
import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

import earmark
from earmark.benchmark import LEFT_OUT
from earmark.benchmark_results import KINDS, measured, validated
from earmark.registry import METRICS
from leaderboard.models import MetricResult
from leaderboard.services.ranking.snapshots import phase_freeze
from leaderboard.templatetags.numbers import SETTING_TITLES
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.django_db


def test_lists_every_metric_in_the_order_used_everywhere() -> None:
    seen = text(Client().get(reverse("leaderboard:metrics")).content)
    positions = [seen.index(info.summary) for info in METRICS.values()]
    assert positions == sorted(positions)


def test_each_metric_says_how_to_read_it() -> None:
    for name, info in METRICS.items():
        page = Client().get(reverse("leaderboard:metric", args=[name])).content
        settings = re.findall(r"</dt><dd><code>(\w+):", page.decode())
        assert set(settings) <= set(SETTING_TITLES), "each key of its signature has a title"
        seen = text(page)
        for told in (info.summary, info.source, info.explanation.what, info.explanation.misses):
            assert told in seen
        assert f"{info.direction} is better" in seen


def test_says_by_which_models_the_papers_numbers_are_and_what_changes_the_number_here() -> None:
    for name, models in (
        ("aces", ("aces-roberta-13", "echecker_clotho_audiocaps_base.ckpt")),
        ("bert_score", ("roberta-large",)),
        ("sbf", ()),
    ):
        seen = text(Client().get(reverse("leaderboard:metric", args=[name])).content)
        assert ("equal the published ones only if" in seen) == bool(models)
        assert all(model in seen for model in models)
    seen = text(Client().get(reverse("leaderboard:metric", args=["cider_d"])).content)
    # CIDEr-D's sigma as in Vedantam et al., CVPR 2015.
    assert "Longest n-gram n:4 Width of the length penalty sigma:6 A signature is" in seen


def test_says_why_a_metric_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from earmark.registry import FAMILIES

    absent = replace(FAMILIES["sbert"], path="earmark.metrics.no_such_module:Sbert")
    monkeypatch.setitem(FAMILIES, "sbert", absent)
    seen = text(Client().get(reverse("leaderboard:metric", args=["sbert_sim"])).content)
    assert "Not available on this installation" in seen


def test_agreement_with_people_sorts_by_the_kind_of_pair() -> None:
    client = Client()
    address = reverse("leaderboard:metrics-agreement")
    assert address in client.get(reverse("leaderboard:metrics")).content.decode()
    seen = {kind: client.get(f"{address}?pairs={kind}").content.decode() for kind in KINDS}
    for kind, page in seen.items():
        table = page[page.index('id="table-title"') : page.index('id="reading-title"')]
        names = re.findall(r'<tr id="(\w+)" title="([^"]+)"', table)
        rows = {
            **{name: row.accuracies[kind].percent for name, row in measured().metrics.items()},
            "earmark": validated().accuracies[kind].percent,
        }
        accuracies = [rows[name] for name, _ in names]
        assert accuracies == sorted(accuracies, reverse=True)
        signatures = {name: row.signature for name, row in measured().metrics.items()}
        assert dict(names) == {**signatures, "earmark": validated().signature}
        assert "Earmark by nested cross-validation" in text(page.encode())
        figure = json.loads(
            re.findall(r'<script id="agreement-with-people-data"[^>]*>(.*?)</script>', page)[0]
        )
        assert figure["data"][0]["x"] == [round(share, 2) for share in accuracies]
        assert figure["links"][0] == f"/metrics/{names[0][0]}/"
    assert client.get(address).content == client.get(f"{address}?pairs=none").content
    # FENSE with MiniLM as published, and one person against the others
    for told in ("63.1 98.8 93.3 84.5 85.4 83.5 to 87.1 85.2", "68.1 97.6 93.0 80.2 83.2"):
        assert told in text(seen["Total"].encode())


def test_the_api_tells_the_same_agreement() -> None:
    told = Client().get("/api/v1/metrics/agreement").json()
    kept_rows = {*measured().metrics, "earmark"}
    assert [row["metric"] for row in told["metrics"]] == [n for n in METRICS if n in kept_rows]
    assert [row["metric"] for row in told["metrics"] if row["validated"]] == ["earmark"]
    fense = {row["metric"]: row for row in told["metrics"]}["fense"]
    kept = measured().metrics["fense"]
    assert fense["signature"] == kept.signature
    for kind, share in fense["kinds"].items():
        counts = kept.accuracies[kind]
        assert (share["correct"], share["pairs"]) == (counts.correct, counts.pairs)
        shares = counts.percent, counts.interval.low, counts.interval.high
        assert [share["percent"], share["low"], share["high"]] == [round(x, 2) for x in shares]
    assert fense["kinds"]["Total"]["published"] == 85.2
    assert told["not_measured"] == {n: why for n, why in LEFT_OUT.items() if n != "earmark"}
    assert told["published"][-1]["metric"] is None
    sbf = next(row for row in told["published"] if row["metric"] == "sbf")
    assert sbf["clotho"] == {"HC": 52.9, "HI": 89.8, "HM": 63.8, "MM": 57.4, "Total": None}


def test_each_metric_has_its_own_row_of_agreement() -> None:
    seen = {
        name: text(Client().get(reverse("leaderboard:metric", args=[name])).content)
        for name in ("fense", "bleu_2", "fer", "earmark")
    }
    assert "All pairs 1,483 85.4 83.5 to 87.1 85.2" in seen["fense"]
    assert (
        "Human and machine (HM) 239 78.2 72.5 to 83.0 Two machine captions (MM)" in seen["bleu_2"]
    )
    assert f"Not measured: {LEFT_OUT['fer']}" in seen["fer"]
    share = validated().accuracies["Total"]
    ends = f"{share.interval.low:.1f} to {share.interval.high:.1f}"
    told = f"All pairs 1,483 {share.percent:.1f} {ends}"
    assert told in seen["earmark"]
    assert "by nested cross-validation" in seen["earmark"]


def test_unknown_is_not_found_and_leads_back() -> None:
    for way in ("metrics/nonsense/", "c/nothing-here/", "s/abcdefghjkmn/", "no/"):
        response = Client().get(f"/{way}")
        assert response.status_code == 404
        assert "There is no such page" in text(response.content)


def test_names_only_the_phases_that_the_reader_may_see(cast: Cast) -> None:
    url = reverse("leaderboard:metric", args=[cast.phase.ranking_metric])
    assert cast.phase.challenge.title in text(cast.client(None).get(url).content)
    cast.phase.challenge.published = False
    cast.phase.challenge.save()
    assert cast.phase.challenge.title not in text(cast.client(None).get(url).content)


def test_health_is_ok_where_the_database_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    response = Client().get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")

    def gone(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(connection, "cursor", gone)
    assert Client().get("/healthz").status_code == 503


def test_the_page_for_failures_needs_nothing() -> None:
    """Rendered as Django's handler does: without request, context or database."""
    from django.template import loader

    assert "Something went wrong" in loader.get_template("500.html").render()


ADDRESS = f"/earmark-{earmark.__version__}-py3-none-any.whl"


def test_everyone_gets_the_wheel_of_the_version_that_runs(client: Client) -> None:
    response = client.get(ADDRESS)
    assert response.status_code == 200
    assert response["Cache-Control"] == "public, max-age=300"
    assert ADDRESS[1:] in response["Content-Disposition"]
    content = b"".join(response)
    assert int(response["Content-Length"]) == len(content)
    with ZipFile(BytesIO(content)) as wheel:
        assert wheel.testzip() is None
        assert f'__version__ = "{earmark.__version__}"'.encode() in wheel.read(
            "earmark/__init__.py"
        )


def test_there_is_no_other_version(client: Client) -> None:
    for version in ("0.0.0", "..", f"{earmark.__version__}0"):
        assert client.get(f"/earmark-{version}-py3-none-any.whl").status_code == 404


def test_the_pages_say_how_to_install_it(db: None, client: Client) -> None:
    page = client.get(reverse("leaderboard:metrics")).content.decode()
    (address,) = re.findall(r"pip install (\S+)", page)
    assert address.endswith(ADDRESS)
    assert client.get(address.removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_systems_scored_before_have_no_value_of_it(cast: Cast) -> None:
    before, since = (submit(cast.phase, TeamFactory.create(), name=name) for name in ("Oak", "Elm"))
    finish(before, value=0.9)
    finish(since, value=0.4)
    before.results.get(metric="aces_balanced").delete()
    address = cast.at("board")
    columns = "?systems=all&columns=aces&columns=aces_balanced"
    seen = text(cast.client(None).get(address + columns).content)
    assert "Not comparable" not in seen
    assert "n/a" in seen
    cast.rules(ranking_metric="aces_balanced")
    assert "Elm" in text(cast.client(None).get(address).content)
    page = reverse("leaderboard:system", args=[before.public_id])
    assert cast.client(None).get(page).status_code == 200


def test_two_signatures_of_a_family_are_no_two_computations_of_a_frozen_metric(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.selectors.board.table.PER_PAGE", 1)
    for name in ("Oak", "Elm"):
        finish(submit(cast.phase, TeamFactory.create(), name=name))
    MetricResult.objects.filter(metric="aces_balanced").update(signature="aces_balanced|beta:1")
    phase_freeze(phase=cast.phase, actor=cast.organiser, now=timezone.now())
    address = cast.at("board")
    shown = f"{address}?systems=all&columns=all"
    assert "Not comparable" not in text(cast.client(None).get(shown).content)
