"""Who stood where when: each moment is that of then, and what was kept stays as it was."""

import json
from datetime import datetime, timedelta
from hashlib import sha256

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import (
    AuditEvent,
    Counting,
    EvaluationState,
    MetricResult,
    Phase,
    RankSnapshot,
    SnapshotReason,
    Submission,
    Team,
)
from leaderboard.selectors.board.rows import board_of
from leaderboard.selectors.ranking.history import history_of
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.selectors.ranking.snapshots import canonical, digest
from leaderboard.services.ranking.snapshots import phase_freeze, phase_reveal, snapshot_take
from leaderboard.services.submissions.human_row import human_row_create
from leaderboard.web.refusals import Refused
from tests.factories import NOW, TeamFactory, finish, submit
from tests.leaderboard.api_client import body, caller
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def handed_in(phase: Phase, team: Team, minute: float, value: float | None) -> Submission:
    made = submit(phase, team, name=f"At {minute}", now=NOW + timedelta(minutes=minute))
    finish(made)
    MetricResult.objects.filter(submission=made, metric="cider_d").update(value=value)
    return made


@pytest.mark.parametrize("counting", list(Counting))
def test_each_moment_is_the_ranking_of_then(cast: Cast, counting: Counting) -> None:
    cast.rules(counting=counting)
    teams = TeamFactory.create_batch(3)
    values = [(0, 0.5), (1, 0.4), (0, 0.3), (2, None), (1, 0.6), (2, 0.6), (0, 0.7)]
    made = [
        handed_in(cast.phase, teams[team], minute, value)
        for minute, (team, value) in enumerate(values)
    ]
    history = history_of(cast.phase)
    known: dict[datetime, tuple[int | None, ...]] = {one.at: one.ranks for one in history.moments}
    latest: tuple[int | None, ...] = (None,) * len(history.lines)
    for last in range(len(made)):
        later = [row.pk for row in made[last + 1 :]]
        Submission.objects.filter(pk__in=later).update(withdrawn_at=NOW)
        then = {line.team: line.rank for line in ranking_of(cast.phase).rows}
        Submission.objects.filter(pk__in=later).update(withdrawn_at=None)
        latest = known.get(made[last].created_at, latest)
        assert latest == tuple(then.get(line.team) for line in history.lines)
    now = [line.rank for line in ranking_of(cast.phase).rows]
    assert list(history.moments[-1].ranks) == now


def test_many_moments_are_told_by_day(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.selectors.ranking.history.MOST_MOMENTS", 2)
    for number in range(4):
        handed_in(cast.phase, TeamFactory.create(), 24 * 60 * (number // 2) + number, number / 10)
    history = history_of(cast.phase)
    assert history.step == "day"
    assert [moment.ranks for moment in history.moments] == [(None, None, 1, 2), (1, 2, 3, 4)]


def test_the_best_and_ones_own_are_shown(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.selectors.ranking.history.MOST_TEAMS", 1)
    handed_in(cast.phase, TeamFactory.create(name="First"), 0, 0.9)
    handed_in(cast.phase, TeamFactory.create(name="Second"), 1, 0.8)
    handed_in(cast.phase, cast.team, 2, 0.1)
    names = [cast.phase.challenge.slug, cast.phase.slug]
    address = reverse("leaderboard:history", args=names)
    assert "2 of 3 teams are shown" in text(cast.client(cast.member).get(address).content)
    assert "Second" not in text(cast.client(None).get(address).content)
    told = body(caller(None).get(f"/phases/{names[0]}/{names[1]}/history"))
    assert [row["team_name"] for row in told["systems"]] == ["First"]
    assert told["moments"][-1]["ranks"] == [1]
    assert told["moments"][-1]["scores"] == [0.9]
    cast.rules(scores_public=False)
    assert cast.client(cast.member).get(address).status_code == 404


def test_a_better_score_is_a_moment_although_ranks_stay(cast: Cast) -> None:
    cast.rules(precision=2)
    team = TeamFactory.create()
    for minute, value in enumerate((0.5, 0.6041, 0.6042)):
        handed_in(cast.phase, team, minute, value)
    moments = history_of(cast.phase).moments
    assert [moment.ranks for moment in moments] == [(1,), (1,)]
    assert [moment.scores for moment in moments] == [(0.5,), (0.6,)], "at the declared precision"


def taken(cast: Cast) -> RankSnapshot:
    return snapshot_take(
        phase=cast.phase, reason=SnapshotReason.RESCORING, actor=cast.organiser, now=timezone.now()
    )


def filled(cast: Cast) -> None:
    """Two teams, one with two systems, ties, one not scored, one withdrawn, the human row."""
    rival = TeamFactory.create()
    for team, name, value in (
        (cast.team, "A", 0.61),
        (cast.team, "B", 0.2),
        (rival, "C", 0.61004),
        (TeamFactory.create(), "Void", None),
        (TeamFactory.create(), "Zero", -0.0),
    ):
        scored(cast.phase, team, name, value)
    submit(cast.phase, TeamFactory.create(), name="Waiting")
    gone = scored(cast.phase, rival, "Gone", 0.9)
    Submission.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now())
    finish(human_row_create(phase=cast.phase, actor=None, now=timezone.now()))


def test_it_says_what_both_tables_say(cast: Cast) -> None:
    filled(cast)
    content = taken(cast).content
    by_id = {row["id"]: row for row in content["systems"]}
    for every_system, name in ((False, "rank"), (True, "rank_of_all")):
        board = board_of(cast.phase, every_system=every_system)
        competing = {row.public_id: row.rank for row in board.rows}
        assert {
            key: row[name]
            for key, row in by_id.items()
            if row["kind"] == "system" and (every_system or row["counts"])
        } == competing
    for shown in (*board.rows, *board.unranked):
        row = by_id[shown.public_id]
        assert row["system_name"] == shown.system_name
        assert row["team_name"] == shown.team_name
        assert {name: cell[:3] for name, cell in row["values"].items()} == {
            name: [cell.value, cell.low, cell.high] for name, cell in shown.values.items()
        }
        told = {name: content["signatures"][cell[5]] for name, cell in row["values"].items()}
        assert told == {name: cell.signature for name, cell in shown.values.items()}
    assert [row["id"] for row in content["systems"][: len(board.rows)]] == [
        row.public_id for row in board.rows
    ]
    assert "Gone" not in {row["system_name"] for row in content["systems"]}


def test_the_checksum_is_that_of_what_the_database_gives_back(cast: Cast) -> None:
    filled(cast)
    snapshot = RankSnapshot.objects.get(pk=taken(cast).pk)
    text = canonical(snapshot.content)
    assert snapshot.sha256 == digest(snapshot.content) == sha256(text.encode()).hexdigest()
    assert json.loads(text) == snapshot.content


def test_what_is_computed_since_the_jobs_were_read_is_left_out(cast: Cast) -> None:
    """Else a metric could have a value and still wait in the same snapshot."""
    system = scored(cast.phase, cast.team, "A", 0.5)
    system.evaluations.filter(family="cider_d").update(state=EvaluationState.RUNNING)
    row = taken(cast).content["systems"][0]
    assert row["rank"] is None
    assert "cider_d" not in row["values"]
    assert "meteor" in row["values"]


def test_freezing_and_revealing_each_keep_the_ranking_and_are_in_the_log(cast: Cast) -> None:
    now = timezone.now()
    frozen = phase_freeze(phase=cast.phase, actor=cast.organiser, now=now)
    cast.phase.refresh_from_db()
    assert cast.phase.frozen_at == now == frozen.taken_at
    with pytest.raises(Refused, match="has been frozen since"):
        phase_freeze(phase=cast.phase, actor=cast.organiser, now=now)
    later = now + timedelta(hours=1)
    revealed = phase_reveal(phase=cast.phase, actor=cast.organiser, now=later)
    cast.phase.refresh_from_db()
    assert cast.phase.frozen_at is None
    with pytest.raises(Refused, match="is not frozen"):
        phase_reveal(phase=cast.phase, actor=cast.organiser, now=later)
    reasons = [snapshot.reason for snapshot in cast.phase.snapshots.all()]
    assert reasons == [SnapshotReason.REVEAL, SnapshotReason.FREEZE]
    acts = AuditEvent.objects.filter(challenge=cast.phase.challenge, actor=cast.organiser)
    told = set(acts.values_list("action", "details__sha256"))
    assert {("phase.freeze", frozen.sha256), ("phase.reveal", revealed.sha256)} <= told


def test_nothing_that_happens_later_changes_one(cast: Cast) -> None:
    filled(cast)
    before = taken(cast)
    MetricResult.objects.update(value=0.99)
    Team.objects.update(affiliation="Elsewhere")
    Submission.objects.update(system_name="Renamed", disqualified_at=timezone.now())
    after = RankSnapshot.objects.get(pk=before.pk)
    assert (after.content, after.sha256) == (before.content, before.sha256)
    assert digest(after.content) == before.sha256
    assert taken(cast).sha256 != before.sha256
