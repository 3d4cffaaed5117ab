"""What evaluations add to the states of jobs: signatures, results, notices, trying again."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from math import isfinite

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

import earmark
from earmark.captions import References
from earmark.errors import ScoringError
from earmark.results import MetricScore as Score
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
from leaderboard.models.challenge import families_for
from leaderboard.models.evaluation import CLIPS_PER_BLOCK
from leaderboard.scorer import family_signature
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.services.audit_log import audit_record
from leaderboard.services.jobs.states import (
    MAX_ATTEMPTS,
    JobClaim,
    JobFailure,
    JobKind,
    job_claim,
    job_finish,
    jobs_take_back,
)
from leaderboard.services.people.notices import scoring_notice_send
from leaderboard.services.workers import attempt_count
from leaderboard.web.redaction import without_paths

logger = logging.getLogger(__name__)


def over_time_limit() -> JobFailure:
    """Why an attempt was ended that ran for too long."""
    minutes = settings.TIME_LIMIT.total_seconds() / 60
    return JobFailure(f"It took longer than the limit of {minutes:g} minutes.")


def _notify(evaluation_id: int, now: datetime) -> None:
    failed = Evaluation.objects.only("submission_id").get(pk=evaluation_id)
    scoring_notice_send(submission_id=failed.submission_id, now=now)


def _count_lost(attempts: QuerySet[Evaluation], outcome: AttemptOutcome) -> None:
    """Count attempts that their own process cannot count any more."""
    for family, count in Counter(attempts.values_list("family", flat=True)).items():
        attempt_count(family=family, outcome=outcome, attempts=count)


EVALUATIONS = JobKind(
    Evaluation,
    worker_lost="The worker stopped three times while computing this. "
    "An administrator of this site can find the reason in the worker's log.",
    over_limit=over_time_limit,
    ended=_notify,
    lost=_count_lost,
    # Those whose lease was renewed until the time limit.
    stuck=lambda: Q(
        lease_expires_at__gte=F("started_at") + settings.TIME_LIMIT + settings.LEASE / 2
    ),
)


def evaluations_create(*, submission: Submission, references: References, now: datetime) -> None:
    """Add an evaluation for each metric family that the phase computes, waiting for a worker.

    A family whose model is missing on this installation is failed at once,
    with the reason; the others wait. The caller holds the lock of the phase.
    """
    # Not those of an instance that was read before a rescoring was published.
    rules = Phase.objects.values_list("parameters", "metrics")
    own, metrics = rules.get(pk=submission.phase_id)
    evaluations = []
    for name in families_for(metrics, own):
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
            evaluation.reason = _unavailable(name, error)
        evaluations.append(evaluation)
    Evaluation.objects.bulk_create(evaluations)


def _unavailable(family: str, error: Exception) -> str:
    """Tell the log why a family cannot be computed here; returns it for those who take part."""
    logger.warning("%s cannot be computed here: %s", family, error)
    return without_paths(str(error))[:300]


def evaluation_claim(*, evaluation_id: int, now: datetime, lease: timedelta) -> JobClaim | None:
    """Claim a waiting evaluation; returns None where another worker has it or it is finished."""
    return job_claim(
        kind=EVALUATIONS, pk=evaluation_id, now=now, lease=lease, started_at=now, clips_done=0
    )


def evaluation_finish(*, claim: JobClaim, scores: list[Score], now: datetime) -> None:
    """Store results, details and the final state together, or raise ``LeaseLost``."""
    # Before the transaction, in which others would have to wait for the packing.
    blocks, note = details_pack(scores, limit=settings.MAX_DETAILS_BYTES)
    with transaction.atomic():
        job_finish(claim=claim, now=now, clips_done=F("clips_total"), details_note=note)
        evaluation = Evaluation.objects.only("submission_id").get(pk=claim.pk)
        MetricResult.objects.filter(evaluation=evaluation).delete()
        MetricResult.objects.bulk_create(result_row(evaluation, score) for score in scores)
        ClipDetails.objects.filter(evaluation=evaluation).delete()
        for block in blocks:
            block.evaluation = evaluation
        ClipDetails.objects.bulk_create(blocks)
        scoring_notice_send(submission_id=evaluation.submission_id, now=now)


def details_pack(scores: Iterable[Score], *, limit: int) -> tuple[list[ClipDetails], str]:
    """Pack the details of a family, whose metrics share them, into rows of no evaluation yet.

    If they take more than ``limit`` bytes (compressed), there is none, and the text says so; the
    scores are stored all the same.
    """
    details = next((score.details for score in scores if score.details is not None), ())
    blocks, size = [], 0
    for first in range(0, len(details), CLIPS_PER_BLOCK):
        after = first + CLIPS_PER_BLOCK
        content = ClipDetails.pack(details[first:after])
        size += len(content)
        if size > limit:
            return [], (
                f"The details were not stored: those of the first {after:,} of {len(details):,} "
                f"clips alone are larger than the limit of this installation, {limit / 1e6:g} MB "
                "for each metric family of a system."
            )
        blocks.append(ClipDetails(first_clip=first, content=content))
    return blocks, ""


@transaction.atomic
def evaluation_renew(*, claim: JobClaim, signature: str) -> bool:
    """Set a claimed evaluation to waiting again, under the signature that is computed now.

    Returns False, with nothing changed, after the last attempt (two workers that differ
    could hand it to each other for ever), where another evaluation of the submission has
    that signature, or where the claim was lost.
    """
    claimed = Evaluation.objects.filter(
        pk=claim.pk,
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


def evaluations_sweep(*, now: datetime, requeue_after: Callable[[str], timedelta]) -> list[int]:
    """Take back what was lost; return the ids that must be sent to the queue.

    Those that were committed but never sent, or sent so long ago that the
    message must be taken for lost: after a pause that depends on the family.
    """
    jobs_take_back(kind=EVALUATIONS, now=now)
    waiting = Evaluation.objects.filter(state=EvaluationState.PENDING).order_by("id")
    return [
        pk
        for pk, family, sent_at in waiting.values_list("pk", "family", "enqueued_at")
        if sent_at is None or now - sent_at > requeue_after(family)
    ]


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
        audit_record("submission.retry", submission, actor=actor, now=now)
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
        evaluation.reason = _unavailable(evaluation.family, error)
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
        scorer_version=earmark.__version__,
        per_clip=MetricResult.pack_per_clip(score.per_clip),
    )


def _number(value: float) -> float | None:
    """NaN and infinity are stored as NULL, which never ranks."""
    return float(value) if isfinite(value) else None
