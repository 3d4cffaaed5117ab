"""What organisers decide, what follows from it everywhere, and the log in which it stands."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.urls import reverse

from leaderboard.models import AuditEvent, EvaluationState, Kind, Notice, Phase, Submission
from leaderboard.selectors.analysis.stamps import phase_stamp
from leaderboard.selectors.board.rows import board_of
from leaderboard.selectors.organising.challenges import phase_statuses
from leaderboard.selectors.submissions.system_choice import pool_of
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.judging import (
    submission_disqualify,
    submission_mark,
    submission_restore,
)
from leaderboard.services.submissions.human_row import human_row_create
from leaderboard.web.refusals import Refused
from tests.factories import NOW, ChallengeFactory, PhaseFactory, TeamFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text

pytestmark = pytest.mark.django_db

REASON = "Trained on the evaluation clips."


@pytest.fixture
def best(cast: Cast, second: Submission) -> Submission:
    return scored(cast.phase, cast.team, "Frontrunner", 0.9)


@pytest.fixture
def second(cast: Cast) -> Submission:
    return scored(cast.phase, TeamFactory.create(), "Second", 0.4)


def disqualify(submission: Submission, cast: Cast) -> None:
    submission_disqualify(submission=submission, reason=REASON, actor=cast.organiser, now=NOW)


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
        "analysis": [row.system_name for row in pool_of(phase).ranked],
        "api": [row["system_name"] for row in api["rows"]],
        "page": [name for name in ("Frontrunner", "Second") if name in page],
    }


@pytest.mark.parametrize("act", [disqualify, withdraw])
def test_what_does_not_stand_ranks_nowhere_and_restored_where_it_stood(
    cast: Cast, best: Submission, act: Callable[[Submission, Cast], None]
) -> None:
    stamp, before = phase_stamp(cast.phase), everywhere(cast.phase, cast)
    assert before["leaders"] == ["Frontrunner"]
    act(best, cast)
    for place, systems in everywhere(cast.phase, cast).items():
        assert systems == ["Second"], place
    assert phase_stamp(cast.phase) != stamp, "what is kept of the analysis would be stale"
    if act is disqualify:
        submission_restore(submission=best, actor=cast.organiser, now=NOW)
        assert everywhere(cast.phase, cast) == before


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
        with pytest.raises(Refused, match="never competes"):
            submission_mark(submission=human, kind=kind, actor=cast.organiser, now=NOW)


@pytest.fixture
def system(cast: Cast) -> Submission:
    submission = submit(cast.phase, cast.team, user=cast.member, name="Owl", now=NOW)
    submission_disqualify(
        submission=submission,
        reason="=HYPERLINK(1)",
        actor=cast.organiser,
        now=NOW + timedelta(days=1),
    )
    return submission


def address(cast: Cast, name: str = "manage-audit") -> str:
    return reverse(f"leaderboard:{name}", args=[cast.phase.challenge.slug])


def read(cast: Cast, query: str = "") -> str:
    return text(cast.client(cast.organiser).get(address(cast) + query).content)


def test_it_tells_acts_and_nothing_of_other_challenges(cast: Cast, system: Submission) -> None:
    audit_record("test", "secret", actor=None, now=NOW, challenge=ChallengeFactory.create())
    audit_record("test", "secret", actor=None, now=NOW)
    found, name = read(cast), f"Owl ({cast.team.name})"
    assert "secret" not in found
    assert f"{cast.organiser.username} disqualified {name} , reason: =HYPERLINK(1)" in found
    assert f"{cast.member.username} submitted {name}" in found
    cast.member.delete()
    assert "a deleted account submitted Owl" in read(cast)


def test_it_shows_what_is_asked_for(cast: Cast, system: Submission) -> None:
    for query, acts in (
        ("?act=submission.disqualify", {"disqualified"}),
        (f"?person={cast.member.username}", {"submitted"}),
        (f"?submission={system.public_id}", {"submitted", "disqualified"}),
        ("?submission=Lynx", set[str]()),
        ("?day=2026-03-01", {"submitted"}),
        ("?day=2026-03-02", {"disqualified"}),
        ("?day=yesterday&act=nothing", {"submitted", "disqualified"}),
        ("?day=9999-12-31", set[str]()),
    ):
        found = read(cast, query)
        shown = {word for word in ("submitted", "disqualified") if f"{word} Owl" in found}
        assert shown == acts, query


def test_an_act_without_a_sentence_of_its_own_is_told_all_the_same(cast: Cast) -> None:
    audit_record(
        "future.thing_done",
        "{braces}",
        actor=None,
        now=NOW,
        challenge=cast.phase.challenge,
        before={"limit": 3},
        after={"limit": None},
        odd=[{"a": True}],
    )
    found = read(cast)
    assert "the site future thing done: {braces}" in found
    assert "limit: 3 → none" in found
    assert "odd: a yes" in found


def test_the_table_has_every_event_and_no_formula(cast: Cast, system: Submission) -> None:
    for number in range(120):
        audit_record("test", f"={number}", actor=None, now=NOW, challenge=cast.phase.challenge)
    response = cast.client(cast.organiser).get(address(cast, "manage-audit-csv"))
    body = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(body)))
    assert len(rows) == AuditEvent.objects.filter(challenge=cast.phase.challenge).count()
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@"))]
    assert rows[0]["act"] == "submission.disqualify"
    assert '"reason": "=HYPERLINK(1)"' in rows[0]["details"]


@pytest.fixture
def owl(cast: Cast) -> Submission:
    return scored(cast.phase, cast.team, "Owl", 0.9)


def listed(cast: Cast, query: str = "") -> str:
    page = cast.managed("submissions")
    return text(cast.client(cast.organiser).get(f"{page}{query}").content)


def test_it_lists_all_phases_and_shows_what_is_asked_for(cast: Cast, owl: Submission) -> None:
    other = PhaseFactory.create(challenge=cast.phase.challenge, name="Evaluation")
    lynx = submit(other, TeamFactory.create(name="The Finches"), name="Lynx")
    Submission.objects.filter(pk=lynx.pk).update(kind=Kind.BASELINE)
    wren = scored(cast.phase, cast.team, "Wren", 0.1)
    wren.evaluations.filter(family="rouge_l").update(state=EvaluationState.FAILED)
    Submission.objects.filter(pk=wren.pk).update(disqualified_at=NOW, disqualified_for=REASON)
    found = listed(cast)
    for word in ("3 submissions", "Evaluation", "scored", "waiting", "0.900"):
        assert word in found
    for query, there in (
        ("?state=scored", ["Owl"]),
        ("?state=waiting", ["Lynx"]),
        ("?state=partly", ["Wren"]),
        ("?standing=disqualified", ["Wren"]),
        ("?standing=standing&sort=system", ["Lynx", "Owl"]),
        ("?standing=standing&sort=-system", ["Owl", "Lynx"]),
        ("?kind=baseline", ["Lynx"]),
        ("?text=ow", ["Owl"]),
        ("?team=finches", ["Lynx"]),
        ("?phase=nothing&page=99&sort=system", ["Lynx", "Owl", "Wren"]),
    ):
        found = listed(cast, query)
        names = [name for name in ("Owl", "Lynx", "Wren") if f"{name} " in found]
        assert sorted(names, key=lambda name: found.index(f"{name} ")) == there, query


def test_disqualifying_asks_for_a_reason_and_is_taken_back(cast: Cast, owl: Submission) -> None:
    client, page = cast.client(cast.organiser), cast.managed("submission", owl.public_id)
    act = {"act": "disqualify"}
    assert client.post(page, {"act": "none"}).status_code == 404
    assert "Give a reason" in text(client.post(page, act | {"reason": " "}).content)
    long = client.post(page, act | {"reason": "x" * 301})
    assert (long.status_code, b"x" * 301 in long.content) == (422, True)
    owl.refresh_from_db()
    assert owl.is_eligible
    done = client.post(page, act | {"reason": REASON}, follow=True)
    assert f"told this reason: {REASON}" in text(done.content)
    again = client.post(page, act | {"reason": "Other"}, follow=True)
    assert "Owl has already been disqualified. Nothing was changed." in again.content.decode()
    own = reverse("leaderboard:system", args=[owl.public_id])
    assert REASON in text(cast.client(cast.member).get(own).content)
    for said in ("Owl is restored", "Nothing was changed"):
        back = client.post(page, {"act": "restore"}, follow=True)
        assert said in back.content.decode()
    owl.refresh_from_db()
    assert owl.is_eligible


@pytest.mark.parametrize("rule", ["disqualified_at", "withdrawn_at"])
def test_what_does_not_stand_is_there_for_its_team_and_organisers_alone(
    cast: Cast, owl: Submission, rule: str
) -> None:
    Submission.objects.filter(pk=owl.pk).update(**{rule: NOW})
    for path in ("", "progress/", "profile/", "clips/", "clips/1/"):
        page = reverse("leaderboard:system", args=[owl.public_id]) + path
        people = (None, cast.outsider, cast.member, cast.organiser)
        assert [cast.client(user).get(page).status_code for user in people] == [404, 404, 200, 200]
    assert "Owl" not in text(cast.client(None).get(cast.at("board")).content)


def test_details_of_failures_are_shown_to_organisers_escaped(cast: Cast, owl: Submission) -> None:
    owl.evaluations.filter(family="rouge_l").update(
        state=EvaluationState.FAILED, reason="Unexpected error.", detail="<b>Trace</b>"
    )
    found = cast.client(cast.organiser).get(cast.managed("submission", owl.public_id))
    assert "&lt;b&gt;Trace&lt;/b&gt;" in found.content.decode()
    own = reverse("leaderboard:system", args=[owl.public_id])
    assert "Trace" not in cast.client(cast.member).get(own).content.decode()


@pytest.mark.parametrize("data", ["chosen", "all"])
def test_several_are_retried_and_no_others(cast: Cast, owl: Submission, data: str) -> None:
    second = scored(cast.phase, cast.team, "Lynx", 0.2)
    foreign = scored(PhaseFactory.create(), cast.team, "Wren", 0.2)
    for row in (owl, second, foreign):
        row.evaluations.filter(family="rouge_l").update(state=EvaluationState.FAILED)
    ids = [row.public_id for row in (owl, second, foreign)]
    body: dict[str, object] = {"act": "retry", "all": ids}
    body |= {"chosen": ids[1:]} if data == "chosen" else {"retry_all": "yes"}
    page = cast.managed("submissions")
    done = cast.client(cast.organiser).post(f"{page}?state=partly", body)
    assert done["Location"].endswith("/submissions/?state=partly")
    waiting = Submission.objects.filter(evaluations__state=EvaluationState.PENDING)
    assert set(waiting) == ({second} if data == "chosen" else {owl, second})
    assert AuditEvent.objects.filter(action="submission.retry").count() == len(waiting)


def test_a_baseline_stands_beside_the_ranking_until_it_is_none(cast: Cast, owl: Submission) -> None:
    client, board = cast.client(cast.organiser), cast.at("board")
    client.post(cast.managed("submission", owl.public_id), {"act": "mark", "kind": "baseline"})
    assert "does not compete" in text(cast.client(None).get(board).content)
    client.post(cast.managed("submission", owl.public_id), {"act": "mark", "kind": "system"})
    assert "does not compete" not in text(cast.client(None).get(board).content)
