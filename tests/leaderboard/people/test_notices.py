"""Telling people what became of their work: once each, whatever happens to jobs and mail."""

import smtplib
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from earmark.errors import ScoringError
from leaderboard import tasks
from leaderboard.models import Evaluation, EvaluationState, Notice, NoticeKind, Submission, User
from leaderboard.selectors.people.notices import unread_count
from leaderboard.services.evaluations import attempts
from leaderboard.services.evaluations.states import evaluation_claim, submission_retry
from leaderboard.services.jobs.states import JobFailure, job_fail
from leaderboard.services.people import notices
from leaderboard.services.people.notices import (
    AWAY,
    WAITS,
    missed_scoring_notices_send,
    notice_send,
    notices_mail,
)
from tests.factories import NOW, finish, finish_evaluation, join, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

LEASE = timedelta(minutes=1)
LIST = reverse("leaderboard:notices")


@pytest.fixture
def submission(cast: Cast) -> Submission:
    return submit(cast.phase, cast.team, user=cast.member, name="Careful")


def told(user: User) -> list[tuple[str, str]]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("kind", "text"))


def send(cast: Cast, words: str = "Something happened.", **more: Any) -> None:
    now = more.pop("now", NOW)
    users = more.pop("users", [cast.owner])
    notice_send(users=users, kind=NoticeKind.TEAM, text=words, now=now, team=cast.team, **more)


def fail(evaluation: Evaluation, reason: str = "The model is missing.") -> None:
    claim = evaluation_claim(evaluation_id=evaluation.pk, now=timezone.now(), lease=LEASE)
    assert claim is not None
    job_fail(claim=claim, failure=JobFailure(reason), now=timezone.now())


def scored(*evaluations: Evaluation) -> None:
    for evaluation in evaluations:
        finish_evaluation(evaluation, value=0.5, generator=np.random.default_rng(0))


def test_each_member_is_told_once_all_is_decided(cast: Cast, submission: Submission) -> None:
    unpublished = submit(cast.phase, cast.team, name="Dry run")
    unpublished.evaluations.update(published=False)
    finish(unpublished)
    missed_scoring_notices_send(now=timezone.now())
    *others, last = submission.evaluations.all()
    scored(*others)
    assert Notice.objects.count() == 0
    scored(last)
    assert [kind for kind, _ in told(cast.owner)] == ["scored"]
    assert told(cast.owner) == told(cast.member)
    assert told(cast.outsider) == told(cast.organiser) == []
    value = submission.results.get(metric="cider_d").value
    assert told(cast.owner)[0][1].startswith(f"Careful was scored: CIDEr-D {value:.3f}")


def test_what_could_not_be_scored_is_told_with_the_reason_and_that_retrying_is_free(
    cast: Cast, submission: Submission
) -> None:
    for _ in range(2):  # once, though a retry fails as well
        for evaluation in submission.evaluations.all():
            fail(evaluation)
        submission_retry(submission=submission, actor=cast.member, now=timezone.now())
    finish(submission)
    beside = submit(cast.phase, cast.team, name="Beside")
    fail(beside.evaluations.get(family="vocab"))
    scored(*beside.evaluations.exclude(family="vocab"))
    first, second, third = told(cast.member)
    assert first == (
        "failed",
        "Careful could not be scored. CIDEr-D: The model is missing. Trying again uses no quota.",
    )
    assert [second[0], third[0]] == ["scored", "scored"]
    assert "1 other metric family could not be computed. Trying again uses no quota." in third[1]


def test_the_sweep_tells_once_what_was_missed(cast: Cast, submission: Submission) -> None:
    finish(submission)
    Notice.objects.all().delete()
    for _ in range(2):
        missed_scoring_notices_send(now=timezone.now())
    assert len(told(cast.member)) == 1
    join(cast.team, cast.outsider)
    missed_scoring_notices_send(now=timezone.now())
    assert told(cast.outsider) == [], "who joins later is not told of what was"
    Notice.objects.all().delete()
    missed_scoring_notices_send(now=timezone.now() + timedelta(days=2))
    assert told(cast.member) == []


# -- e-mail -----------------------------------------------------------------------


def test_a_mail_goes_out_once_to_whoever_wants_it(cast: Cast, submission: Submission) -> None:
    finish(submission)
    now = timezone.now()
    cast.client(cast.owner).post(reverse("leaderboard:account"), {"act": "notices"})
    assert [notices_mail(now=now), notices_mail(now=now + timedelta(days=1))] == [1, 0]
    [message] = mail.outbox
    assert message.to == [cast.member.email]
    assert message.subject == "Earmark: Careful, scored"
    assert f"http://127.0.0.1:8000/s/{submission.public_id}/" in message.body
    assert told(cast.member)[0][1] in message.body
    assert Notice.objects.get(user=cast.member).mailed_at == now
    assert Notice.objects.get(user=cast.owner).mailed_at is None
    # It holds nothing that a name smuggles in.
    cast.team.name = "A <b>&\nBcc: all@example.org"
    cast.team.save()
    send(cast, "It's <fine> & well.", users=[cast.member], now=now)
    notices_mail(now=now)
    message = mail.outbox[-1]
    assert message.subject == "Earmark: A <b>& Bcc: all@example.org, team"
    assert message.recipients() == [cast.member.email]
    assert "It's <fine> & well." in message.body


def test_no_mail_goes_to_what_may_be_anothers_address(cast: Cast, settings: Settings) -> None:
    """Else one would sign up with the address of a victim and invite oneself again and again."""
    address = EmailAddress.objects.create(user=cast.owner, email=cast.owner.email, primary=True)
    client = cast.client(cast.owner)
    for mode, verified, sent in (
        ("optional", False, 0),
        ("optional", True, 1),
        ("mandatory", False, 0),
        ("none", False, 1),
    ):
        settings.ACCOUNT_EMAIL_VERIFICATION = mode
        EmailAddress.objects.filter(pk=address.pk).update(verified=verified)
        mail.outbox.clear()
        send(cast)
        assert notices_mail(now=NOW) == len(mail.outbox) == sent
        page = text(client.get(reverse("leaderboard:account")).content)
        assert ("No e-mail is sent until you have" in page) is not bool(sent)


class Away:
    """A mail server that cannot be reached."""

    def send(self, *_args: object) -> int:
        raise ConnectionRefusedError

    send_messages = send

    def close(self) -> None:
        """Do nothing."""


def test_a_mail_server_that_is_away_is_asked_for_one_mail_and_left_alone(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(notices, "get_connection", Away)
        send(cast)
        send(cast, users=[cast.member])
        assert notices_mail(now=NOW) == 0
    assert sum(Notice.objects.values_list("mail_attempts", flat=True)) == 1
    assert notices_mail(now=NOW + AWAY / 2) == 0, "nobody knocks before the time"
    assert notices_mail(now=NOW + timedelta(minutes=5)) == 2
    assert len(mail.outbox) == 2


def test_a_mail_that_is_refused_stops_no_other_and_is_given_up_in_the_end(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []

    def send_or_refuse(message: Any, **_: object) -> int:
        if message.to == [cast.owner.email]:
            raise smtplib.SMTPRecipientsRefused({cast.owner.email: (550, b"no such mailbox")})
        taken.extend(message.to)
        return 1

    monkeypatch.setattr(EmailMessage, "send", send_or_refuse)
    send(cast, users=[cast.owner, cast.member])
    now = NOW
    for _ in range(2 * len(WAITS)):
        notices_mail(now=now)
        now += timedelta(days=1)
    assert taken == [cast.member.email]
    refused = Notice.objects.get(user=cast.owner)
    assert (refused.mail_attempts, refused.mail_due_at, refused.mailed_at) == (
        len(WAITS) + 1,
        None,
        None,
    )


def test_the_end_of_scoring_has_the_mail_sent_and_a_dead_queue_disturbs_nothing(
    cast: Cast,
    submission: Submission,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    asked: list[bool] = []

    def refuse(*_args: object, **_options: object) -> None:
        asked.append(True)
        raise OSError("no broker")

    def unreadable(*_args: object, **_more: object) -> None:
        raise ScoringError("The stored file can no longer be read.")

    monkeypatch.setattr(tasks.notices_mail, "delay", refuse)
    monkeypatch.setattr(attempts, "score_family", unreadable)
    last = submission.evaluations.latest("pk")
    submission.evaluations.exclude(pk=last.pk).update(state=EvaluationState.DONE)
    with django_capture_on_commit_callbacks(execute=True):
        tasks.evaluation_run(last.pk)
    assert asked == [True]
    assert len(told(cast.member)) == 1
    tasks.notices_sweep()
    assert len(mail.outbox) == 2


# -- the page ---------------------------------------------------------------------


def test_the_page_lists_ones_own_as_they_are_written_and_the_header_counts_them(cast: Cast) -> None:
    for number in range(60):
        users = [cast.owner, cast.member] if number == 0 else [cast.owner]
        send(cast, f"<script>alert({number})", users=users, now=NOW + timedelta(seconds=number))
    client = cast.client(cast.member)
    header = " ".join(client.get("/").content.decode().split())
    assert "1 not read" in header.replace('<span class="visually-hidden">', "")
    page = client.get(LIST).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(0)" in page
    assert "alert" not in text(cast.client(cast.outsider).get(LIST).content)
    client.post(LIST, {"act": "read"})
    assert (unread_count(cast.owner), unread_count(cast.member)) == (60, 0)
    owner = cast.client(cast.owner)
    first, second = (text(owner.get(f"{LIST}?page={n}").content) for n in (1, 2))
    assert ("alert(59)" in first, "alert(9)" in first) == (True, False)
    assert "alert(9)" in second


def test_opening_a_notice_marks_it_as_read(cast: Cast, submission: Submission) -> None:
    finish(submission)
    notice = Notice.objects.get(user=cast.member)
    address = f"{LIST}?act=open&notice={notice.pk}"
    assert cast.client(cast.owner).get(address).status_code == 404
    assert unread_count(cast.member) == 1
    response = cast.client(cast.member).get(address)
    assert response["Location"] == f"/s/{submission.public_id}/"
    assert unread_count(cast.member) == 0
    assert unread_count(cast.owner) == 1
