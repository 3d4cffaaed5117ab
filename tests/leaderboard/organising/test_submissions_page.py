"""The organisers' list of submissions and what they decide there."""

import pytest
from django.urls import reverse

from leaderboard.models import AuditEvent, EvaluationState, Kind, Submission
from tests.factories import NOW, PhaseFactory, TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text

pytestmark = [
    pytest.mark.django_db,
]
REASON = "Trained on the evaluation clips."


@pytest.fixture
def system(cast: Cast) -> Submission:
    return scored(cast.phase, cast.team, "Owl", 0.9)


def listed(cast: Cast, query: str = "") -> str:
    address = cast.managed("submissions")
    return text(cast.client(cast.organiser).get(f"{address}{query}").content)


def address(name: str, submission: Submission) -> str:
    args = [submission.phase.challenge.slug, submission.public_id]
    return reverse(f"leaderboard:manage-submission{name}", args=args)


def test_it_lists_all_phases_with_state_rank_and_value(cast: Cast, system: Submission) -> None:
    other = PhaseFactory.create(challenge=cast.phase.challenge, name="Evaluation")
    submit(other, cast.team, name="Lynx")
    found = listed(cast)
    assert "2 submissions" in found
    for word in ("Owl", "Lynx", "Evaluation", "scored", "waiting", "0.900"):
        assert word in found


@pytest.mark.parametrize(
    ("query", "there"),
    [
        ("?state=scored", {"Owl"}),
        ("?state=waiting", {"Lynx"}),
        ("?state=partly", {"Wren"}),
        ("?standing=disqualified", {"Wren"}),
        ("?standing=standing", {"Owl", "Lynx"}),
        ("?kind=baseline", {"Lynx"}),
        ("?text=ow", {"Owl"}),
        ("?team=finches", {"Lynx"}),
        ("?phase=nothing", {"Owl", "Lynx", "Wren"}),
        ("?page=99&sort=nonsense", {"Owl", "Lynx", "Wren"}),
    ],
)
def test_it_shows_what_is_asked_for(
    cast: Cast, system: Submission, query: str, there: set[str]
) -> None:
    lynx = submit(cast.phase, TeamFactory.create(name="The Finches"), name="Lynx")
    Submission.objects.filter(pk=lynx.pk).update(kind=Kind.BASELINE)
    wren = scored(cast.phase, cast.team, "Wren", 0.1)
    wren.evaluations.filter(family="rouge_l").update(state=EvaluationState.FAILED)
    Submission.objects.filter(pk=wren.pk).update(disqualified_at=NOW, disqualified_for=REASON)
    found = listed(cast, query)
    assert {name for name in ("Owl", "Lynx", "Wren") if f"{name} " in found} == there


def test_sorting_turns_round(cast: Cast, system: Submission) -> None:
    scored(cast.phase, cast.team, "Lynx", 0.1)
    for query, first in (("?sort=system", "Lynx"), ("?sort=-system", "Owl")):
        found = listed(cast, query)
        assert min(("Owl", "Lynx"), key=lambda name: found.index(f"{name} ")) == first


def test_disqualifying_asks_for_a_reason_and_keeps_what_was_typed(
    cast: Cast, system: Submission
) -> None:
    client = cast.client(cast.organiser)
    refused = client.post(address("-disqualify", system), {"reason": " "})
    assert refused.status_code == 422
    assert "Give a reason" in text(refused.content)
    long = client.post(address("-disqualify", system), {"reason": "x" * 301})
    assert (long.status_code, b"x" * 301 in long.content) == (422, True)
    system.refresh_from_db()
    assert system.is_eligible


def test_disqualified_and_restored(cast: Cast, system: Submission) -> None:
    client = cast.client(cast.organiser)
    done = client.post(address("-disqualify", system), {"reason": REASON}, follow=True)
    assert f"told this reason: {REASON}" in text(done.content)
    again = client.post(address("-disqualify", system), {"reason": "Other"}, follow=True)
    assert "Owl has already been disqualified. Nothing was changed." in again.content.decode()
    page = reverse("leaderboard:system", args=[system.public_id])
    assert REASON in text(cast.client(cast.member).get(page).content)
    back = client.post(address("-restore", system), follow=True)
    assert "Owl is restored" in back.content.decode()
    assert (
        "Nothing was changed"
        in client.post(address("-restore", system), follow=True).content.decode()
    )
    system.refresh_from_db()
    assert system.is_eligible


@pytest.mark.parametrize("rule", ["disqualified_at", "withdrawn_at"])
def test_what_does_not_stand_is_there_for_its_team_and_organisers_alone(
    cast: Cast, system: Submission, rule: str
) -> None:
    Submission.objects.filter(pk=system.pk).update(**{rule: NOW})
    for path in ("", "progress/", "profile/", "clips/", "clips/1/"):
        page = reverse("leaderboard:system", args=[system.public_id]) + path
        people = (None, cast.outsider, cast.member, cast.organiser)
        assert [cast.client(user).get(page).status_code for user in people] == [404, 404, 200, 200]
    assert "Owl" not in text(cast.client(None).get(cast.at("board")).content)


def test_details_of_failures_are_shown_to_organisers_escaped(
    cast: Cast, system: Submission
) -> None:
    system.evaluations.filter(family="rouge_l").update(
        state=EvaluationState.FAILED, reason="Unexpected error.", detail="<b>Trace</b>"
    )
    found = cast.client(cast.organiser).get(address("", system)).content.decode()
    assert "&lt;b&gt;Trace&lt;/b&gt;" in found
    own = reverse("leaderboard:system", args=[system.public_id])
    assert "Trace" not in cast.client(cast.member).get(own).content.decode()


@pytest.mark.parametrize("data", ["chosen", "all"])
def test_several_are_retried_and_none_of_another_challenge(
    cast: Cast, system: Submission, data: str
) -> None:
    second = scored(cast.phase, cast.team, "Lynx", 0.2)
    foreign = scored(PhaseFactory.create(), cast.team, "Wren", 0.2)
    for row in (system, second, foreign):
        row.evaluations.filter(family="rouge_l").update(state=EvaluationState.FAILED)
    ids = [row.public_id for row in (system, second, foreign)]
    body: dict[str, object] = {"all": ids, "query": "state=partly"}
    body |= {"chosen": ids[1:]} if data == "chosen" else {"retry_all": "yes"}
    done = cast.client(cast.organiser).post(cast.managed("submissions-retry"), body)
    assert done["Location"].endswith("/submissions/?state=partly")
    waiting = Submission.objects.filter(evaluations__state=EvaluationState.PENDING)
    assert set(waiting) == ({second} if data == "chosen" else {system, second})
    assert AuditEvent.objects.filter(action="submission.retry").count() == len(waiting)


def test_a_baseline_stands_beside_the_ranking_until_it_is_none(
    cast: Cast, system: Submission
) -> None:
    client, board = cast.client(cast.organiser), cast.at("board")
    client.post(address("-mark", system), {"kind": "baseline"})
    assert "does not compete" in text(cast.client(None).get(board).content)
    client.post(address("-mark", system), {"kind": "system"})
    assert "does not compete" not in text(cast.client(None).get(board).content)
