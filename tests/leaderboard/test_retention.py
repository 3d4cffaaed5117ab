"""What has expired goes, and nothing else."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from leaderboard.models import (
    ClipDetails,
    Evaluation,
    Notice,
    NoticeKind,
    OrganiserInvitation,
    StagedReferences,
    TeamInvitation,
)
from leaderboard.selectors.operations.migrations import migrations_applied
from leaderboard.services.backups.tables import tables_at
from leaderboard.services.people.notices import scoring_notice_send
from leaderboard.services.ranking.snapshots import phase_freeze
from leaderboard.services.retention import expired_delete, leftovers_delete
from leaderboard.tasks import retention_sweep
from tests.factories import finish, submit
from tests.leaderboard.access.one_of_everything import everything
from tests.leaderboard.conftest import Cast

pytestmark = pytest.mark.django_db
NOW = timezone.now()
YEARS = timedelta(days=4000)


def counts() -> dict[str, int]:
    """Rows of every table."""
    tables = tables_at(migrations_applied())
    return {name: table.objects.count() for name, table in tables.items()}  # type: ignore[attr-defined]


def staged(cast: Cast) -> StagedReferences:
    return StagedReferences.objects.create(
        phase=cast.phase, user=cast.organiser, name="x", file_name="x", content=b"x", created_at=NOW
    )


def test_only_what_expires_is_ever_deleted(cast: Cast) -> None:
    """However long the site stands."""
    everything(cast)
    staged(cast)
    Notice.objects.update(read_at=NOW, mail_due_at=None)
    before = counts()
    expired_delete(now=NOW + timedelta(minutes=1))
    assert counts() == before
    expired_delete(now=NOW + YEARS)
    after = counts()
    assert {name for name in before if after[name] != before[name]} == {
        "leaderboard.notice",
        "leaderboard.organiserinvitation",
        "leaderboard.stagedreferences",
        "leaderboard.teaminvitation",
        "sessions.session",
    }
    gone = (Session, OrganiserInvitation, StagedReferences, TeamInvitation)
    assert not any(table.objects.exists() for table in gone)


def test_notices_go_that_were_read_and_are_mailed(cast: Cast) -> None:
    for text, read_at, due in (("read", NOW, None), ("unread", None, None), ("due", NOW, NOW)):
        Notice.objects.create(
            user=cast.member,
            kind=NoticeKind.TEAM,
            text=text,
            at=NOW,
            read_at=read_at,
            mail_due_at=due,
        )
    expired_delete(now=NOW + timedelta(days=179))
    assert Notice.objects.count() == 3
    expired_delete(now=NOW + timedelta(days=181))
    assert set(Notice.objects.values_list("text", flat=True)) == {"unread", "due"}


def test_nobody_is_told_of_an_old_scoring_again(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, user=cast.member)
    finish(submission)
    told = Notice.objects.filter(kind=NoticeKind.SCORED).count()
    assert told
    Notice.objects.update(read_at=NOW, mail_due_at=None)
    expired_delete(now=NOW + YEARS)
    scoring_notice_send(submission_id=submission.pk, now=NOW + YEARS)
    assert Notice.objects.filter(kind=NoticeKind.SCORED).count() == told


@pytest.fixture
def detailed(cast: Cast) -> Evaluation:
    submission = submit(cast.phase, cast.team)
    finish(submission)
    evaluation = submission.evaluations.get(family="bleu")
    Evaluation.objects.filter(pk=evaluation.pk).update(finished_at=NOW)
    evaluation.clip_details.all().delete()
    ClipDetails.objects.create(evaluation=evaluation, first_clip=0, content=b"x")
    return evaluation


def test_details_of_a_dry_run_go_and_its_scores_stay(detailed: Evaluation) -> None:
    Evaluation.objects.filter(pk=detailed.pk).update(published=False)
    results = detailed.results.count()
    expired_delete(now=NOW + timedelta(days=89))
    assert detailed.clip_details.exists()
    expired_delete(now=NOW + timedelta(days=91))
    assert not detailed.clip_details.exists()
    assert detailed.results.count() == results > 0
    detailed.refresh_from_db()
    assert "deleted 90 days after" in detailed.details_note


def test_details_that_a_page_shows_stay(detailed: Evaluation, cast: Cast) -> None:
    expired_delete(now=NOW + YEARS)
    assert detailed.clip_details.exists()
    phase_freeze(phase=cast.phase, actor=None, now=NOW)
    # As a rescoring leaves it that was published after the freeze.
    Evaluation.objects.filter(pk=detailed.pk).update(published=False)
    expired_delete(now=NOW + YEARS)
    assert detailed.clip_details.exists()


def test_files_that_nobody_fetches_go(settings: Any, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "uploads")
    settings.AUDIO_DIR = tmp_path / "audio"
    settings.EMAIL_FILE_PATH = str(tmp_path / "mail")
    paths = {
        folder: [tmp_path / folder / name for name in ("old", "new")]
        for folder in ("uploads", "audio/incoming", "mail", "audio/ab")
    }
    for folder, (old, new) in paths.items():
        new.parent.mkdir(parents=True)
        new.touch()
        old.touch()
        days = 31 if folder == "mail" else 2
        before = NOW - timedelta(days=days)
        os.utime(old, (before.timestamp(), before.timestamp()))
    assert leftovers_delete() == 3
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"uploads/new", "audio/incoming/new", "mail/new", "audio/ab/new", "audio/ab/old"}


def test_the_maintenance_worker_does_it_every_hour(settings: Any) -> None:
    Session.objects.create(session_key="x", session_data="", expire_date=NOW - timedelta(days=1))
    retention_sweep()
    assert not Session.objects.exists()
    entry = settings.CELERY_BEAT_SCHEDULE[retention_sweep.name]
    assert entry == {"task": retention_sweep.name, "schedule": timedelta(hours=1)}
