"""What organisers decide, what follows from it everywhere, and the log in which it stands."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.urls import reverse

from leaderboard.models import AuditEvent, Kind, Notice, Phase, Submission
from leaderboard.selectors.analysis.stamps import phase_stamp
from leaderboard.selectors.board.rows import board_of
from leaderboard.selectors.organising.challenges import phase_statuses
from leaderboard.selectors.submissions.system_report import systems_of
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.judging import (
    JudgingRefused,
    submission_disqualify,
    submission_mark,
    submission_restore,
)
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import NOW, ChallengeFactory, TeamFactory, submit
from tests.leaderboard.api_client import body, caller, problem
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


def test_acts_are_told_in_sentences(cast: Cast, system: Submission) -> None:
    found = read(cast)
    name = f"Owl ({cast.team.name})"
    assert f"{cast.organiser.username} disqualified {name} , reason: =HYPERLINK(1)" in found
    assert f"{cast.member.username} submitted {name}" in found


def test_it_holds_nothing_of_other_challenges(cast: Cast, system: Submission) -> None:
    audit_record(
        at=NOW, actor=None, action="test", target="secret", challenge=ChallengeFactory.create()
    )
    audit_record(at=NOW, actor=None, action="test", target="secret")
    assert "secret" not in read(cast)


@pytest.mark.parametrize(
    ("query", "acts"),
    [
        ("?act=submission.disqualify", {"disqualified"}),
        ("?person={member}", {"submitted"}),
        ("?submission={id}", {"submitted", "disqualified"}),
        ("?submission=Lynx", set()),
        ("?day=2026-03-01", {"submitted"}),
        ("?day=2026-03-02", {"disqualified"}),
        ("?day=yesterday&act=nothing", {"submitted", "disqualified"}),
        ("?day=9999-12-31", set()),
    ],
)
def test_it_shows_what_is_asked_for(
    cast: Cast, system: Submission, query: str, acts: set[str]
) -> None:
    found = read(cast, query.format(member=cast.member.username, id=system.public_id))
    assert {word for word in ("submitted", "disqualified") if f"{word} Owl" in found} == acts


def test_who_is_gone_is_called_a_deleted_account(cast: Cast, system: Submission) -> None:
    cast.member.delete()
    assert "a deleted account submitted Owl" in read(cast)


def test_an_act_without_a_sentence_of_its_own_is_told_all_the_same(cast: Cast) -> None:
    audit_record(
        at=NOW,
        actor=None,
        action="future.thing_done",
        target="{braces}",
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
        audit_record(
            at=NOW, actor=None, action="test", target=f"={number}", challenge=cast.phase.challenge
        )
    response = cast.client(cast.organiser).get(address(cast, "manage-audit-csv"))
    body = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    rows = list(csv.DictReader(io.StringIO(body)))
    assert len(rows) == AuditEvent.objects.filter(challenge=cast.phase.challenge).count()
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@"))]
    assert rows[0]["act"] == "submission.disqualify"
    assert '"reason": "=HYPERLINK(1)"' in rows[0]["details"]


def test_long_logs_come_in_pages_that_keep_the_filter(cast: Cast) -> None:
    for number in range(60):
        audit_record(
            at=NOW, actor=None, action="test", target=f"n{number}", challenge=cast.phase.challenge
        )
    page = cast.client(cast.organiser).get(address(cast) + "?act=test").content.decode()
    assert "?act=test&amp;page=2" in page
    assert "51 to 60 of 60" in read(cast, "?act=test&page=2")
