"""A release of the scorer makes no score incomparable and fails nothing that waits."""

import re
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.urls import reverse

import earmark
from earmark.metrics.vocab.metric import Vocab
from earmark.registry import standard_families
from leaderboard import scorer
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    MetricResult,
    RankSnapshot,
    SnapshotReason,
    Submission,
)
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.ranking.snapshots import digest, whole_ranking
from leaderboard.selectors.visibility.visible_submissions import frozen_ranking
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.evaluations.states import evaluations_sweep
from leaderboard.services.jobs.states import MAX_ATTEMPTS
from tests.factories import NOW, finish, submit
from tests.leaderboard.conftest import Cast

MIGRATION = import_module("leaderboard.migrations.0012_signature_revisions")
REVISED = re.compile(r"\|r:\d+$")
VERSIONED = "|v:0.1.0"


@pytest.fixture
def waiting(cast: Cast) -> Evaluation:
    return submit(cast.phase, cast.team, user=cast.member, now=NOW).evaluations.get(family="vocab")


def reread(evaluation: Evaluation) -> Evaluation:
    return Evaluation.objects.get(pk=evaluation.pk)


def versioned(signature: str) -> str:
    """Write a signature as version 0.1.0 did."""
    assert REVISED.search(signature)
    return REVISED.sub(VERSIONED, signature)


def test_a_release_leaves_scores_comparable_and_what_waits_is_scored(
    cast: Cast, waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = submit(cast.phase, cast.team, user=cast.member, name="Older", now=NOW)
    for evaluation in older.evaluations.filter(family__in=("vocab", "cider_d")):
        evaluation_attempt(evaluation_id=evaluation.pk)
    references = references_of(waiting.reference_hash)
    before = {name: scorer.family_signature(name, references) for name in standard_families()}

    monkeypatch.setattr(earmark, "__version__", "7.0.0")
    after = {name: scorer.family_signature(name, references) for name in standard_families()}
    assert after == before
    newer = waiting.submission
    for evaluation in newer.evaluations.filter(family__in=("vocab", "cider_d")):
        evaluation_attempt(evaluation_id=evaluation.pk)
    assert reread(waiting).state == EvaluationState.DONE
    rows = MetricResult.objects.filter(metric="cider_d").order_by("submission_id")
    assert len({row.signature for row in rows}) == 1
    versions = {row.submission_id: row.scorer_version for row in rows}
    assert versions == {older.pk: "0.1.0", newer.pk: "7.0.0"}

    client = cast.client(cast.member)
    challenge = cast.phase.challenge.slug
    page = client.get(reverse("leaderboard:board", args=[challenge, cast.phase.slug]))
    assert "Not comparable" not in page.content.decode()
    system = client.get(reverse("leaderboard:system", args=[newer.public_id])).content.decode()
    signature = newer.results.get(metric="cider_d").signature
    assert f'title="{signature}, computed by version 7.0.0"' in system


def test_what_waits_under_another_signature_is_queued_again_and_scored(waiting: Evaluation) -> None:
    current = waiting.signature
    Evaluation.objects.filter(pk=waiting.pk).update(signature=versioned(current), enqueued_at=NOW)
    evaluation_attempt(evaluation_id=waiting.pk)
    found = reread(waiting)
    assert (found.state, found.signature) == (EvaluationState.PENDING, current)
    assert (found.enqueued_at, found.lease_expires_at, found.reason) == (None, None, "")
    assert waiting.pk in evaluations_sweep(now=NOW, requeue_after=lambda _: NOW - NOW)
    for _ in range(2):  # Delivered twice, it is stored once.
        evaluation_attempt(evaluation_id=waiting.pk)
    assert reread(waiting).state == EvaluationState.DONE
    assert [row.signature for row in found.results.all()] == [current]


def test_workers_that_differ_do_not_hand_it_to_each_other_for_ever(
    waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for attempt in range(MAX_ATTEMPTS):
        assert reread(waiting).state == EvaluationState.PENDING
        monkeypatch.setattr(Vocab, "revision", attempt + 2)
        evaluation_attempt(evaluation_id=waiting.pk)
    found = reread(waiting)
    assert found.state == EvaluationState.FAILED
    assert "The scorer changed while this was waiting" in found.reason


def test_it_is_not_computed_where_another_evaluation_has_the_signature(waiting: Evaluation) -> None:
    current = waiting.signature
    Evaluation.objects.filter(pk=waiting.pk).update(signature=versioned(current))
    other = reread(waiting)
    other.pk, other.published, other.signature = None, False, current
    other.save()
    evaluation_attempt(evaluation_id=waiting.pk)
    assert reread(waiting).state == EvaluationState.FAILED
    assert reread(other).state == EvaluationState.PENDING


def test_a_claim_that_was_lost_renews_nothing(
    waiting: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(name: str, references: Any, own: Any) -> str:
        Evaluation.objects.filter(pk=waiting.pk).update(token=99)
        return "vocab|another"

    monkeypatch.setattr("leaderboard.services.evaluations.attempts.family_signature", overtaken)
    evaluation_attempt(evaluation_id=waiting.pk)
    found = reread(waiting)
    assert (found.state, found.signature) == (EvaluationState.RUNNING, waiting.signature)


@pytest.fixture
def stored(cast: Cast) -> Submission:
    """A scored submission whose signatures end in the version."""
    submission = submit(cast.phase, cast.team, user=cast.member, now=NOW)
    finish(submission)
    for evaluation in Evaluation.objects.all():
        Evaluation.objects.filter(pk=evaluation.pk).update(
            signature=versioned(evaluation.signature)
        )
    for result in MetricResult.objects.all():
        former = versioned(result.signature)
        MetricResult.objects.filter(pk=result.pk).update(signature=former, scorer_version="")
    return submission


def test_a_ranking_that_was_frozen_before_stays_as_it_is_and_compares(
    cast: Cast, stored: Submission
) -> None:
    """Snapshots can only be added to, and their digests stand in the audit log."""
    content = whole_ranking(cast.phase, NOW)
    snapshot = RankSnapshot.objects.create(
        phase=cast.phase,
        reason=SnapshotReason.FREEZE,
        taken_at=NOW,
        ranking_metric=cast.phase.ranking_metric,
        precision=cast.phase.precision,
        content=content,
        sha256=digest(content),
    )
    MIGRATION.revisions_write(apps, None)
    kept = RankSnapshot.objects.get(pk=snapshot.pk)
    assert all(signature.endswith(VERSIONED) for signature in kept.content["signatures"])
    assert digest(kept.content) == kept.sha256
    today = set(MetricResult.objects.values_list("signature", flat=True))
    frozen = frozen_ranking(cast.phase.pk, NOW).systems.values()
    assert {one.signature for row in frozen for one in row.values.values()} == today
