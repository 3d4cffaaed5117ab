"""One attempt at an evaluation, from claim to stored result."""

import logging
import sys
import traceback
from datetime import datetime, timedelta

from django.conf import settings
from django.db import close_old_connections, connection

from leaderboard import log_context
from leaderboard.job_memory import memory_reason
from leaderboard.lease_heartbeat import (
    LeaseHeartbeat,
    LeaseLost,
    TimeLimitExceeded,
    database_now,
)
from leaderboard.models import AttemptOutcome, Evaluation
from leaderboard.scorer import family_signature, score_family
from leaderboard.selectors.clips.corpus import references_of, stored_captions
from leaderboard.selectors.evaluations.turns import TURN, next_in_turn
from leaderboard.services.evaluations.states import (
    Claim,
    evaluation_beat,
    evaluation_claim,
    evaluation_fail,
    evaluation_finish,
    evaluation_renew,
    over_time_limit,
)
from leaderboard.services.workers import attempt_count
from leaderboard.web.redaction import without_paths
from scoring.errors import ResourceMissing, ScoringError
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


# The first that an error is one of.
OUTCOMES: dict[type[BaseException], AttemptOutcome] = {
    TimeLimitExceeded: AttemptOutcome.TIME_LIMIT,
    SignatureChanged: AttemptOutcome.SCORER_CHANGED,
    ResourceMissing: AttemptOutcome.MODEL_MISSING,
    ImportError: AttemptOutcome.MODEL_MISSING,
    ScoringError: AttemptOutcome.REFUSED,
}


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
            limit=time_limit,
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


# Each time that a claim comes too late another worker has begun something.
MAX_CLAIMS = 100
# By queue the submission whose turn it is in this process, and when the turn began.
_turns: dict[str, tuple[int, datetime]] = {}


def evaluation_attempt_in_turn(*, queue: str) -> int | None:
    """Attempt the evaluation of a queue whose turn it is; returns its id, None: none waits."""
    claim = _claim_in_turn(queue)
    if claim is None:
        return None
    log_context.job.set(f"evaluation_run({claim.evaluation_id})")
    _attempt_claimed(claim)
    return claim.evaluation_id


def _claim_in_turn(queue: str) -> Claim | None:
    now = database_now()
    submission, began = _turns.get(queue, (None, now))
    current = submission if now - began < TURN else None
    for _ in range(MAX_CLAIMS):
        candidate = next_in_turn(queue=queue, current=current)
        if candidate is None:
            return None
        claim = evaluation_claim(
            evaluation_id=candidate.evaluation_id, now=database_now(), lease=settings.LEASE
        )
        if claim is not None:
            if candidate.submission_id != current:
                _turns[queue] = (candidate.submission_id, now)
            return claim
    return None


def evaluation_attempt(*, evaluation_id: int) -> None:
    """Claim an evaluation, compute it and store the result; do nothing if it is taken."""
    claim = evaluation_claim(evaluation_id=evaluation_id, now=database_now(), lease=settings.LEASE)
    if claim is not None:
        _attempt_claimed(claim)


def _attempt_claimed(claim: Claim) -> None:
    progress = EvaluationProgress(claim, lease=settings.LEASE, time_limit=settings.TIME_LIMIT)
    with progress.heartbeat:
        _attempt(claim, progress.note)


def _attempt(claim: Claim, progress: Progress) -> None:
    try:
        scores = _scores(claim.evaluation_id, progress)
        _renew_connection()
        evaluation_finish(claim=claim, scores=scores, now=database_now())
        _count(claim, AttemptOutcome.DONE)
    except LeaseLost:
        logger.warning("Evaluation %s is no longer this attempt's", claim.evaluation_id)
    except SignatureChanged as error:
        if evaluation_renew(claim=claim, signature=error.found):
            _count(claim, AttemptOutcome.SCORER_CHANGED)
        else:
            _fail(claim, str(error), final=True)
    except ScoringError as error:
        _fail(claim, memory_reason(error) or str(error), final=True)
    except TimeLimitExceeded:
        # Final, since the next attempt would most likely only keep others waiting as long.
        _fail(claim, over_time_limit(), final=True)
    except Exception as error:
        want_of_memory = memory_reason(error)
        logger.exception("Evaluation %s failed. %s", claim.evaluation_id, want_of_memory)
        # The text of an unexpected error may hold a hidden reference, so the
        # participant sees its kind only; organisers see the detail.
        reason = want_of_memory or f"Unexpected error ({type(error).__name__})."
        # The next attempt would need as much memory.
        _fail(claim, reason, final=bool(want_of_memory))


def _fail(claim: Claim, reason: str, *, final: bool) -> None:
    detail = _storable(traceback.format_exc()[-8000:])
    _renew_connection()
    evaluation_fail(
        claim=claim,
        # Participants read it, to whom it is no use where something lies on the server.
        reason=without_paths(_storable(reason)),
        detail=detail,
        now=database_now(),
        final=final,
    )
    _count(claim, _outcome(sys.exception()))


def _outcome(error: BaseException | None) -> AttemptOutcome:
    if error is not None and memory_reason(error):
        return AttemptOutcome.MEMORY
    found = (outcome for kind, outcome in OUTCOMES.items() if isinstance(error, kind))
    return next(found, AttemptOutcome.UNEXPECTED)


def _count(claim: Claim, outcome: AttemptOutcome) -> None:
    attempt_count(family=claim.family, outcome=outcome, took=database_now() - claim.started_at)


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
