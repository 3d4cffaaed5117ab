"""One attempt at an evaluation, from claim to stored result."""

import logging
import traceback
from datetime import datetime, timedelta

from django.conf import settings
from django.db import close_old_connections, connection
from django.utils import timezone

from leaderboard.lease_heartbeat import LeaseHeartbeat, LeaseLost, TimeLimitExceeded
from leaderboard.models import Evaluation
from leaderboard.scorer import family_signature, score_family
from leaderboard.selectors.clips.corpus import references_of, stored_captions
from leaderboard.services.evaluations.states import (
    Claim,
    evaluation_beat,
    evaluation_claim,
    evaluation_fail,
    evaluation_finish,
    evaluation_renew,
)
from leaderboard.web.redaction import without_paths
from scoring.errors import ScoringError
from scoring.results import MetricScore
from scoring.runtime import Progress

logger = logging.getLogger(__name__)


class SignatureChanged(ScoringError):
    """The worker computes something else than what was asked for; ``found`` is what it has."""

    def __init__(self, wanted: str, found: str) -> None:
        super().__init__(
            f"The scorer changed while this was waiting (asked for {wanted}, the worker has "
            f"{found}). Retry to score with the present one."
        )
        self.found = found


class FileUnreadable(ScoringError):
    """A stored file that was accepted cannot be read any more."""

    def __init__(self) -> None:
        super().__init__("The stored file can no longer be read by this version of the scorer.")


class EvaluationProgress:
    """Clips that an attempt has done, written with each heartbeat."""

    def __init__(self, claim: Claim, *, lease: timedelta, time_limit: timedelta) -> None:
        self._claim = claim
        self._lease = lease
        self._clips_done = 0
        self._clips_written = 0
        self.heartbeat = LeaseHeartbeat(
            write=self._write,
            has_news=lambda: self._clips_done != self._clips_written,
            started_at=claim.started_at,
            deadline=claim.started_at + time_limit,
            lease=lease,
        )

    def note(self, _family: str, done: int, _total: int) -> None:
        """Note clips done; raises what ended the right to go on."""
        self._clips_done = done
        self.heartbeat.check()

    def _write(self, now: datetime) -> None:
        done = self._clips_done
        evaluation_beat(claim=self._claim, clips_done=done, now=now, lease=self._lease)
        self._clips_written = done


def evaluation_attempt(*, evaluation_id: int) -> None:
    """Claim an evaluation, compute it and store the result; do nothing if it is taken."""
    claim = evaluation_claim(evaluation_id=evaluation_id, now=timezone.now(), lease=settings.LEASE)
    if claim is None:
        return
    progress = EvaluationProgress(claim, lease=settings.LEASE, time_limit=settings.TIME_LIMIT)
    with progress.heartbeat:
        _attempt(claim, progress.note)


def _attempt(claim: Claim, progress: Progress) -> None:
    try:
        scores = _scores(claim.evaluation_id, progress)
        _renew_connection()
        evaluation_finish(claim=claim, scores=scores, now=timezone.now())
    except LeaseLost:
        logger.warning("Evaluation %s was taken over by another attempt", claim.evaluation_id)
    except SignatureChanged as error:
        if not evaluation_renew(claim=claim, signature=error.found):
            _fail(claim, str(error), final=True)
    except ScoringError as error:
        _fail(claim, str(error), final=True)
    except TimeLimitExceeded:
        minutes = settings.TIME_LIMIT.total_seconds() / 60
        # Final, since the next attempt would most likely only keep others waiting as long.
        _fail(claim, f"Took longer than the limit of {minutes:g} minutes.", final=True)
    except Exception as error:
        logger.exception("Evaluation %s failed", claim.evaluation_id)
        # The text of an unexpected error may hold a hidden reference, so the
        # participant sees its kind only; organisers see the detail.
        _fail(claim, f"Unexpected error ({type(error).__name__}).", final=False)


def _fail(claim: Claim, reason: str, *, final: bool) -> None:
    detail = _storable(traceback.format_exc()[-8000:])
    _renew_connection()
    evaluation_fail(
        claim=claim,
        # Participants read it, to whom it is no use where something lies on the server.
        reason=without_paths(_storable(reason)),
        detail=detail,
        now=timezone.now(),
        final=final,
    )


def _renew_connection() -> None:
    """Drop a connection that the scoring outlived, unless a transaction depends on it."""
    if not connection.in_atomic_block:
        close_old_connections()


def _storable(text: str) -> str:
    """Escape what databases refuse in text: NUL and halves of surrogate pairs."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


def _scores(evaluation_id: int, progress: Progress) -> list[MetricScore]:
    evaluation = Evaluation.objects.select_related("submission__file").get(pk=evaluation_id)
    references = references_of(evaluation.reference_hash)
    found = family_signature(evaluation.family, references, evaluation.parameters)
    if found != evaluation.signature:
        raise SignatureChanged(evaluation.signature, found)
    submission = evaluation.submission
    candidates = stored_captions(bytes(submission.file.content), submission.file_name, references)
    if candidates is None:
        raise FileUnreadable
    return score_family(evaluation.family, candidates, references, progress, evaluation.parameters)
