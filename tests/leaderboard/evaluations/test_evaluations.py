"""The job engine: one attempt at a time, results once, nothing lost, nothing stuck."""

import logging
from datetime import timedelta

import numpy as np
import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model
from pytest_django import Settings

from earmark.registry import standard_families
from earmark.results import Interval
from earmark.results import MetricScore as Score
from leaderboard.job_tasks import kinds_sweep
from leaderboard.leases import LeaseLost, TimeLimitExceeded
from leaderboard.models import Evaluation, EvaluationState, MetricResult, Notice, Submission
from leaderboard.services.evaluations import attempts
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.evaluations.states import (
    evaluation_claim,
    evaluation_finish,
    evaluations_mark_enqueued,
    evaluations_sweep,
    submission_retry,
)
from leaderboard.services.jobs import attempts as job_attempts
from leaderboard.services.jobs.states import MAX_ATTEMPTS, JobFailure, job_fail, job_renew
from tests.factories import NOW, finish, finish_evaluation, submit
from tests.leaderboard.conftest import Cast

LEASE = timedelta(seconds=60)
REQUEUE = timedelta(minutes=5)
SCORES = [Score("vocab", 7.0, Interval(6, 8), np.array([1, 2, np.nan, 4, 5], "f4"), "vocab|v:0")]


@pytest.fixture
def submission(cast: Cast) -> Submission:
    return submit(cast.phase, cast.team, user=cast.member, now=NOW)


@pytest.fixture
def evaluation(submission: Submission) -> Evaluation:
    return submission.evaluations.get(family="vocab")


def reread(evaluation: Evaluation) -> Evaluation:
    return Evaluation.objects.get(pk=evaluation.pk)


def test_a_submission_waits_once_for_each_family(
    submission: Submission, evaluation: Evaluation
) -> None:
    found = submission.evaluations.values_list("family", "state")
    assert sorted(found) == sorted((name, "pending") for name in standard_families())
    evaluation.pk, evaluation.published = None, False
    with pytest.raises(IntegrityError), transaction.atomic():
        evaluation.save()


def test_a_model_that_is_missing_is_told_with_its_path_in_the_log_alone(
    cast: Cast, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    waits = submit(cast.phase, cast.team, name="Before").evaluations.get(family="sbert")
    settings.SCORING_PARAMETERS = {"sbert": {"encoder": "/srv/models/gone"}}
    with caplog.at_level(logging.INFO):
        evaluation_attempt(evaluation_id=waits.pk)
    # A line says what the worker is at.
    assert f"begins: sbert of {waits.submission.public_id} in " in caplog.text
    late = submit(cast.phase, cast.team, name="After")
    failed = late.evaluations.exclude(state=EvaluationState.PENDING).get()
    for found in (reread(waits), failed):
        assert found.state == EvaluationState.FAILED
        assert "'gone' is not on this machine" in found.reason
        assert "/srv" not in found.reason
    assert submission_retry(submission=late, actor=cast.member, now=NOW) == []
    assert "/srv" not in reread(failed).reason
    assert caplog.text.count("'/srv/models/gone' is not on this machine") == 3


def test_results_and_state_are_stored_together(
    submission: Submission, evaluation: Evaluation
) -> None:
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE)
    assert claim is not None
    assert evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE) is None
    evaluation_finish(claim=claim, scores=SCORES, now=NOW)
    row = MetricResult.objects.get(evaluation=evaluation)
    assert (row.value, row.low, row.high, row.coverage, row.clips) == (7.0, 6.0, 8.0, 4, 5)
    np.testing.assert_array_equal(row.read_per_clip(), SCORES[0].per_clip)
    assert reread(evaluation).state == EvaluationState.DONE
    other = submission.evaluations.get(family="bleu")
    claim = evaluation_claim(evaluation_id=other.pk, now=NOW, lease=LEASE)
    assert claim is not None
    nothing = Score("bleu_1", np.nan, Interval(np.nan, np.inf), np.full(5, np.nan, "f4"), "bleu")
    evaluation_finish(claim=claim, scores=[nothing], now=NOW)
    row = MetricResult.objects.get(evaluation=other)
    assert (row.value, row.low, row.high, row.coverage) == (None, None, None, 0)


def test_an_attempt_that_lost_its_lease_can_write_nothing(evaluation: Evaluation) -> None:
    first = evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE)
    assert first is not None
    later = NOW + 2 * LEASE
    assert evaluation.pk in evaluations_sweep(now=later, requeue_after=lambda _: REQUEUE)
    second = evaluation_claim(evaluation_id=evaluation.pk, now=later, lease=LEASE)
    assert second is not None
    with pytest.raises(LeaseLost):
        job_renew(claim=first, clips_done=3, now=later, lease=LEASE)
    with pytest.raises(LeaseLost):
        evaluation_finish(claim=first, scores=SCORES, now=later)
    job_fail(claim=first, failure=JobFailure("late"), now=later)
    assert reread(evaluation).state == EvaluationState.RUNNING
    evaluation_finish(claim=second, scores=SCORES, now=later)
    with pytest.raises(LeaseLost):
        evaluation_finish(claim=second, scores=SCORES, now=later)
    assert MetricResult.objects.filter(evaluation=evaluation).count() == 1


def test_what_was_never_sent_is_sent_and_what_was_sent_or_beats_is_left_alone(
    submission: Submission, evaluation: Evaluation
) -> None:
    waiting = evaluations_sweep(now=NOW, requeue_after=lambda _: REQUEUE)
    assert waiting == list(submission.evaluations.order_by("pk").values_list("pk", flat=True))
    evaluations_mark_enqueued(evaluation_ids=waiting, now=NOW)
    assert evaluations_sweep(now=NOW + REQUEUE / 2, requeue_after=lambda _: REQUEUE) == []
    # A message lost on the way is sent again.
    assert evaluations_sweep(now=NOW + 2 * REQUEUE, requeue_after=lambda _: REQUEUE) == waiting
    # A beat keeps the lease and shows progress.
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE)
    assert claim is not None
    job_renew(claim=claim, clips_done=3, now=NOW + LEASE / 2, lease=LEASE)
    later = NOW + 1.2 * LEASE
    assert evaluation.pk not in evaluations_sweep(now=later, requeue_after=lambda _: REQUEUE)
    assert reread(evaluation).clips_done == 3


def test_three_lost_workers_end_in_a_reason_and_a_retry_gives_three_new_attempts(
    submission: Submission, evaluation: Evaluation, cast: Cast
) -> None:
    now = NOW
    for _ in range(MAX_ATTEMPTS):
        assert evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=LEASE) is not None
        now += 2 * LEASE
        evaluations_sweep(now=now, requeue_after=lambda _: REQUEUE)
    row = reread(evaluation)
    assert row.state == EvaluationState.FAILED
    assert "worker stopped" in row.reason
    assert evaluation_claim(evaluation_id=evaluation.pk, now=now, lease=LEASE) is None
    assert submission_retry(submission=submission, actor=cast.member, now=NOW) == [evaluation.pk]
    row = reread(evaluation)
    assert (row.state, row.attempts, row.reason) == (EvaluationState.PENDING, 0, "")
    assert submission_retry(submission=submission, actor=cast.member, now=NOW) == []
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE)
    assert claim is not None
    job_fail(claim=claim, failure=JobFailure("no model"), now=NOW)
    assert reread(evaluation).state == EvaluationState.FAILED, "no retry mends this"


def test_retry_leaves_alone_what_another_evaluation_computes(
    submission: Submission, evaluation: Evaluation
) -> None:
    """An older scorer's evaluation failed, and the present scorer's waits already."""
    Evaluation.objects.filter(pk=evaluation.pk).update(
        signature="vocab|v:old", state=EvaluationState.FAILED, reason="Out of memory."
    )
    newer = Evaluation.objects.create(
        submission=submission,
        family="vocab",
        reference_hash=evaluation.reference_hash,
        signature=evaluation.signature,
        published=False,
        created_at=NOW,
    )
    assert submission_retry(submission=submission, actor=None, now=NOW) == []
    assert reread(evaluation).reason == "Out of memory."
    assert reread(newer).state == EvaluationState.PENDING


def test_a_family_that_the_scorer_no_longer_has_fails_alone(
    submission: Submission, evaluation: Evaluation
) -> None:
    """It must not keep the sweep from sending all that comes after it."""
    Evaluation.objects.filter(pk=evaluation.pk).update(family="gone", signature="gone|v:0")
    kinds_sweep()
    assert not submission.evaluations.filter(enqueued_at=None).exists()
    evaluation_attempt(evaluation_id=evaluation.pk)
    assert reread(evaluation).state == EvaluationState.FAILED
    assert reread(evaluation).reason == (
        "This version of the scorer has no metric family 'gone' any more."
    )


def test_an_unexpected_error_is_tried_three_times_and_one_over_the_time_limit_once(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Parallel test runs cannot pass such text on either, so that it stays out of the log.
    caplog.set_level(logging.CRITICAL + 1, logger=job_attempts.__name__)
    errors: list[Exception] = [ValueError("half a character \ud83d and \0"), TimeLimitExceeded()]

    def fail(*_args: object, **_more: object) -> None:
        raise errors[0]

    monkeypatch.setattr(attempts, "score_family", fail)
    for _ in range(MAX_ATTEMPTS):
        assert reread(evaluation).state == EvaluationState.PENDING
        evaluation_attempt(evaluation_id=evaluation.pk)
    found = reread(evaluation)
    assert (found.state, found.reason) == (EvaluationState.FAILED, "Unexpected error (ValueError).")
    assert r"half a character \ud83d and \0" in found.detail
    del errors[0]
    Evaluation.objects.filter(pk=evaluation.pk).update(state=EvaluationState.PENDING, attempts=0)
    evaluation_attempt(evaluation_id=evaluation.pk)
    assert reread(evaluation).state == EvaluationState.FAILED
    assert "limit of 30 minutes" in reread(evaluation).reason


def test_what_was_accepted_stays_readable(evaluation: Evaluation, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = 10
    evaluation_attempt(evaluation_id=evaluation.pk)
    assert reread(evaluation).state == EvaluationState.DONE


def test_what_tests_finish_together_is_as_the_engine_leaves_it(cast: Cast) -> None:
    """Of a submission that ``finish`` made no page may say anything else than of a real one."""
    together, one_by_one = (
        submit(cast.phase, cast.team, user=cast.member, now=NOW) for _ in range(2)
    )
    finish(together)
    generator = np.random.default_rng(0)
    for evaluation in one_by_one.evaluations.all():
        finish_evaluation(evaluation, value=0.5, generator=generator)

    def rows(model: type[Model], of: Submission) -> list[dict[str, object]]:
        own = {"id", "submission_id", "evaluation_id", "started_at", "finished_at"}
        columns = [field.attname for field in model._meta.concrete_fields]
        found = model._base_manager.filter(submission=of).order_by("pk")
        return list(found.values(*(name for name in columns if name not in own)))

    for model in (Evaluation, MetricResult):
        assert len(rows(model, together)) >= len(standard_families())
        assert rows(model, together) == rows(model, one_by_one)
    for submission in (together, one_by_one):
        assert not submission.evaluations.filter(started_at=None).exists()
        assert not submission.evaluations.filter(finished_at=None).exists()
        assert Notice.objects.get(submission=submission, user=cast.member).kind == "scored"
