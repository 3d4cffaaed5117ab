"""Protect what the API reads out: the numbers, their order, their precision."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from earmark.registry import METRICS, metrics_for, standard_families
from leaderboard.models import ClipDetails, Evaluation, EvaluationState, MetricResult, Submission
from tests.factories import REFERENCES, PhaseFactory, TeamFactory, finish, submit
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.conftest import Cast


@pytest.fixture
def submission(cast: Cast) -> Submission:
    found = submit(cast.phase, cast.team, user=cast.member, name="Listener")
    finish(found, value=0.5)
    return found


def board_path(cast: Cast) -> str:
    return f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}/leaderboard"


def test_the_registry_is_all_there_and_valid_json(db: None) -> None:
    found = body(caller(None).get("/metrics"))
    assert [row["name"] for row in found] == list(METRICS)
    vocab = next(row for row in found if row["name"] == "vocab")
    # Unbounded above: JSON has no infinity.
    assert (vocab["name"], vocab["low"], vocab["high"]) == ("vocab", 0.0, None)


def test_challenges_stand_by_title(cast: Cast) -> None:
    for title in ("b", "a", "c"):
        PhaseFactory.create(challenge__title=title, challenge__slug=f"slug-{title}")
    titles = [row["title"] for row in body(caller(None).get("/challenges"))]
    assert titles == ["Challenge " + cast.phase.challenge.slug.split("-")[1], "a", "b", "c"]


def test_a_challenge_tells_the_rules_of_its_phases(cast: Cast) -> None:
    cast.rules(
        opens_at=datetime(2026, 1, 1, tzinfo=UTC),
        closes_at=datetime(2026, 2, 1, 12, 30, tzinfo=UTC),
        quota_per_day=3,
        position=1,
    )
    bare = PhaseFactory.create(challenge=cast.phase.challenge, reference_set=None, position=0)
    found = body(caller(None).get(f"/challenges/{cast.phase.challenge.slug}"))
    assert [row["slug"] for row in found["phases"]] == [bare.slug, cast.phase.slug]
    assert found["phases"][0]["clips"] is None
    assert found["phases"][1] == {
        "slug": cast.phase.slug,
        "name": cast.phase.name,
        "is_open": False,
        "opens_at": "2026-01-01T00:00:00Z",
        "closes_at": "2026-02-01T12:30:00Z",
        "clips": 5,
        "ranking_metric": "cider_d",
        "ranking_label": "CIDEr-D",
        "metrics": list(metrics_for(several=True)),
        "direction": "higher",
        "precision": 3,
        "counting": "best",
        "quota_per_day": 3,
        "quota_total": None,
        "quota_shared": True,
        "systems_per_team": None,
        "references_public": True,
        "scores_public": True,
        "captions_sent_to": "",
    }
    alone = caller(None).get(f"/phases/{cast.phase.challenge.slug}/{cast.phase.slug}")
    assert body(alone) == found["phases"][1]


def test_scores_are_those_of_the_database_to_the_last_digit(
    cast: Cast, submission: Submission
) -> None:
    found = body(caller(None).get(f"/submissions/{submission.public_id}"))
    assert (found["state"], found["progress"]) == ("scored", 1.0)
    assert list(found["metrics"]) == list(metrics_for(several=True))
    for row in MetricResult.objects.filter(submission=submission):
        assert found["metrics"][row.metric] == {
            "value": row.value,
            "low": row.low,
            "high": row.high,
            "coverage": row.coverage,
            "clips": row.clips,
            "signature": row.signature,
            "label": METRICS[row.metric].label,
            "scorer_version": row.scorer_version,
            "note": METRICS[row.metric].note(row.coverage, row.clips, row.clips),
        }
    alone = body(caller(None).get(f"/submissions/{submission.public_id}/metrics"))
    assert alone == {"id": submission.public_id, "state": "scored", "metrics": found["metrics"]}


def test_a_failed_family_says_why_and_has_no_scores(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    Evaluation.objects.filter(submission=submission, family="meteor").update(
        state=EvaluationState.FAILED, reason="The paraphrase table is missing.", detail="secret"
    )
    response = caller(None).get(f"/submissions/{submission.public_id}")
    found = body(response)
    by_name = {row["family"]: row for row in found["families"]}
    assert by_name["meteor"]["state"] == "failed"
    assert by_name["meteor"]["reason"] == "The paraphrase table is missing."
    assert by_name["meteor"]["clips_total"] == 5
    assert "meteor" not in found["metrics"]
    assert b"secret" not in response.content


def test_values_of_clips_come_in_reference_order_with_null_for_nothing(
    cast: Cast, submission: Submission
) -> None:
    values = np.array([0.1, math.nan, 0.3, math.inf, 1 / 3], dtype=np.float32)
    MetricResult.objects.filter(submission=submission, metric="meteor").update(
        per_clip=MetricResult.pack_per_clip(values)
    )
    found = body(caller(None).get(f"/submissions/{submission.public_id}/clips?metric=meteor"))
    assert [row["file_name"] for row in found["clips"]] == list(REFERENCES.file_names)
    got = [row["value"] for row in found["clips"]]
    # float32 values widen to doubles without loss.
    assert got == [float(values[0]), None, float(values[2]), None, float(values[4])]


CLIPS = {
    "": ([1, 2, 3, 4, 5], 5),
    "&sort=worst": ([3, 1, 4, 2, 5], 5),
    "&sort=best": ([4, 1, 3, 2, 5], 5),
    "&sort=worst&limit=2": ([3, 1], 5),
    "&sort=worst&limit=2&offset=4": ([5], 5),
    "&offset=9": ([], 5),
    "&q=DOG": ([2], 1),
    "&q=a+bell": ([5], 1),
}


def test_clips_are_sorted_searched_and_cut(cast: Cast, submission: Submission) -> None:
    values = np.array([0.2, math.nan, 0.1, 0.7, math.nan], dtype=np.float32)
    MetricResult.objects.filter(submission=submission, metric="meteor").update(
        per_clip=MetricResult.pack_per_clip(values)
    )
    path = f"/submissions/{submission.public_id}/clips"
    for query, (numbers, total) in CLIPS.items():
        found = body(caller(None).get(f"{path}?metric=meteor{query}"))
        assert ([row["number"] for row in found["clips"]], found["total"]) == (numbers, total)
    for query, status in (("", 422), ("?metric=", 404), ("?metric=bogus", 404)):
        problem(caller(None).get(path + query), status)


def test_one_clip_has_captions_scores_and_details(cast: Cast, submission: Submission) -> None:
    evaluation = submission.evaluations.get(family="meteor")
    rows = [{"matches": [], "precision": number / 4} for number in range(5)]
    ClipDetails.objects.create(evaluation=evaluation, first_clip=0, content=ClipDetails.pack(rows))
    path = f"/submissions/{submission.public_id}/clips"
    found = body(caller(None).get(f"{path}/bell%2C%20small.wav"))
    assert (found["number"], found["clips"]) == (5, 5)
    assert found["file_name"] == "bell, small.wav"
    assert found["caption"] == "a bell rings"
    assert found["references"] == list(REFERENCES.clips[4].references)
    assert list(found["metrics"]) == list(metrics_for(several=True))
    stored = MetricResult.objects.get(submission=submission, metric="meteor")
    assert found["metrics"]["meteor"] == {
        "value": float(stored.read_per_clip()[4]),
        "corpus": stored.value,
        "signature": stored.signature,
    }
    assert found["details"] == {"meteor": {"matches": [], "precision": 1.0}}
    assert set(found["notes"]) == set(standard_families()) - {"meteor"}
    assert "no clip of this name" in problem(caller(None).get(f"{path}/none.wav"), 404)["detail"]


def test_clips_of_a_metric_that_is_not_scored_yet(cast: Cast) -> None:
    waiting = submit(cast.phase, cast.team)
    response = caller(None).get(f"/submissions/{waiting.public_id}/clips?metric=meteor")
    assert "METEOR has no scores" in problem(response, 404)["detail"]


def test_the_board_ranks_one_system_per_team_or_all(cast: Cast, submission: Submission) -> None:
    better = submit(cast.phase, cast.team, name="Better")
    finish(better, value=0.8)
    rival = TeamFactory.create()
    third = submit(cast.phase, rival, name="Third")
    waiting = submit(cast.phase, TeamFactory.create(), name="Waiting")
    finish(third, value=0.2)

    found = body(caller(None).get(board_path(cast)))
    assert found["ranking_metric"] == "cider_d"
    ids = [(row["rank"], row["id"]) for row in found["rows"]]
    assert ids == [(1, better.public_id), (2, third.public_id), (None, waiting.public_id)]
    stored = MetricResult.objects.get(submission=better, metric="cider_d")
    assert found["rows"][0]["metrics"]["cider_d"]["value"] == stored.value
    assert found["rows"][0]["team"] == cast.team.slug
    assert found["rows"][2]["state"] in {"waiting", "partly"}

    every = body(caller(None).get(board_path(cast) + "?systems=all"))["rows"]
    assert [(row["rank"], row["counts"], row["id"]) for row in every] == [
        (1, True, better.public_id),
        (2, False, submission.public_id),
        (3, True, third.public_id),
        (None, True, waiting.public_id),
    ]
