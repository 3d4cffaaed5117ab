"""One attempt at an evaluation, from claim to stored result."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from django.conf import settings

from earmark.errors import ResourceMissing, ScoringError
from earmark.results import MetricScore
from earmark.runtime import Progress
from leaderboard import log_context
from leaderboard.job_memory import memory_reason
from leaderboard.leases import TimeLimitExceeded, database_now
from leaderboard.models import AttemptOutcome, Evaluation
from leaderboard.scorer import family_signature, score_family
from leaderboard.selectors.clips.corpus import captions_of, references_of
from leaderboard.selectors.evaluations.turns import TURN, families_waiting, next_in_turn
from leaderboard.services.evaluations.states import (
    evaluation_claim,
    evaluation_finish,
    evaluation_renew,
)
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_attempt
from leaderboard.services.jobs.states import JobClaim
from leaderboard.services.outside.asking import outside_means
from leaderboard.services.workers import attempt_count


class SignatureChanged(ScoringError):
    """The worker computes something else than what was asked for; ``found`` is what it has."""

    def __init__(self, wanted: str, signature: str) -> None:
        super().__init__(
            f"The scorer changed while this was waiting (asked for {wanted}, the worker has "
            f"{signature}). Retry to score with the present scorer."
        )
        self.found = signature


# The first that an error is one of.
OUTCOMES: dict[type[BaseException], AttemptOutcome] = {
    TimeLimitExceeded: AttemptOutcome.TIME_LIMIT,
    SignatureChanged: AttemptOutcome.SCORER_CHANGED,
    ResourceMissing: AttemptOutcome.MODEL_MISSING,
    ImportError: AttemptOutcome.MODEL_MISSING,
    ScoringError: AttemptOutcome.REFUSED,
}


def clips_note(progress: JobProgress, _family: str, done: int, _total: int) -> None:
    """Note clips done; raises what ended the right to go on."""
    progress.note(clips_done=done)


# Each time that a claim comes too late another worker has begun something.
MAX_CLAIMS = 100
# By queues the submission whose turn it is in this process, and when the turn began.
_turns: dict[frozenset[str], tuple[int, datetime]] = {}


def evaluation_attempt_in_turn(*queues: str) -> int | None:
    """Attempt the evaluation of some queues whose turn it is; its id, None where none waits."""
    claim = _claim_in_turn(frozenset(queues))
    if claim is None:
        return None
    log_context.job.set(f"evaluation_run({claim.pk})")
    _attempt_claimed(claim)
    return claim.pk


def _claim_in_turn(queues: frozenset[str]) -> JobClaim | None:
    now = database_now()
    submission, began = _turns.get(queues, (None, now))
    current = submission if now - began < TURN else None
    for _ in range(MAX_CLAIMS):
        candidate = next_in_turn(queues=queues, current=current)
        if candidate is None:
            return None
        claim = evaluation_claim(
            evaluation_id=candidate.evaluation_id, now=database_now(), lease=settings.LEASE
        )
        if claim is not None:
            if candidate.submission_id != current and not candidate.ahead:
                _turns[queues] = (candidate.submission_id, now)
            return claim
    return None


def evaluation_attempt(*, evaluation_id: int) -> None:
    """Claim an evaluation, compute it and store the result; do nothing if it is taken."""
    claim = evaluation_claim(evaluation_id=evaluation_id, now=database_now(), lease=settings.LEASE)
    if claim is not None:
        _attempt_claimed(claim)


def _attempt_claimed(claim: JobClaim) -> None:
    began = database_now()
    family, *of = Evaluation.objects.values_list(
        "family", "submission__public_id", "submission__phase__slug"
    ).get(pk=claim.pk)

    def count(outcome: AttemptOutcome) -> None:
        attempt_count(family=family, outcome=outcome, took=database_now() - began)

    progress = JobProgress(claim, limit=settings.TIME_LIMIT)
    about = f": {family} of {of[0]} in {of[1]}"
    error = job_attempt(progress, partial(_score, progress, count), about)
    if error is not None and memory_reason(error):
        count(AttemptOutcome.MEMORY)
    elif error is not None:
        outcomes = (outcome for kind, outcome in OUTCOMES.items() if isinstance(error, kind))
        count(next(outcomes, AttemptOutcome.UNEXPECTED))


def _score(progress: JobProgress, count: Callable[[AttemptOutcome], None]) -> None:
    claim = progress.claim
    try:
        scores = _scores(claim.pk, partial(clips_note, progress))
    except SignatureChanged as error:
        if not evaluation_renew(claim=claim, signature=error.found):
            raise
        count(AttemptOutcome.SCORER_CHANGED)
        return
    connection_renew()
    evaluation_finish(claim=claim, scores=scores, now=database_now())
    count(AttemptOutcome.DONE)


def _scores(evaluation_id: int, progress: Progress) -> list[MetricScore]:
    evaluation = Evaluation.objects.select_related("submission__phase").get(pk=evaluation_id)
    references = references_of(evaluation.reference_hash)
    signature = family_signature(evaluation.family, references, evaluation.parameters)
    if signature != evaluation.signature:
        raise SignatureChanged(evaluation.signature, signature)
    file = evaluation.submission.file_id, evaluation.submission.file_name
    candidates = captions_of(*file, evaluation.reference_hash)
    own = evaluation.parameters
    with outside_means(evaluation) as means:
        return score_family(
            evaluation.family,
            candidates,
            references,
            progress,
            own,
            means,
            others=partial(families_waiting, evaluation.submission_id),
        )
