"""What a team decides about its own submissions, until the phase closes."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import AuditEvent, Counting, Phase, Submission
from leaderboard.selectors.board.rows import board_of
from leaderboard.selectors.submissions.quotas import quota_of
from leaderboard.services.submissions.changes import (
    submission_choose,
    submission_take_back,
    submission_withdraw,
)
from leaderboard.web.refusals import Refused
from tests.factories import NOW, PhaseFactory, TeamFactory, UserFactory, submit
from tests.leaderboard.api_client import body, caller, problem
from tests.leaderboard.at_once import at_once
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def page_of(act: str, submission: Submission) -> str:
    return reverse("leaderboard:system", args=[submission.public_id]) + f"?act={act}"


def names_on_the_board(phase: Phase) -> list[str]:
    phase = Phase.objects.select_related("reference_set").get(pk=phase.pk)
    return [row.system_name for row in board_of(phase).rows]


def withdraw(cast: Cast, submission: Submission) -> bool:
    return submission_withdraw(submission=submission, actor=cast.member, now=timezone.now())


def choose(cast: Cast, submission: Submission) -> bool:
    return submission_choose(submission=submission, actor=cast.member, now=timezone.now())


def test_what_is_withdrawn_leaves_the_ranking_and_comes_back_as_it_was(cast: Cast) -> None:
    better, other = (
        scored(cast.phase, cast.team, "Better", 0.9),
        scored(cast.phase, cast.team, "Other", 0.5),
    )
    assert names_on_the_board(cast.phase) == ["Better"]
    assert withdraw(cast, better)
    assert not withdraw(cast, better), "twice changes nothing"
    assert names_on_the_board(cast.phase) == ["Other"]
    assert submission_take_back(submission=better, actor=cast.owner, now=timezone.now())
    assert names_on_the_board(cast.phase) == ["Better"]
    acts = AuditEvent.objects.filter(target=better.public_id).exclude(action="submission.accept")
    assert [(event.action, event.actor) for event in acts.order_by("pk")] == [
        ("submission.withdraw", cast.member),
        ("submission.take_back", cast.owner),
    ]
    assert other.results.exists()


def test_what_is_withdrawn_stays_in_the_quota_and_frees_a_place(cast: Cast) -> None:
    cast.rules(quota_total=3, systems_per_team=1)
    submit(cast.phase, TeamFactory.create())
    submit(PhaseFactory.create(challenge=cast.phase.challenge), cast.team)
    first = submit(cast.phase, cast.team, name="First")
    with pytest.raises(Refused) as refused:
        submit(cast.phase, cast.team, name="Second")
    assert str(refused.value) == (
        "1 of 1 system used. Withdraw one to make room: First. Nothing was submitted."
    )
    withdraw(cast, first)
    assert quota_of(phase=cast.phase, team=cast.team, now=timezone.now()).left == 2
    submit(cast.phase, cast.team, name="Second")
    with pytest.raises(Refused, match="Withdraw one to make room: Second"):
        submission_take_back(submission=first, actor=cast.member, now=timezone.now())
    mine = Submission.objects.eligible().filter(phase=cast.phase, team=cast.team)
    assert mine.get().system_name == "Second"


def test_one_submission_is_chosen_and_another_takes_its_place(cast: Cast) -> None:
    cast.rules(counting=Counting.CHOSEN)
    first, last = (scored(cast.phase, cast.team, name, 0.5) for name in ("First", "Last"))
    assert names_on_the_board(cast.phase) == ["Last"], "none chosen: the latest"
    assert choose(cast, first)
    assert not choose(cast, first)
    assert names_on_the_board(cast.phase) == ["First"]
    assert choose(cast, last)
    assert list(Submission.objects.filter(chosen=True)) == [last]
    latest = AuditEvent.objects.filter(action="submission.choose").latest("pk")
    assert latest.details["instead_of"] == first.public_id
    withdraw(cast, last)
    assert names_on_the_board(cast.phase) == ["First"], "what is withdrawn is chosen no more"


def test_only_what_stands_can_be_chosen_and_only_where_teams_choose(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team)
    with pytest.raises(Refused, match="best submission counts"):
        choose(cast, submission)
    cast.rules(counting=Counting.CHOSEN)
    withdraw(cast, submission)
    with pytest.raises(Refused, match="does not compete"):
        choose(cast, submission)
    Submission.objects.update(disqualified_at=NOW)
    for act in (submission_withdraw, submission_take_back):
        with pytest.raises(Refused, match="organisers disqualified"):
            act(submission=submission, actor=cast.member, now=timezone.now())


def test_once_the_phase_has_closed_all_stays_as_it_is(cast: Cast) -> None:
    submission = submit(cast.phase, cast.team, now=NOW)
    cast.rules(closes_at=NOW + timedelta(hours=1), counting=Counting.CHOSEN)
    cast.phase.challenge.time_zone = "Europe/Berlin"
    cast.phase.challenge.save()
    for act in (submission_withdraw, submission_take_back, submission_choose):
        closed = r"closed at .* 14:00 \(Europe/Berlin\), 2026-03-01 13:00 UTC"
        with pytest.raises(Refused, match=closed):
            act(submission=submission, actor=cast.member, now=NOW + timedelta(hours=1))
    before = NOW + timedelta(minutes=59, seconds=59)
    assert submission_withdraw(submission=submission, actor=cast.member, now=before)


@pytest.mark.django_db(transaction=True)
def test_of_many_choices_at_once_one_stands(transactional_db: None) -> None:
    phase, team = PhaseFactory.create(counting=Counting.CHOSEN), TeamFactory.create()
    about: dict[str, Any] = {"actor": UserFactory.create(), "now": timezone.now()}
    systems = [submit(phase, team, name=str(number)) for number in range(8)]
    said = at_once(*(partial(submission_choose, submission=one, **about) for one in systems))
    assert said == [True] * 8
    assert Submission.objects.filter(chosen=True).count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_that_come_back_at_once_only_as_many_as_places_do(transactional_db: None) -> None:
    phase, team = PhaseFactory.create(), TeamFactory.create()
    about: dict[str, Any] = {"actor": UserFactory.create(), "now": timezone.now()}
    systems = [submit(phase, team, name=str(number)) for number in range(8)]
    Submission.objects.update(withdrawn_at=timezone.now())
    Phase.objects.update(systems_per_team=3)
    said = at_once(*(partial(submission_take_back, submission=one, **about) for one in systems))
    assert sum(one is True for one in said) == 3
    assert all("used." in str(one) for one in said if one is not True)
    assert Submission.objects.eligible().count() == 3


# -- pages ------------------------------------------------------------------------


def test_pages_and_api_withdraw_take_back_and_choose_until_the_phase_closes(cast: Cast) -> None:
    cast.rules(counting=Counting.CHOSEN)
    submission = submit(cast.phase, cast.team)
    api, path = caller(cast.member), f"/submissions/{submission.public_id}"
    assert body(api.post(f"{path}/withdraw"))["withdrawn_at"] is not None
    problem(api.post(f"{path}/choose"), 409)
    assert body(api.post(f"{path}/take-back"))["withdrawn_at"] is None
    assert body(api.post(f"{path}/choose"))["chosen"] is True
    client = cast.client(cast.member)
    for act, said in (
        ("withdraw", "System was withdrawn. You can take it back"),
        ("take_back", "System"),
        ("choose", "System now counts for your team."),
    ):
        assert said in client.post(page_of(act, submission), follow=True).content.decode()
    cast.rules(closes_at=timezone.now() - timedelta(minutes=1))
    assert "closed at" in problem(api.post(f"{path}/withdraw"), 409)["detail"]
    response = client.post(page_of("withdraw", submission))
    assert response.status_code == 409
    assert "Ask the organisers" in text(response.content)
    assert Submission.objects.get().is_eligible


# -- the API ----------------------------------------------------------------------
