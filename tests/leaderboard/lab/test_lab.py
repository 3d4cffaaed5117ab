"""The ranking lab: what ranks would be, worked out by hand; for organisers, and never written."""

import csv
import re
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
import pytest
from django.core.cache import caches
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from earmark.registry import metrics_for
from leaderboard.models import Counting, Kind, MetricResult, Phase, Submission
from leaderboard.selectors.lab.query import MOST_METRICS, LabQuery, numbers_of, spans_of
from leaderboard.selectors.lab.report import LabReport, report_of
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from leaderboard.web.refusals import Refused
from tests.factories import NOW, REFERENCES, TeamFactory, finish, submit
from tests.leaderboard.analysis.test_analysis_page import set_clips
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

CLIPS = len(REFERENCES)
# Clips 1 to 5 of the ranking metric, and the other metrics' values.
SCORES = {
    "Ash": ([0.9, 0.9, 0.1, 0.9, 0.9], {"fense": 0.20, "fer": 0.3}),
    "Birch": ([0.8, 0.6, 0.6, 0.6, 0.6], {"fense": 0.40, "fer": 0.1}),
    "Cedar": ([0.2, 0.3, 0.9, 0.2, 0.3], {"fense": 0.45, "fer": 0.2}),
}


@pytest.fixture
def phase(cast: Cast) -> Phase:
    """A phase ranked by CIDEr-D: Ash .74, Birch .64, Cedar .38; a team each."""
    for name, (clips, others) in SCORES.items():
        put(cast.phase, name, clips, others)
    return cast.phase


def put(
    phase: Phase, name: str, clips: list[float], others: dict[str, float], *, team: str = ""
) -> Submission:
    """Hand a scored system in, for a team of its own unless for that of another system."""
    own = Submission.objects.get(system_name=team).team if team else TeamFactory.create(name=name)
    system = submit(phase, own, name=name)
    finish(system)
    set_clips(system, "cider_d", clips)
    for metric, value in others.items():
        set_clips(system, metric, [value] * CLIPS)
    return system


def asked_of(phase: Phase, **other: object) -> LabQuery:
    return replace(LabQuery.usual(phase), **other)  # type: ignore[arg-type]


def reported(phase: Phase, **other: object) -> LabReport:
    return report_of(phase, asked_of(phase, **other), clips=CLIPS)


def ranked(phase: Phase, **other: object) -> dict[str, int | None]:
    """The rank as asked of each system that stands in the report."""
    rows = reported(phase, **other).rows
    return {row.line.system_name: row.then.rank if row.then else None for row in rows}


def lab_url(phase: Phase, query: str = "") -> str:
    return reverse("leaderboard:lab", args=[phase.challenge.slug, phase.slug]) + query


def test_without_other_rules_it_is_the_ranking(phase: Phase) -> None:
    query = "metric=none:1,fense:-3&precision=99&counting=worst&clips=0,9-3,x&telling=-1&mix=&csv="
    assert LabQuery.read(QueryDict(query).dict(), phase) == LabQuery.usual(phase), "nonsense"
    rank_estimates_refresh(phase_id=phase.pk, now=NOW)
    found = reported(phase)
    assert [(row.line.system_name, row.change) for row in found.rows] == [
        ("Ash", 0), ("Birch", 0), ("Cedar", 0)
    ]  # fmt: skip
    assert (found.tau, found.moved, found.new_first, found.note) == (1, 0, False, "")
    # .74, .64 and .38 are .7, .6 and .4, and with no decimal 1, 1 and 0.
    assert ranked(phase, precision=0) == {"Ash": 1, "Birch": 1, "Cedar": 3}
    # The ranges are those that the leaderboard shows.
    assert all(row.now and row.then and row.now.range for row in found.rows)
    for row in found.rows:
        assert row.now is not None
        assert row.then is not None
        assert row.then.range is not None
        assert row.now.range is not None
        assert row.then.range.text == row.now.range.text


def test_another_metric_in_its_own_direction(phase: Phase) -> None:
    assert ranked(phase, weights=(("fense", 1.0),)) == {"Cedar": 1, "Birch": 2, "Ash": 3}
    found = reported(phase, weights=(("fer", 1.0),))
    assert [row.line.system_name for row in found.rows] == ["Birch", "Cedar", "Ash"]
    # Of three pairs one stands as before, two the other way round.
    assert found.tau == pytest.approx(-1 / 3)
    assert [row.change for row in found.rows] == [1, 1, -2]
    assert found.new_first
    # All clips alike: every draw has the same ranks.
    assert [row.then.range.text for row in found.rows if row.then and row.then.range] == [
        "1", "2", "3"
    ]  # fmt: skip


def test_metrics_mixed_by_z_scores_and_by_ranks(phase: Phase) -> None:
    weights = (("cider_d", 1.0), ("fer", 3.0))
    found = reported(phase, weights=weights, precision=4)
    values = np.array([[0.74, 0.64, 0.38], [0.3, 0.1, 0.2]])
    z = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    expected = (z[0] - 3 * z[1]) / 4
    told = {row.line.system_name: row.then.value for row in found.rows if row.then}
    assert told == pytest.approx(dict(zip(SCORES, expected, strict=True)), abs=1e-6)
    by_ranks = reported(phase, weights=weights, mix="ranks")
    # Ash 1 and 3, Birch 2 and 1, Cedar 3 and 2, the second three times
    told = {row.line.system_name: row.then.value for row in by_ranks.rows if row.then}
    assert told == {"Ash": 10 / 4, "Birch": 5 / 4, "Cedar": 9 / 4}
    assert ranked(phase, weights=weights, mix="ranks") == {"Birch": 1, "Cedar": 2, "Ash": 3}


def test_which_submission_counts_and_who_is_left_out(phase: Phase) -> None:
    later = put(phase, "Ash again", [0.5] * CLIPS, {}, team="Ash")
    found = reported(phase, counting=Counting.LAST)
    row = next(row for row in found.rows if row.line.key == later.pk)
    assert (row.line.system_name, row.change, row.other_system) == ("Ash again", -1, True)
    assert [row.line.system_name for row in found.rows] == ["Birch", "Ash again", "Cedar"]
    best = Submission.objects.get(system_name="Ash")
    out = ranked(phase, systems=frozenset({best.public_id}))
    assert out == {"Birch": 1, "Ash again": 2, "Cedar": 3}
    gone = reported(phase, teams=frozenset({best.team.slug}))
    assert [(row.line.system_name, row.why) for row in gone.rows] == [
        ("Birch", ""), ("Cedar", ""), ("Ash", "left out")
    ]  # fmt: skip
    assert gone.new_first
    slugs = frozenset(Submission.objects.values_list("team__slug", flat=True))
    nobody = reported(
        phase, teams=slugs, weights=(("fense", 1.0), ("fer", 1.0)), mix="ranks", telling=1
    )
    assert [row.why for row in nobody.rows] == ["left out"] * 3
    assert np.isnan(nobody.tau)


def test_clips_left_out_by_number_and_by_what_they_tell(phase: Phase) -> None:
    # Without the third clip: .9, .65, .25.
    found = reported(phase, clips=frozenset({3}))
    told = [round(row.then.value or 0, 4) for row in found.rows if row.then]
    assert (told, found.clips_left_out) == ([0.9, 0.65, 0.25], (3,))
    # Only the third is left, and one more: Cedar .55, Birch .7, Ash .5.
    assert ranked(phase, clips=frozenset({2, 4, 5})) == {"Birch": 1, "Cedar": 2, "Ash": 3}
    telling = reported(phase, telling=2)
    # The covariance with .74, .64, .38 is largest on the fourth clip, then the first.
    means = np.array([0.74, 0.64, 0.38])
    scores = np.array([clips for clips, _ in SCORES.values()])
    spread = [np.cov(column, means)[0, 1] for column in scores.T]
    expected = sorted(np.argsort(spread)[-2:] + 1)
    assert list(telling.clips_left_out) == expected
    with pytest.raises(Refused, match="Fewer than two clips"):
        reported(phase, clips=frozenset({1, 2, 3, 4}))
    with pytest.raises(Refused, match="No clip can be left out under Vocabulary"):
        reported(phase, weights=(("vocab", 1.0),), clips=frozenset({1}))


def test_baselines_compete_and_what_has_no_value_never_ranks(phase: Phase) -> None:
    for name, value in (("Base one", 0.7), ("Base two", 0.1)):
        system = put(phase, name, [value] * CLIPS, {}, team="Cedar")
        Submission.objects.filter(pk=system.pk).update(kind=Kind.BASELINE)
    assert ranked(phase) == {"Ash": 1, "Birch": 2, "Cedar": 3}
    found = reported(phase, baselines=True)
    assert [(row.line.system_name, row.baseline, row.change) for row in found.rows] == [
        ("Ash", False, 0),
        ("Base one", True, None),
        ("Birch", False, -1),
        ("Cedar", False, -1),
        ("Base two", True, None),
    ]
    rows = MetricResult.objects.filter(metric="fense")
    rows.filter(submission__system_name="Cedar").update(value=None)
    found = reported(phase, weights=(("fense", 1.0), ("cider_d", 1.0)))
    assert [(row.line.system_name, row.why) for row in found.rows][-1] == ("Cedar", "no value")
    # What was computed in another way has no range.
    rows.filter(submission__system_name="Ash").update(signature="other")
    found = reported(phase, weights=(("fense", 1.0),))
    assert "FENSE: computed under different signatures" in found.note
    assert all(row.then is None or row.then.range is None for row in found.rows)
    with pytest.raises(Refused, match="different signatures"):
        reported(phase, weights=(("fense", 1.0),), clips=frozenset({1}))


numbers = st.frozensets(st.integers(1, 3000), max_size=40)
names = st.frozensets(st.from_regex(r"[a-z0-9-]{1,20}", fullmatch=True), max_size=5)


@given(clips=numbers, teams=names, systems=names, data=st.data())
def test_an_address_says_all_of_the_rules(
    clips: frozenset[int], teams: frozenset[str], systems: frozenset[str], data: st.DataObject
) -> None:
    phase = Phase(ranking_metric="fense", precision=3, counting=Counting.BEST)
    known = st.sampled_from(metrics_for(several=True))
    metrics = st.lists(known, min_size=1, max_size=MOST_METRICS, unique=True)
    weight = st.sampled_from([0.25, 1.0, 2.0, 99.5])
    asked = LabQuery(
        weights=tuple((name, data.draw(weight)) for name in data.draw(metrics)),
        precision=data.draw(st.integers(0, 8)),
        counting=data.draw(st.sampled_from(Counting)),
        teams=teams,
        systems=systems,
        clips=clips,
        telling=data.draw(st.integers(0, 99)),
        baselines=data.draw(st.booleans()),
    )
    assert LabQuery.read(dict(parse_qsl(asked.query(phase))), phase) == asked
    assert set(numbers_of(",".join(spans_of(clips)))) == clips
    assert LabQuery.usual(phase).query(phase) == ""


def test_the_page_leads_to_its_address_and_writes_nothing(cast: Cast, phase: Phase) -> None:
    phase.references_public = False
    phase.save()
    client = cast.client(cast.organiser)
    birch = Submission.objects.get(system_name="Birch")
    fields = {
        "metric_0": "fense",
        "weight_0": "2",
        "metric_1": "cider_d",
        "weight_1": "",
        "mix": "ranks",
        "precision": "2",
        "counting": "best",
        "teams": [birch.team.slug],
        "clips": "dog.wav\n\nbell, small.wav\n",
        "telling": "",
    }
    with CaptureQueriesContext(connection) as queries:
        sent = client.post(lab_url(phase), fields)
        address = sent.headers["Location"]
        page = client.get(address)
        file = client.get(f"{address}&csv=1")
    assert address == lab_url(
        phase, f"?metric=fense:2,cider_d:1&mix=ranks&precision=2&teams={birch.team.slug}&clips=2,5"
    )
    told = [row["sql"] for row in queries]
    assert not [sql for sql in told if re.match(r"(INSERT|UPDATE|DELETE)", sql)]
    seen = text(page.content)
    assert "Nothing changes until you publish a dry run" in seen
    assert "First place Cedar , now Ash" in seen
    assert "Clips 3 of 5" in seen
    assert "FENSE (2) and CIDEr-D (1), mixed by their ranks; 2 decimals" in seen
    assert f"testserver{address}" in page.content.decode().replace("&amp;", "&")
    assert 'id="ranks-now-and-then-data"' in page.content.decode()
    rows = list(csv.DictReader(file.content.decode().splitlines()))
    assert [(row["system_then"], row["rank_then"], row["rank_now"]) for row in rows] == [
        ("Cedar", "1", "3"), ("Ash", "2", "1"), ("", "", "2")
    ]  # fmt: skip
    # The choices are in the form again.
    assert "dog.wav\nbell, small.wav" in page.content.decode()


def test_the_form_says_what_is_wrong(cast: Cast, phase: Phase) -> None:
    client = cast.client(cast.organiser)
    fields = {
        "metric_0": "fense",
        "metric_1": "fense",
        "weight_0": "-1",
        "mix": "z",
        "precision": "9",
        "counting": "best",
        "clips": "\n".join(f"none{n}.wav" for n in range(7)),
    }
    answer = client.post(lab_url(phase), fields)
    assert answer.status_code == 422
    seen = text(answer.content)
    for told in (
        "This metric is named above",
        "Write a weight above 0",
        "less than or equal to 8",
        "no clip of the name none0.wav, none1.wav, none2.wav, none3.wav, none4.wav and 2 more",
    ):
        assert told in seen
    # A rule under which nothing can be ranked is no error of the page.
    refused = client.get(lab_url(phase, "?telling=99&clips=1-5"))
    assert (refused.status_code, "Fewer than two clips" in text(refused.content)) == (200, True)
    assert client.get(lab_url(phase, "?clips=1-5&csv=1")).status_code == 409


def test_queries_do_not_grow_and_asking_has_a_limit(
    cast: Cast, phase: Phase, settings: Settings
) -> None:
    for n in range(6):
        put(phase, f"More {n}", [n / 10] * CLIPS, {})
    client = cast.client(cast.organiser)
    query = "?metric=fense:1,cider_d:1&telling=1&baselines=1"
    client.get(lab_url(phase, query))
    with CaptureQueriesContext(connection) as queries:
        assert client.get(lab_url(phase, query)).status_code == 200
    assert len(queries) <= 22
    caches["default"].clear()
    settings.PARTS_RATE = "1/m"
    codes = [client.get(lab_url(phase, query)).status_code for query in ("", "?csv=1", "")]
    assert codes == [200, 429, 429]
