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

from leaderboard.models import Evaluation, EvaluationState, MetricResult, Submission
from leaderboard.selectors.analysis.distributions import distribution
from leaderboard.selectors.submissions.system_report import SystemReport, report_of
from leaderboard.selectors.visibility.visibility import public_view
from leaderboard.services.evaluations.states import evaluation_claim
from leaderboard.services.jobs.states import job_renew
from leaderboard.services.ranking.snapshots import phase_freeze
from scoring.registry import METRICS, metrics_for
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import plain, scored, text

HIDDEN = "The references of this phase are hidden, so scores of single clips are not shown."


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
    better = scored(cast.phase, TeamFactory.create(), "Better", 0.8)
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    response = cast.client(None).get(url(mine))
    seen = text(response.content)
    assert "Rank 2 of 2 teams" in seen
    assert "CIDEr-D 0.400 0.400 to 0.400 0.800 Better" in seen
    assert url(better) in response.content.decode()
    for name in metrics_for(several=True):
        assert METRICS[name].label in seen


def test_the_rank_is_the_one_on_the_leaderboard(cast: Cast) -> None:
    """Systems that do not count for their team take no rank; ties share one."""
    rival = TeamFactory.create()
    values = ((rival, 0.9), (rival, 0.8), (TeamFactory.create(), 0.7), (cast.team, 0.70001))
    systems = [scored(cast.phase, team, "System", value) for team, value in values]
    client = cast.client(None)
    said = [text(client.get(url(system)).content).split(" Submitted")[0] for system in systems]
    assert [line.partition("Rank ")[2] for line in said] == [
        "1 of 3 teams",
        "another submission counts for this team",
        "2 of 3 teams",
        "2 of 3 teams",
    ]


def test_coverage_is_said_where_it_is_not_full(cast: Cast) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    assert "of 5 clips" not in text(cast.client(None).get(url(mine)).content)
    MetricResult.objects.filter(submission=mine, metric="rouge_l").update(coverage=3)
    assert "3 of 5 clips" in text(cast.client(None).get(url(mine)).content)
    MetricResult.objects.filter(submission=mine).update(coverage=1, clips=1)
    assert "CIDEr-D, also as a part of SPIDEr, is 0" in text(
        cast.client(None).get(url(mine)).content
    )


def test_an_interrupted_system_tells_the_reason_and_members_may_retry(cast: Cast) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    fail(mine, "meteor")
    retry = reverse("leaderboard:submission-retry", args=[mine.public_id])
    for user in (None, cast.outsider, cast.member, cast.organiser):
        content = cast.client(user).get(url(mine)).content
        assert "METEOR The worker <b>stopped</b>." in text(content)
        assert (retry in content.decode()) is (user in (cast.member, cast.organiser))


def test_while_scoring_the_page_asks_for_progress(cast: Cast) -> None:
    mine = submit(cast.phase, cast.team)
    content = cast.client(None).get(url(mine)).content.decode()
    assert f'hx-get="{progress_url(mine)}" hx-trigger="every 1s"' in content
    assert "<noscript>" in content


def test_progress_counts_clips_and_submissions_before(cast: Cast) -> None:
    submit(cast.phase, TeamFactory.create())
    mine = submit(cast.phase, cast.team)
    evaluation = mine.evaluations.get(family="cider_d")
    now = timezone.now()
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=timedelta(minutes=1))
    assert claim is not None
    job_renew(claim=claim, clips_done=2, now=now, lease=timedelta(minutes=1))
    response = cast.client(None).get(progress_url(mine))
    seen = plain(response.content.decode())
    assert "Scoring 2 of 5 clips" in seen
    assert (
        "About 1 submission is served before it; no worker serves the queues cpu and gpu now, "
        "so nobody knows when it is scored."
    ) in seen
    assert "HX-Refresh" not in response.headers


@pytest.mark.parametrize(
    ("cider_done", "usual", "said"),
    [
        # 50 s more than the 10 s that have gone by
        (0, 60, "Likely scored in about 50 s."),
        # it takes longer than usual, which tells nothing
        (0, 5, "Likely scored in a few seconds."),
        # its own pace tells more: 2.5 s a clip
        (4, 60, "Likely scored in a few seconds."),
    ],
)
def test_a_remaining_time_follows_what_others_took(
    cast: Cast, cider_done: int, usual: int, said: str
) -> None:
    mine = submit(cast.phase, cast.team)
    finish(mine)
    now = timezone.now()
    for _ in range(3):
        earlier = submit(cast.phase, TeamFactory.create())
        finish(earlier)
        earlier.evaluations.update(started_at=now, finished_at=now + timedelta(seconds=usual))
    mine.evaluations.update(started_at=now, finished_at=now)
    mine.evaluations.filter(family="cider_d").update(
        state=EvaluationState.RUNNING,
        clips_done=cider_done,
        started_at=now - timedelta(seconds=10),
        finished_at=None,
    )
    assert said in cast.client(None).get(progress_url(mine)).content.decode()


def test_polling_ends_with_the_results(cast: Cast) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    response = cast.client(None).get(progress_url(mine))
    assert response.headers["HX-Refresh"] == "true"
    assert "hx-trigger" not in response.content.decode()
    assert "hx-get" not in cast.client(None).get(url(mine)).content.decode()


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


@pytest.mark.parametrize("asked", ["", "nonsense", "<script>"])
def test_without_a_choice_the_ranking_metric_is_drawn(cast: Cast, asked: str) -> None:
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    response = cast.client(None).get(url(mine), {"metric": asked})
    assert '<option value="cider_d" selected>' in response.content.decode()


def test_hidden_references_hide_all_that_is_per_clip(cast: Cast) -> None:
    cast.rules(references_public=False)
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    for user in (None, cast.owner):
        content = cast.client(user).get(url(mine, "?metric=cider_d")).content
        assert HIDDEN in text(content)
        for word in (b"clip-scores", b"plotly", b"Exactly 0", b"Median"):
            assert word not in content
    assert b"clip-scores" in cast.client(cast.organiser).get(url(mine)).content


def test_private_scores_are_for_the_team_and_tell_nothing_of_others(cast: Cast) -> None:
    cast.rules(scores_public=False)
    scored(cast.phase, TeamFactory.create(), "Rival", 0.777)
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    for address in (url(mine), progress_url(mine)):
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
    assert summary.worst is not None
    named = {place.info.name for place in summary.best.places}
    assert "cider_d" in named
    assert summary.best.place.place == 1
    assert "fer" in {place.info.name for place in summary.worst.places}
    assert summary.worst.place.place == 4


def test_equal_values_share_the_better_place(systems: list[Submission]) -> None:
    # What is equal as it is shown is equal: the digits behind it would tell of hidden clips.
    value(systems[2], "cider_d", 0.80004)
    assert place_of(report(systems[0]), "cider_d") == (1, 4)
    assert place_of(report(systems[2]), "cider_d") == (1, 4)
    assert place_of(report(systems[1]), "cider_d") == (3, 4)


def test_values_of_another_signature_are_not_counted(systems: list[Submission]) -> None:
    MetricResult.objects.filter(submission=systems[0], metric="cider_d").update(signature="other")
    assert place_of(report(systems[1]), "cider_d") == (1, 3)
    assert place_of(report(systems[0]), "cider_d") == (1, 1)


def test_a_frozen_ranking_has_the_places_of_its_moment(
    cast: Cast, systems: list[Submission]
) -> None:
    phase_freeze(phase=cast.phase, actor=cast.organiser, now=timezone.now())
    cast.phase.refresh_from_db()
    value(systems[3], "cider_d", 0.95)
    content = cast.client(None).get(reverse("leaderboard:system", args=[systems[0].public_id]))
    assert public_view(cast.phase, timezone.now()).until is not None
    assert "CIDEr-D 0.800 0.800 to 0.800 1st of 4" in text(content.content)
    organiser = cast.client(cast.organiser)
    seen = text(organiser.get(reverse("leaderboard:system", args=[systems[0].public_id])).content)
    assert "CIDEr-D 0.800 0.800 to 0.800 2nd of 4" in seen


def test_of_two_systems_nothing_is_said_in_words(cast: Cast) -> None:
    first = scored(cast.phase, cast.team, "First", 0.4)
    scored(cast.phase, TeamFactory.create(), "Second", 0.3)
    assert report(first).summary is None


def test_the_best_is_the_lowest_where_lower_is_better(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    monkeypatch.setitem(METRICS, "vocab", replace(METRICS["vocab"], direction="lower"))
    scored(cast.phase, TeamFactory.create(), "Few", 100.0, metric="vocab")
    mine = scored(cast.phase, cast.team, "Many", 900.0, metric="vocab")
    seen = text(cast.client(None).get(url(mine)).content)
    assert "lower is better 900 900 to 900 100 Few" in seen


def test_values_of_another_signature_do_not_compete(cast: Cast) -> None:
    other = scored(cast.phase, TeamFactory.create(), "Other", 0.9)
    MetricResult.objects.filter(submission=other, metric="cider_d").update(signature="cider_d|old")
    mine = scored(cast.phase, cast.team, "Mine", 0.4)
    assert "0.400 to 0.400 0.400 this system" in text(cast.client(None).get(url(mine)).content)
