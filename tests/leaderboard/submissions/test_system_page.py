"""A system's page: progress, scores, distributions, and what stays hidden."""

import json
import re
from datetime import timedelta
from itertools import pairwise

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pytest_django import DjangoCaptureOnCommitCallbacks

from earmark.registry import METRICS, metrics_for
from leaderboard.models import Evaluation, EvaluationState, MetricResult, Submission
from leaderboard.selectors.analysis.distributions import distribution
from leaderboard.selectors.submissions.system_report import SystemReport, report_of
from leaderboard.services.evaluations.states import evaluation_claim
from leaderboard.services.jobs.states import job_renew
from tests.factories import TeamFactory, finish_all, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, scored, text


def url(submission: Submission, query: str = "") -> str:
    return reverse("leaderboard:system", args=[submission.public_id]) + query


def about_url(submission: Submission) -> str:
    return reverse("leaderboard:system-about", args=[submission.public_id])


def progress_url(submission: Submission) -> str:
    return reverse("leaderboard:system-progress", args=[submission.public_id])


def fail(submission: Submission, family: str) -> None:
    MetricResult.objects.filter(submission=submission, evaluation__family=family).delete()
    Evaluation.objects.filter(submission=submission, family=family).update(
        state=EvaluationState.FAILED, reason="The worker <b>stopped</b>."
    )


def test_shows_rank_values_and_the_best_of_the_phase(cast: Cast) -> None:
    """Systems that do not count for their team take no rank; ties share one."""
    rival = TeamFactory.create()
    values = ((rival, 0.9), (rival, 0.8), (TeamFactory.create(), 0.7), (cast.team, 0.70001))
    systems = [scored(cast.phase, team, f"S{value}", value) for team, value in values]
    client = cast.client(None)
    pages = [client.get(url(system)).content for system in systems]
    assert [text(page).split(" Submitted")[0].partition("Rank ")[2] for page in pages] == [
        "1 of 3 teams",
        "another submission counts for this team",
        "2 of 3 teams",
        "2 of 3 teams",
    ]
    assert "CIDEr-D 0.700 0.700 to 0.700 0.900 S0.9" in text(pages[2])
    assert url(systems[0]) in pages[2].decode()
    for name in metrics_for(several=True):
        assert METRICS[name].label in text(pages[2])


def test_coverage_is_said_where_it_is_not_full(cast: Cast) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    assert "of 5 clips" not in text(cast.client(None).get(url(mine)).content)
    MetricResult.objects.filter(submission=mine, metric="rouge_l").update(coverage=3)
    assert "3 of 5 clips" in text(cast.client(None).get(url(mine)).content)
    MetricResult.objects.filter(submission=mine).update(coverage=1, clips=1)
    assert "CIDEr-D, also as a part of SPIDEr, is 0" in text(
        cast.client(None).get(url(mine)).content
    )


def test_an_interrupted_system_tells_the_reason_and_what_failed_is_tried_again(
    cast: Cast, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    fail(mine, "meteor")
    retry = {"act": "retry"}
    for user in (None, cast.outsider, cast.member, cast.organiser):
        content = cast.client(user).get(url(mine)).content
        assert "METEOR The worker <b>stopped</b>." in text(content)
        assert ('value="retry"' in content.decode()) is (user in (cast.member, cast.organiser))
    with django_capture_on_commit_callbacks() as sent:
        assert cast.client(cast.member).post(url(mine), retry)["Location"] == url(mine)
    waiting = mine.evaluations.exclude(state=EvaluationState.DONE).get()
    assert (waiting.family, waiting.state) == ("meteor", EvaluationState.PENDING)
    assert len(sent) == 1, "the evaluation is sent, once the change is committed"
    again = cast.client(cast.owner).post(url(mine), retry, follow=True).content.decode()
    assert "nothing that could be tried again" in again


def test_progress_counts_clips_and_says_when_values_are_there(cast: Cast) -> None:
    submit(cast.phase, TeamFactory.create())
    mine = submit(cast.phase, cast.team)
    seen = plain(cast.client(None).get(progress_url(mine)).content.decode())
    assert "About 1 submission is served before it; no worker serves the queues" in seen
    evaluation = mine.evaluations.get(family="cider_d")
    now = timezone.now()
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=timedelta(minutes=1))
    assert claim is not None
    job_renew(claim=claim, clips_done=2, now=now, lease=timedelta(minutes=1))
    response = cast.client(None).get(progress_url(mine))
    seen = plain(response.content.decode())
    assert "Scoring 2 of 5 clips" in seen
    assert "served before it" not in seen, "it is being scored"
    assert "HX-Refresh" not in response.headers
    finish_all(
        mine.evaluations.exclude(pk=evaluation.pk), value=0.5, generator=np.random.default_rng(0)
    )
    decided = mine.evaluations.count() - 1
    for shown, event in ((0, "decided"), (decided, None)):
        response = cast.client(None).get(progress_url(mine), {"decided": shown})
        assert response.headers.get("HX-Trigger") == event
        assert f"?decided={decided}" in response.content.decode()
    mine.evaluations.update(state=EvaluationState.DONE)
    response = cast.client(None).get(progress_url(mine))
    assert response.headers["HX-Refresh"] == "true"
    assert "hx-trigger" not in response.content.decode()


def test_distribution_of_the_chosen_metric(cast: Cast) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    result = MetricResult.objects.get(submission=mine, metric="rouge_l")
    clips = np.array([0, 0.12, 0.14, 1, np.nan], dtype=np.float32)
    result.per_clip = MetricResult.pack_per_clip(clips)
    result.save()
    response = cast.client(None).get(url(mine, "?metric=rouge_l"))
    seen = text(response.content)
    assert "Exactly 0 25.0 % Exactly 1 25.0 % Clips 4 1 without a score" in seen
    # Mean of 0, .12, .14 and 1 is .315; median .13.
    assert "Mean of clips 0.315 Median 0.130" in seen
    page = response.content.decode()
    figure = re.search(r'<script id="clip-scores-data"[^>]*>(.*?)</script>', page)
    assert figure is not None
    bars = json.loads(figure[1])["data"][0]
    assert sum(bars["y"]) == 4
    assert bars["y"][bars["text"].index("0.1 to 0.15")] == 2
    assert " 0.1 0.15 2 50.0 % " in seen


def test_private_scores_are_for_the_team_and_tell_nothing_of_others(cast: Cast) -> None:
    cast.rules(scores_public=False)
    scored(cast.phase, TeamFactory.create(), "Rival", 0.777)
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    for address in (
        url(mine) + part for part in ("", "progress/", "profile/", "clips/", "clips/2/")
    ):
        assert cast.client(None).get(address).status_code == 404
        assert cast.client(cast.outsider).get(address).status_code == 404
        assert cast.client(cast.member).get(address).status_code == 200
    content = cast.client(cast.member).get(url(mine)).content
    seen = text(content)
    assert "0.400" in seen
    for secret in ("Rival", "0.777", "Rank 1", "Rank none", "Best in this phase"):
        assert secret not in seen
    assert "interval__ticks" not in content.decode()


def test_warnings_and_file_are_for_those_who_manage(cast: Cast) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    Submission.objects.filter(pk=mine.pk).update(warnings=["line 2: short"])
    for user, may in ((None, False), (cast.outsider, False), (cast.member, True)):
        content = cast.client(user).get(url(mine)).content.decode()
        assert ("line 2: short" in content) is may
        assert '<option value="cider_d" selected>' in content, "the ranking metric is drawn"
        content = cast.client(user).get(about_url(mine)).content.decode()
        assert (reverse("leaderboard:submission-file", args=[mine.public_id]) in content) is may


def test_metadata_is_shown_as_text_and_without_people(cast: Cast) -> None:
    mine = scored(cast.phase, cast.team, "<b>Mine</b>", 0.4)
    Submission.objects.filter(pk=mine.pk).update(
        description="<script>alert(1)</script>",
        metadata={
            "total_parameters": 98000000,
            "submission": {"label": "L", "authors": [{"email": "ann@example.org"}]},
            "system": {"description": {"learning_rate": 0.1, "ensemble": None, "x": "<i>y</i>"}},
        },
    )
    content = cast.client(None).get(about_url(mine)).content
    seen = text(content)
    assert "Label L Parameters 98,000,000 Method Learning rate 0.1 More X <i>y</i>" in seen
    assert "ann@example.org" not in content.decode()
    assert "<script>alert" not in content.decode()


@given(
    arrays(
        np.float32,
        st.integers(1, 60),
        elements=st.one_of(
            st.floats(-1, 10, width=32), st.just(np.nan), st.sampled_from([0.0, 1.0])
        ),
    ),
    st.sampled_from(sorted(METRICS)),
)
def test_every_score_is_in_exactly_one_bin(scores: np.ndarray, name: str) -> None:
    found = distribution(scores, METRICS[name])
    with_value = int(np.isfinite(scores).sum())
    if found is None:
        assert with_value == 0
        return
    assert sum(bin_.count for bin_ in found.bins) == found.clips == with_value
    assert found.unscored == scores.size - with_value
    assert all(left.high == right.low for left, right in pairwise(found.bins))
    assert len(found.bins) <= 30


def value(submission: Submission, metric: str, value: float) -> None:
    MetricResult.objects.filter(submission=submission, metric=metric).update(value=value)


@pytest.fixture
def systems(cast: Cast) -> list[Submission]:
    """Four systems in the order of the ranking metric; the first is worst by errors."""
    rows = [
        scored(cast.phase, TeamFactory.create(), f"System {number}", 0.8 - number / 10)
        for number in range(4)
    ]
    for number, row in enumerate(rows):
        value(row, "fer", 0.4 - number / 10)
    return rows


def report(submission: Submission) -> SystemReport:
    return report_of(submission, with_others=True)


def place_of(found: SystemReport, metric: str) -> tuple[int, int]:
    place = next(place for item, place in found.leading if item.info.name == metric)
    assert place is not None
    return place.place, place.of


def test_places_count_better_values_by_the_metric_s_direction(systems: list[Submission]) -> None:
    for number, row in enumerate(systems):
        assert place_of(report(row), "cider_d") == (number + 1, 4)
    summary = report(systems[0]).summary
    assert summary is not None
    assert summary["worst"] is not None
    named = {place.info.name for place in summary["best"]["places"]}
    assert "cider_d" in named
    assert summary["best"]["place"].place == 1
    assert "fer" in {place.info.name for place in summary["worst"]["places"]}
    assert summary["worst"]["place"].place == 4


def test_equal_values_share_the_better_place_and_of_another_signature_do_not_count(
    systems: list[Submission],
) -> None:
    # What is equal as it is shown is equal: the digits behind it would tell of hidden clips.
    value(systems[2], "cider_d", 0.80004)
    places = [place_of(report(system), "cider_d") for system in systems[:3]]
    assert places == [(1, 4), (3, 4), (1, 4)]
    MetricResult.objects.filter(submission=systems[0], metric="cider_d").update(signature="other")
    places = [place_of(report(system), "cider_d") for system in systems[:3]]
    assert places == [(1, 1), (2, 3), (1, 3)]
