"""The retry button of a submission."""

import pytest
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from leaderboard.models import EvaluationState, Submission
from tests.factories import submit
from tests.leaderboard.conftest import Cast


@pytest.fixture
def failed(cast: Cast) -> Submission:
    submission = submit(cast.phase, cast.team)
    submission.evaluations.update(state=EvaluationState.DONE)
    submission.evaluations.filter(family="rouge_l").update(
        state=EvaluationState.FAILED, reason="The machine ran out of memory.", attempts=3
    )
    return submission


def address(submission: Submission) -> str:
    return reverse("leaderboard:submission-retry", args=[submission.public_id])


@pytest.mark.parametrize("who", ["member", "owner", "organiser"])
def test_those_who_manage_it_retry_what_failed_and_only_that(
    cast: Cast,
    failed: Submission,
    who: str,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks() as sent:
        response = cast.client(getattr(cast, who)).post(address(failed))
    assert response["Location"] == reverse("leaderboard:system", args=[failed.public_id])
    states = dict(failed.evaluations.values_list("family", "state"))
    assert states.pop("rouge_l") == EvaluationState.PENDING
    assert set(states.values()) == {EvaluationState.DONE}
    assert len(sent) == 1, "the evaluation is sent, once the change is committed"


def test_with_nothing_failed_it_says_so(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    submission.evaluations.update(state=EvaluationState.DONE)
    response = cast.client(cast.owner).post(address(submission), follow=True)
    assert "nothing that could be tried again" in response.content.decode()
