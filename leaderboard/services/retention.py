"""What may go after a while: nothing that anybody could miss.

Scores, submissions, captions, labels, rankings and the audit log are never deleted here.
"""

import logging
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef

from leaderboard.models import (
    ClipDetails,
    Evaluation,
    EvaluationState,
    Notice,
    NoticeKind,
    OrganiserInvitation,
    Rescoring,
    StagedReferences,
    TeamInvitation,
)
from leaderboard.services.clips.recordings import INCOMING

logger = logging.getLogger(__name__)

INVITATIONS_EXPIRED = timedelta(days=30)
STAGED = timedelta(days=7)
MAILS = timedelta(days=30)
# No request takes as long: whoever was to move such a file on is gone.
LEFT_OVER = timedelta(days=1)
AT_ONCE = 200


def expired_delete(*, now: datetime) -> dict[str, int]:
    """Delete what has expired from the database; returns how many rows of what."""
    deleted = {
        "sessions": Session.objects.filter(expire_date__lt=now),
        # Of scoring one is kept for each submission and person: without it a later rescoring
        # would send it once more. Those of announcements tell organisers how many were mailed.
        "notices": Notice.objects.filter(
            read_at__lt=now - settings.KEEP_NOTICES, mail_due_at=None
        ).exclude(kind__in=[NoticeKind.SCORED, NoticeKind.FAILED, NoticeKind.NEWS]),
        "team invitations": TeamInvitation.objects.filter(expires_at__lt=now - INVITATIONS_EXPIRED),
        "invitations of organisers": OrganiserInvitation.objects.filter(
            expires_at__lt=now - INVITATIONS_EXPIRED
        ),
        "staged references": StagedReferences.objects.filter(created_at__lt=now - STAGED),
    }
    counts = {what: rows.delete()[0] for what, rows in deleted.items()}
    counts["details of unpublished scores"] = _unpublished_details_delete(now)
    nonzero = {what: count for what, count in counts.items() if count}
    if nonzero:
        logger.info("Deleted as expired: %s", nonzero)
    return nonzero


def _unpublished_details_delete(now: datetime) -> int:
    """Delete why clips have the scores of dry runs that are over, and say so in their place.

    They are the largest part of a site, and no page shows them but of a frozen ranking; the
    scores stay.
    """
    open_run = Rescoring.objects.filter(
        phase=OuterRef("submission__phase"), published_at=None, discarded_at=None
    )
    old = Evaluation.objects.filter(
        ~Exists(open_run),
        Exists(ClipDetails.objects.filter(evaluation=OuterRef("pk"))),
        published=False,
        submission__phase__frozen_at=None,
        state=EvaluationState.DONE,
        finished_at__lt=now - settings.KEEP_UNPUBLISHED_DETAILS,
    )
    note = (
        f"The details were deleted {settings.KEEP_UNPUBLISHED_DETAILS.days} days after the "
        "scoring, as these scores were not published. Rescore to have them again."
    )
    deleted = 0
    while keys := list(old.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        Evaluation.objects.filter(pk__in=keys).update(details_note=note)
        deleted += ClipDetails.objects.filter(evaluation__in=keys).delete()[0]
    return deleted


def leftovers_delete() -> int:
    """Delete files of this machine that nobody fetches any more; returns how many."""
    folders = {
        Path(settings.FILE_UPLOAD_TEMP_DIR): LEFT_OVER,
        Path(settings.AUDIO_DIR) / INCOMING: LEFT_OVER,
    }
    mails = getattr(settings, "EMAIL_FILE_PATH", "")
    if mails:
        folders[Path(mails)] = MAILS
    deleted = 0
    for folder, kept in folders.items():
        for path in folder.glob("*"):
            deleted += _delete_if_older(path, kept)
    return deleted


def _delete_if_older(path: Path, kept: timedelta) -> bool:
    """Delete a file that was not written to for some time; returns whether it did."""
    try:
        if not path.is_file() or time.time() - path.lstat().st_mtime <= kept.total_seconds():
            return False
        path.unlink()
    except OSError as error:  # another process was first, or this one has not the right
        logger.info("%s was not deleted: %s", path, error.strerror)
        return False
    return True
