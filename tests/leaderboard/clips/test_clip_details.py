"""Details of clips: stored with the scores or not at all, and read one clip at a time."""

from typing import Any

import numpy as np
import pytest
from pytest_django import DjangoAssertNumQueries, Settings

from earmark.registry import metrics_for, standard_families
from earmark.results import NO_INTERVAL
from earmark.results import MetricScore as Score
from leaderboard.leases import LeaseLost
from leaderboard.models import ClipDetails, Evaluation, EvaluationState, MetricResult, Submission
from leaderboard.models.evaluation import CLIPS_PER_BLOCK
from leaderboard.selectors.clips.corpus import clip_report, corpus_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.evaluations.states import (
    details_pack,
    evaluation_claim,
    evaluation_finish,
)
from tests.factories import NOW, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.evaluations.test_evaluations import LEASE

LIMIT = 1_000_000


def score(details: list[dict[str, Any]] | None, name: str = "vocab") -> Score:
    clips = 5 if details is None else len(details)
    return Score(name, 1.0, NO_INTERVAL, np.ones(clips, np.float32), f"{name}|v:0", details)


def finish_with(evaluation: Evaluation, details: list[dict[str, Any]] | None) -> None:
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE)
    assert claim is not None
    evaluation_finish(claim=claim, scores=[score(details)], now=NOW)


@pytest.fixture
def submission(cast: Cast) -> Submission:
    return submit(cast.phase, cast.team, now=NOW)


@pytest.fixture
def evaluation(submission: Submission) -> Evaluation:
    return submission.evaluations.get(family="vocab")


@pytest.mark.parametrize("clips", [1, CLIPS_PER_BLOCK, CLIPS_PER_BLOCK + 1, 3 * CLIPS_PER_BLOCK])
def test_every_clip_is_read_back_from_its_block(clips: int) -> None:
    details: list[dict[str, Any]] = [
        {"n": number, "text": f"a\n{number}\0é\ud800", "a": float("nan")} for number in range(clips)
    ]
    packed, _ = details_pack([score(details), score(details, "bleu_1")], limit=LIMIT)
    assert len(packed) == -(-clips // CLIPS_PER_BLOCK)
    blocks = {block.first_clip: block for block in packed}
    for number in range(clips):
        read = blocks[ClipDetails.first_of(number)].read_clip(number)
        assert read == details[number] | {"a": None}, "JSON has no such number"


def test_an_attempt_that_lost_its_lease_stores_no_details(evaluation: Evaluation) -> None:
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=NOW, lease=LEASE)
    assert claim is not None
    Evaluation.objects.update(token=99)
    with pytest.raises(LeaseLost):
        evaluation_finish(claim=claim, scores=[score([{"n": 1}] * 5)], now=NOW)
    assert not ClipDetails.objects.exists()


def test_scores_stand_where_details_are_too_large(
    evaluation: Evaluation, submission: Submission, settings: Settings
) -> None:
    settings.MAX_DETAILS_BYTES = 10
    finish_with(evaluation, [{"n": number} for number in range(5)])
    assert MetricResult.objects.filter(evaluation=evaluation).count() == 1
    assert not ClipDetails.objects.exists()
    family = next(
        row
        for row in clip_report(submission, corpus_of(submission), 0).families
        if row.name == "vocab"
    )
    assert family.details is None
    assert "larger than the limit of this installation" in family.note


def test_a_new_attempt_replaces_the_details(evaluation: Evaluation) -> None:
    for attempt in (1, 2):
        Evaluation.objects.update(state=EvaluationState.PENDING)
        finish_with(evaluation, [{"n": attempt}] * 5)
        (block,) = evaluation.clip_details.all()
        assert block.read_clip(3) == {"n": attempt}


# An attempt's heartbeat has a connection of its own; a transaction around the test would clash.
@pytest.mark.django_db(transaction=True)
def test_every_family_stores_details_that_can_be_read(
    submission: Submission, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """The real scorer: what each family says is JSON, complete, and about the right clip."""
    for evaluation in submission.evaluations.all():
        evaluation_attempt(evaluation_id=evaluation.pk)
    corpus = corpus_of(submission)
    with django_assert_num_queries(3):
        report = clip_report(submission, corpus, 1)
    assert report.line.file_name == "dog.wav"
    assert [family.name for family in report.families] == list(standard_families())
    assert [family.name for family in report.families if not family.details] == []
    shown = [metric.info.name for family in report.families for metric in family.metrics]
    assert sorted(shown) == sorted(metrics_for(several=False))
    by_name = {family.name: family for family in report.families}
    meteor = by_name["meteor"].details
    assert meteor is not None
    assert [row["candidate"] for row in meteor["matches"]][:2] == ["a", "dog"]
    stored = MetricResult.objects.get(submission=submission, metric="meteor")
    assert by_name["meteor"].metrics[0].value == float(stored.read_per_clip()[1])
