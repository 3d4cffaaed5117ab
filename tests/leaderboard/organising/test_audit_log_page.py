"""The audit log as organisers read it: sentences, filters, a table to take away."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse

from leaderboard.models import AuditEvent, Submission
from leaderboard.services.audit_log import audit_record
from leaderboard.services.organising.judging import submission_disqualify
from tests.factories import NOW, ChallengeFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.django_db


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
