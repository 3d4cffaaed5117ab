"""Rankings that are kept: what is in them, that they say what the board said, that they stay."""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from django.utils import timezone

from leaderboard.models import (
    AuditEvent,
    EvaluationState,
    MetricResult,
    RankSnapshot,
    SnapshotReason,
    Submission,
    Team,
)
from leaderboard.selectors.board.rows import board_of
from leaderboard.selectors.ranking.snapshots import canonical, digest
from leaderboard.services.ranking.snapshots import (
    FreezingRefused,
    phase_freeze,
    phase_reveal,
    snapshot_take,
)
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import TeamFactory, finish, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored


def taken(cast: Cast) -> RankSnapshot:
    return snapshot_take(
        phase=cast.phase,
        reason=SnapshotReason.RESCORING,
        actor=cast.organiser,
        now=timezone.now(),
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
    with pytest.raises(FreezingRefused, match="has been frozen since"):
        phase_freeze(phase=cast.phase, actor=cast.organiser, now=now)
    later = now + timedelta(hours=1)
    revealed = phase_reveal(phase=cast.phase, actor=cast.organiser, now=later)
    cast.phase.refresh_from_db()
    assert cast.phase.frozen_at is None
    with pytest.raises(FreezingRefused, match="is not frozen"):
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
