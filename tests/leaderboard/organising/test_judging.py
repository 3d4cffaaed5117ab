"""What organisers decide about a submission, and what follows from it at once, everywhere."""

from collections.abc import Callable

import pytest
from django.urls import reverse

from leaderboard.models import AuditEvent, Kind, Notice, Phase, Submission
from leaderboard.selectors.analysis.stamps import phase_stamp
from leaderboard.selectors.board.rows import board_of
from leaderboard.selectors.organising.challenges import phase_statuses
from leaderboard.selectors.submissions.system_report import systems_of
from leaderboard.services.organising.judging import (
    JudgingRefused,
    submission_disqualify,
    submission_mark,
    submission_restore,
)
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import NOW, TeamFactory
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored

pytestmark = pytest.mark.django_db
REASON = "Trained on the evaluation clips."


@pytest.fixture
def best(cast: Cast) -> Submission:
    return scored(cast.phase, cast.team, "Frontrunner", 0.9)


@pytest.fixture(autouse=True)
def second(cast: Cast) -> Submission:
    return scored(cast.phase, TeamFactory.create(), "Second", 0.4)


def disqualify(submission: Submission, cast: Cast) -> None:
    submission_disqualify(submission=submission, reason=REASON, actor=cast.organiser, now=NOW)


def restore(submission: Submission, cast: Cast) -> None:
    submission_restore(submission=submission, actor=cast.organiser, now=NOW)


def withdraw(submission: Submission, _cast: Cast) -> None:
    Submission.objects.filter(pk=submission.pk).update(withdrawn_at=NOW)


def everywhere(phase: Phase, cast: Cast) -> dict[str, list[str]]:
    """Name the systems that each place ranks."""
    (status,) = phase_statuses(Phase.objects.filter(pk=phase.pk), NOW)
    client = cast.client(None)
    args = [phase.challenge.slug, phase.slug]
    api = client.get(f"/api/v1/phases/{phase.challenge.slug}/{phase.slug}/leaderboard").json()
    page = client.get(reverse("leaderboard:board", args=args)).content.decode()
    return {
        "teams": [row.system_name for row in board_of(phase).rows],
        "systems": [row.system_name for row in board_of(phase, every_system=True).rows],
        "leaders": [leader.system_name for leader in status.leaders or ()],
        "analysis": [row.system_name for row in systems_of(phase)],
        "api": [row["system_name"] for row in api["rows"]],
        "page": [name for name in ("Frontrunner", "Second") if name in page],
    }


@pytest.mark.parametrize("act", [disqualify, withdraw])
def test_what_does_not_stand_ranks_nowhere(
    cast: Cast, best: Submission, act: Callable[[Submission, Cast], None]
) -> None:
    stamp = phase_stamp(cast.phase)
    assert everywhere(cast.phase, cast)["leaders"] == ["Frontrunner"]
    act(best, cast)
    for place, systems in everywhere(cast.phase, cast).items():
        assert systems == ["Second"], place
    assert phase_stamp(cast.phase) != stamp, "what is kept of the analysis would be stale"


def test_a_restored_system_stands_where_it_stood(cast: Cast, best: Submission) -> None:
    before = everywhere(cast.phase, cast)
    disqualify(best, cast)
    restore(best, cast)
    assert everywhere(cast.phase, cast) == before
    best.refresh_from_db()
    assert (best.disqualified_at, best.disqualified_for) == (None, "")


def test_the_team_is_told_the_reason_and_the_log_names_all(cast: Cast, best: Submission) -> None:
    disqualify(best, cast)
    told = Notice.objects.filter(submission=best, kind="judged")
    assert {notice.user for notice in told} == {cast.owner, cast.member}
    assert REASON in told[0].text
    event = AuditEvent.objects.get(action="submission.disqualify")
    assert (event.actor, event.challenge, event.target) == (
        cast.organiser,
        cast.phase.challenge,
        best.public_id,
    )
    assert event.details["reason"] == REASON


def test_the_human_row_is_neither_system_nor_baseline(cast: Cast) -> None:
    human = human_row_create(phase=cast.phase, actor=None, now=NOW)
    for kind in (Kind.SYSTEM, Kind.BASELINE):
        with pytest.raises(JudgingRefused, match="never competes"):
            submission_mark(submission=human, kind=kind, actor=cast.organiser, now=NOW)


def test_the_api_disqualifies_and_restores_for_organisers_alone(
    cast: Cast, best: Submission
) -> None:
    path, reason = f"/submissions/{best.public_id}", {"reason": f"  {REASON}\n"}
    for person in (cast.member, cast.outsider):
        problem(caller(person).send("post", f"{path}/disqualify", reason), 404)
    api = caller(cast.organiser)
    problem(api.send("post", f"{path}/disqualify", {"reason": "  "}), 422)
    assert body(api.send("post", f"{path}/disqualify", reason))["disqualified_at"] is not None
    assert "already" in problem(api.send("post", f"{path}/disqualify", reason), 409)["detail"]
    best.refresh_from_db()
    assert best.disqualified_for == REASON
    assert Notice.objects.filter(user=cast.member, text__contains=REASON).exists()
    assert body(api.post(f"{path}/restore"))["disqualified_at"] is None
    problem(api.post(f"{path}/restore"), 409)
