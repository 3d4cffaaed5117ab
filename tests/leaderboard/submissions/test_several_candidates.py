"""What several candidates per clip bring: the right means, and shown only where there are any."""

from typing import Any

import pytest
from django.urls import reverse

from leaderboard.models import MetricResult, Submission
from leaderboard.selectors.analysis.profile import several_candidates
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.factories import finish, submit
from tests.leaderboard.clips.test_clips_page import clip_url, set_details, set_values
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

SECTION = "Several candidates per clip"
# The third clip has three candidates, the fourth two, the others one.
SEVERAL = (
    b"file_name,caption_predicted_1,caption_predicted_2,caption_predicted_3\n"
    b"rain.wav,rain falls on a roof,,\n"
    b"dog.wav,a dog is barking,,\n"
    b"train.wav,a bird sings,a train passes by,a train passes over a bridge\n"
    b"door.wav,someone shuts a door,a wooden door slams,\n"
    b'"bell, small.wav",a bell rings,,\n'
)


def url(submission: Submission) -> str:
    return reverse("leaderboard:profile", args=[submission.public_id])


def value(submission: Submission, metric: str) -> float:
    found = MetricResult.objects.get(submission=submission, metric=metric).value
    assert found is not None
    return found


@pytest.fixture
def submission(cast: Cast) -> Submission:
    submission = submit(cast.phase, cast.team, data=SEVERAL)
    finish(submission)
    return submission


def set_spider(submission: Submission, rows: list[list[float] | None]) -> None:
    """Store SPIDEr's details with these values by rank, None for one candidate."""
    details: list[dict[str, Any]] = [
        {"candidate": 1, "spice": 0.5, "cider_d": 0.5}
        | ({} if row is None else {"by_candidates": row})
        for row in rows
    ]
    set_details(submission, "spider", details)


def test_the_best_only_grows_and_the_last_value_is_kept(submission: Submission) -> None:
    set_values(submission, "spider", [0.1, 0.2, 0.3, 0.4, 0.5])
    set_spider(submission, [None, None, [0.3, 0.1, 0.8], [0.4, 0.9], None])
    found = several_candidates(submission)
    assert found is not None
    assert found.best is not None
    one, two = (0.1 + 0.2 + 0.3 + 0.4 + 0.5) / 5, (0.1 + 0.2 + 0.3 + 0.9 + 0.5) / 5
    assert found.best.tolist() == pytest.approx([one, two, two + 0.5 / 5])
    assert (found.fewer, found.most, found.clips, found.uneven) == ((0, 3, 4), 3, 5, True)
    assert found.tuples is None


def test_tuples_may_fall_and_keep_their_last_value(submission: Submission) -> None:
    for metric, own in (("spice_plus_precision", 0.9), ("spice_plus_recall", 0.2)):
        set_values(submission, metric, [own] * 5)
    set_values(submission, "spice_plus_emb", [0.3] * 5)
    rows = [[0.9, 0.2, 0.3], [0.4, 0.7, 0.5]]
    set_details(
        submission,
        "spice_plus_emb",
        [{"candidate": [], "references": [], "by_candidates": rows}, *[{"candidate": []}] * 4],
    )
    found = several_candidates(submission)
    assert found is not None
    assert found.tuples is not None
    assert found.tuples[0].tolist() == pytest.approx([0.9, 0.2, 0.3])
    assert found.tuples[1].tolist() == pytest.approx([0.8, 0.3, 0.34])


# An attempt's heartbeat has a connection of its own; a transaction around the test would clash.
@pytest.mark.django_db(transaction=True)
def test_the_curves_start_and_end_at_the_metrics_of_the_real_scorer(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, data=SEVERAL)
    for family in ("spider", "spice_plus_emb"):
        evaluation_attempt(evaluation_id=submission.evaluations.get(family=family).pk)
    found = several_candidates(submission)
    assert found is not None
    assert found.tuples is not None
    assert found.best is not None
    for at, name in enumerate(("spice_plus_precision", "spice_plus_recall", "spice_plus_emb")):
        assert found.tuples[0, at] == pytest.approx(value(submission, name), abs=1e-6)
    assert found.best[0] == pytest.approx(value(submission, "spider"), abs=1e-6)
    assert found.best[-1] == pytest.approx(value(submission, "spider_max"), abs=1e-6)
    assert found.best[-1] > found.best[0]
    assert found.tuples[-1, 1] > found.tuples[0, 1], "more candidates find more of the references"

    seen = text(cast.client(None).get(url(submission)).content)
    assert SECTION in seen
    assert "Not every clip has 3 candidates" in seen
    for curve in (found.tuples[-1, 0], found.tuples[-1, 2], found.best[1]):
        assert f"{curve:.3f}" in seen
    clip = text(cast.client(None).get(clip_url(submission, 3)).content)
    assert "By number of candidates" in clip
    assert "SPIDEr of each candidate" in clip
    assert "By number of candidates" not in text(
        cast.client(None).get(clip_url(submission, 1)).content
    )


def test_one_candidate_makes_no_section(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    finish(submission)
    set_spider(submission, [None] * 5)
    assert several_candidates(submission) is None
    assert SECTION not in text(cast.client(None).get(url(submission)).content)


SHAPES: tuple[Any, ...] = (3, [], "text", None, [["x", 1, 2]], [[1, 2]], [[None, 1, 1]], {"a": 1})


@pytest.mark.parametrize("family", ["spider", "spice_plus_emb"])
def test_details_of_another_shape_leave_the_rest(
    cast: Cast, submission: Submission, family: str
) -> None:
    for shape in SHAPES:
        set_details(submission, family, [{"by_candidates": shape}] * 5)
        found = cast.client(None).get(url(submission))
        assert found.status_code == 200
        assert "How it writes" in text(found.content)
        assert cast.client(None).get(clip_url(submission, 1)).status_code == 200
