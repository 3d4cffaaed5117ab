"""The profile of a system adds up what the details say, and stays hidden where they are."""

from typing import Any

import pytest
from django.urls import reverse

from leaderboard.models import Submission
from leaderboard.selectors.analysis.profile import writing_of
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.factories import finish, submit
from tests.leaderboard.clips.test_clips_page import HOSTILE, set_details
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


def url(submission: Submission) -> str:
    return reverse("leaderboard:profile", args=[submission.public_id])


def cb(theirs: dict[str, int], ours: list[str]) -> dict[str, Any]:
    """What CB-score's details say of a clip."""
    return {
        "relevance": [
            {"event": name, "references": count, "relevance": 0.5} for name, count in theirs.items()
        ],
        "candidate": [
            {"event": name, "match": "class", "words": name, "relevance": 0.5} for name in ours
        ],
        "ideal": [],
        "ideal_average": [],
    }


@pytest.fixture
def submission(cast: Cast) -> Submission:
    submission = submit(cast.phase, cast.team)
    finish(submission)
    return submission


def test_writing_counts_words_without_punctuation() -> None:
    found = writing_of(("A dog barks.", "a dog barks", "rain"))
    assert (found.captions, found.vocabulary, found.distinct) == (3, 4, 2)
    assert dict(found.lengths) == {3: 2, 1: 1}
    assert found.mean_length == pytest.approx(7 / 3)


# An attempt's heartbeat has a connection of its own; a transaction around the test would clash.
@pytest.mark.django_db(transaction=True)
def test_the_real_scorer_fills_the_page(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    for family in ("cb", "sbf", "aces", "fluency"):
        evaluation_attempt(evaluation_id=submission.evaluations.get(family=family).pk)
    found = cast.client(None).get(url(submission))
    assert found.status_code == 200
    for part in (
        "Sound events",
        "Sounds by similarity of words",
        "What is described",
        "How it writes",
    ):
        assert part in text(found.content)
    assert "Example of" in text(found.content)


def test_without_details_the_rest_stands(cast: Cast, submission: Submission) -> None:
    found = cast.client(None).get(url(submission))
    assert found.status_code == 200
    assert "How it writes" in text(found.content)
    assert "Sound events" not in text(found.content)


def test_hostile_words_are_escaped(cast: Cast, submission: Submission) -> None:
    set_details(submission, "cb", [cb({HOSTILE: 1}, [])] + [cb({}, [])] * 4)
    page = cast.client(None).get(url(submission)).content.decode()
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page


SHAPES: tuple[Any, ...] = ({}, {"relevance": 3}, [], "text", None, {"words": [1]}, {"flag": True})


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("family", ["cb", "sbf", "aces", "fluency"])
def test_details_of_another_shape_leave_the_rest(
    cast: Cast, submission: Submission, family: str, shape: Any
) -> None:
    set_details(submission, family, [shape] * 5)
    found = cast.client(None).get(url(submission))
    assert found.status_code == 200
    assert "How it writes" in text(found.content)


def test_a_class_that_this_version_lacks_is_counted(cast: Cast, submission: Submission) -> None:
    row = {"class": "Theremin of old", "references": 1, "similarity": 0.7}
    clip = {"reference_phrases": [["x"]], "hits": [], "misses": [row], "false_alarms": [row]}
    set_details(submission, "sbf", [clip] * 5)
    assert "Theremin of old" in text(cast.client(None).get(url(submission)).content)
