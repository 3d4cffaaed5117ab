"""The states of an evaluation: who may change them, and when.

Every change is one UPDATE with the expected state in its WHERE clause. One row
changed means that it was ours to change; none means that another was first.
"""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, QuerySet, Value, When

import scoring
from leaderboard.lease_heartbeat import LeaseLost, process_name
from leaderboard.models import (
    AttemptOutcome,
    ClipDetails,
    Evaluation,
    EvaluationState,
    MetricResult,
    Phase,
    Submission,
    User,
)
from leaderboard.scorer import family_signature
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.services.audit_log import audit_submission
from leaderboard.services.evaluations.clip_details import PackedDetails, details_pack
from leaderboard.services.people.notices import scoring_notice_send
from leaderboard.services.workers import attempt_count
from scoring.captions import References
from scoring.errors import ScoringError
from scoring.registry import FAMILIES
from scoring.results import MetricScore as Score

MAX_ATTEMPTS = 3
WORKER_LOST = (
    "The worker stopped three times while computing this. "
    "The organisers can see why in the worker's log."
)


def over_time_limit() -> str:
    """Why an attempt was ended that ran for too long."""
    minutes = settings.TIME_LIMIT.total_seconds() / 60
    return f"Took longer than the limit of {minutes:g} minutes."


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on an evaluation, until the lease ends."""

    evaluation_id: int
    token: int
    started_at: datetime
    family: str


def evaluations_create(*, submission: Submission, references: References, now: datetime) -> None:
    """Add an evaluation for each metric family, waiting for a worker.

    A family whose model is missing on this installation is failed at once,
    with the reason; the others wait. The caller holds the lock of the phase.
    """
    # Not those of an instance that was read before a rescoring was published.
    own = Phase.objects.values_list("parameters", flat=True).get(pk=submission.phase_id)
    for name in FAMILIES:
        evaluation = Evaluation(
            submission=submission,
            family=name,
            parameters=own.get(name, {}),
            reference_hash=references.content_hash,
            clips_total=len(references),
            created_at=now,
        )
        try:
            evaluation.signature = family_signature(name, references, evaluation.parameters)
        except (ScoringError, ImportError) as error:
            evaluation.signature = f"{name}|unavailable"
            evaluation.state = EvaluationState.FAILED
            evaluation.finished_at = now
            evaluation.reason = str(error)[:300]
        evaluation.save()


@transaction.atomic
def evaluation_claim(*, evaluation_id: int, now: datetime, lease: timedelta) -> Claim | None:
    """Claim a waiting evaluation; returns None where another worker has it or it is finished."""
    taken = Evaluation.objects.filter(pk=evaluation_id, state=EvaluationState.PENDING).update(
        state=EvaluationState.RUNNING,
        token=F("token") + 1,
        attempts=F("attempts") + 1,
        worker=process_name(),
        started_at=now,
        lease_expires_at=now + lease,
        clips_done=0,
    )
    if taken != 1:
        return None
    # Still under the lock of the update: read later, the token could be that of an
    # attempt which took over meanwhile, and two would hold it.
    token, family = Evaluation.objects.values_list("token", "family").get(pk=evaluation_id)
    return Claim(evaluation_id, token, now, family)


def evaluation_beat(*, claim: Claim, clips_done: int, now: datetime, lease: timedelta) -> None:
    """Extend the lease and note the progress, or raise ``LeaseLost``."""
    _update_or_lose(claim, clips_done=clips_done, lease_expires_at=now + lease)


def evaluation_finish(*, claim: Claim, scores: list[Score], now: datetime) -> None:
    """Store results, details and the final state together, or raise ``LeaseLost``."""
    # Before the transaction, in which others would have to wait for the packing.
    packed = details_pack(scores, limit=settings.MAX_DETAILS_BYTES)
    _finish(claim, scores, packed, now)


@transaction.atomic
def _finish(claim: Claim, scores: list[Score], packed: PackedDetails, now: datetime) -> None:
    _update_or_lose(
        claim,
        state=EvaluationState.DONE,
        finished_at=now,
        lease_expires_at=None,
        clips_done=F("clips_total"),
        reason="",
        detail="",
        details_note=packed.note,
    )
    evaluation = Evaluation.objects.only("submission_id").get(pk=claim.evaluation_id)
    MetricResult.objects.filter(evaluation=evaluation).delete()
    MetricResult.objects.bulk_create(result_row(evaluation, score) for score in scores)
    ClipDetails.objects.filter(evaluation=evaluation).delete()
    ClipDetails.objects.bulk_create(
        ClipDetails(evaluation=evaluation, first_clip=first, content=content)
        for first, content in packed.blocks
    )
    scoring_notice_send(submission_id=evaluation.submission_id, now=now)


@transaction.atomic
def evaluation_renew(*, claim: Claim, signature: str) -> bool:
    """Set a claimed evaluation to waiting again, under the signature that is computed now.

    Returns False, with nothing changed, after the last attempt (two workers that differ
    could hand it to each other for ever), where another evaluation of the submission has
    that signature, or where the claim was lost.
    """
    claimed = Evaluation.objects.filter(
        pk=claim.evaluation_id,
        token=claim.token,
        state=EvaluationState.RUNNING,
        attempts__lt=MAX_ATTEMPTS,
    )
    # The lock keeps a retry from looking for the same signature meanwhile.
    current = claimed.select_for_update().first()
    if current is None or _others_with(current, signature).exists():
        return False
    renewed = claimed.update(
        state=EvaluationState.PENDING,
        signature=signature,
        lease_expires_at=None,
        enqueued_at=None,
        reason="",
        detail="",
    )
    return renewed == 1


@transaction.atomic
def evaluation_fail(*, claim: Claim, reason: str, detail: str, now: datetime, final: bool) -> None:
    """End an attempt that failed: wait for the next one, or fail with the reason."""
    row = Evaluation.objects.filter(
        pk=claim.evaluation_id, token=claim.token, state=EvaluationState.RUNNING
    )
    note = {"reason": reason[:300], "detail": detail, "lease_expires_at": None}
    if not final:
        again = row.filter(attempts__lt=MAX_ATTEMPTS).update(
            state=EvaluationState.PENDING, enqueued_at=None, **note
        )
        if again:
            return
    if row.update(state=EvaluationState.FAILED, finished_at=now, **note):
        failed = Evaluation.objects.only("submission_id").get(pk=claim.evaluation_id)
        scoring_notice_send(submission_id=failed.submission_id, now=now)


def process_evaluations_end(*, process: str, reason: str, now: datetime) -> None:
    """End the attempts of a process that is known to have ended, as ``evaluation_fail`` does.

    Without a reason it was over the time limit. An attempt that was taken over has another
    process by now.
    """
    held = Evaluation.objects.filter(state=EvaluationState.RUNNING, worker=process)
    _count_lost(held, AttemptOutcome.PROCESS_ENDED if reason else AttemptOutcome.TIME_LIMIT)
    for evaluation_id, token, family in held.values_list("pk", "token", "family"):
        evaluation_fail(
            claim=Claim(evaluation_id, token, now, family),
            reason=reason or over_time_limit(),
            detail="",
            now=now,
            final=not reason,
        )


@transaction.atomic
def process_evaluations_return(*, processes: Collection[str]) -> list[int]:
    """Set what processes of a worker that stops compute to waiting again; returns the ids.

    It is no failure, so that the attempt does not count.
    """
    held = Evaluation.objects.select_for_update().filter(
        state=EvaluationState.RUNNING, worker__in=processes
    )
    keys = list(held.values_list("pk", flat=True))
    Evaluation.objects.filter(pk__in=keys).update(
        state=EvaluationState.PENDING,
        attempts=F("attempts") - 1,
        lease_expires_at=None,
        enqueued_at=None,
    )
    return keys


def evaluations_sweep(*, now: datetime, requeue_after: Callable[[str], timedelta]) -> list[int]:
    """Take back what was lost; return the ids that must be sent to the queue.

    Leases that ran out go back to waiting, or fail after the last attempt; at once where the
    lease was renewed until the time limit, so that the attempt is stuck.
    Rows that were committed but never sent, or sent so long ago that the
    message must be taken for lost, are to be sent: after a pause that depends on the family.
    """
    expired = Evaluation.objects.filter(state=EvaluationState.RUNNING, lease_expires_at__lt=now)
    failed = {"state": EvaluationState.FAILED, "finished_at": now, "lease_expires_at": None}
    renewed_to_the_end = F("started_at") + settings.TIME_LIMIT + settings.LEASE / 2
    stuck = expired.filter(lease_expires_at__gte=renewed_to_the_end)
    _count_lost(stuck, AttemptOutcome.TIME_LIMIT)
    stuck.update(**failed, reason=over_time_limit())
    _count_lost(expired, AttemptOutcome.WORKER_LOST)
    # What was said of an earlier attempt says more.
    known = Case(When(reason="", then=Value(WORKER_LOST)), default=F("reason"))
    expired.filter(attempts__gte=MAX_ATTEMPTS).update(**failed, reason=known)
    expired.filter(attempts__lt=MAX_ATTEMPTS).update(
        state=EvaluationState.PENDING, lease_expires_at=None, enqueued_at=None
    )
    waiting = Evaluation.objects.filter(state=EvaluationState.PENDING).order_by("id")
    return [
        pk
        for pk, family, sent_at in waiting.values_list("pk", "family", "enqueued_at")
        if sent_at is None or now - sent_at > requeue_after(family)
    ]


def _count_lost(attempts: QuerySet[Evaluation], outcome: AttemptOutcome) -> None:
    """Count attempts that their own process cannot count any more."""
    for family, count in Counter(attempts.values_list("family", flat=True)).items():
        attempt_count(family=family, outcome=outcome, attempts=count)


def evaluations_mark_enqueued(*, evaluation_ids: list[int], now: datetime) -> None:
    """Note that messages were sent."""
    Evaluation.objects.filter(pk__in=evaluation_ids).update(enqueued_at=now)


@transaction.atomic
def submission_retry(*, submission: Submission, actor: User | None, now: datetime) -> list[int]:
    """Set a submission's failed evaluations to waiting again; returns their ids.

    Evaluations of a dry run are left alone.
    """
    retried = evaluations_retry(submission.evaluations.filter(published=True), now=now)
    if retried:
        audit_submission(submission, "submission.retry", actor=actor, now=now)
    return retried


def evaluations_retry(evaluations: QuerySet[Evaluation], *, now: datetime) -> list[int]:
    """Set those of some evaluations that failed to waiting again; returns their ids.

    The signature is computed anew, since a model may have been installed since. An
    evaluation stays failed where another one of the submission has that signature.
    Call it within a transaction.
    """
    # The lock makes two retries queue up, so that neither meets rows half changed.
    failed = list(evaluations.select_for_update(of=("self",)).filter(state=EvaluationState.FAILED))
    return [row.pk for row in failed if _wait_again(row, references_of(row.reference_hash), now)]


def _wait_again(evaluation: Evaluation, references: References, now: datetime) -> bool:
    """Set a failed evaluation to waiting, or note why that would be in vain."""
    try:
        current = family_signature(evaluation.family, references, evaluation.parameters)
    except (ScoringError, ImportError) as error:
        evaluation.reason = str(error)[:300]
        evaluation.save(update_fields=["reason"])
        return False
    if _others_with(evaluation, current).exists():
        return False
    changed = Evaluation.objects.filter(pk=evaluation.pk, state=EvaluationState.FAILED).update(
        state=EvaluationState.PENDING,
        signature=current,
        attempts=0,
        retried_at=now,
        enqueued_at=None,
        finished_at=None,
        clips_done=0,
        reason="",
        detail="",
    )
    return changed == 1


def _others_with(evaluation: Evaluation, signature: str) -> QuerySet[Evaluation]:
    """Other evaluations of the same submission and family that have a signature."""
    return Evaluation.objects.filter(
        submission=evaluation.submission_id,
        family=evaluation.family,
        reference_hash=evaluation.reference_hash,
        signature=signature,
    ).exclude(pk=evaluation.pk)


def _update_or_lose(claim: Claim, **changes: object) -> None:
    changed = Evaluation.objects.filter(
        pk=claim.evaluation_id, token=claim.token, state=EvaluationState.RUNNING
    ).update(**changes)
    if changed != 1:
        raise LeaseLost


def result_row(evaluation: Evaluation, score: Score) -> MetricResult:
    """The unsaved row of a score."""
    return MetricResult(
        evaluation=evaluation,
        submission_id=evaluation.submission_id,
        metric=score.name,
        value=_number(score.value),
        low=_number(score.interval.low),
        high=_number(score.interval.high),
        coverage=score.coverage,
        clips=score.per_clip.size,
        signature=score.signature,
        scorer_version=scoring.__version__,
        per_clip=MetricResult.pack_per_clip(score.per_clip),
    )


def _number(value: float) -> float | None:
    """NaN and infinity are stored as NULL, which never ranks."""
    return float(value) if isfinite(value) else None
