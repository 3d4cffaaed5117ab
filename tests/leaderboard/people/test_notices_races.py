"""Evaluations of one submission that end at the same moment tell its team once, and do tell it."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings
from django.core import mail
from django.utils import timezone

from leaderboard.models import EvaluationState, Notice, NoticeKind
from leaderboard.services.evaluations.states import evaluation_claim, evaluation_finish
from leaderboard.services.jobs.states import JobClaim
from leaderboard.services.people.notices import (
    missed_scoring_notices_send,
    notice_send,
    notices_mail,
)
from tests.factories import PhaseFactory, TeamFactory, UserFactory, join, submit
from tests.leaderboard.at_once import at_once
from tests.leaderboard.evaluations.worker_process import running_worker

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS, AT_ONCE = 5, 4


def test_the_last_ones_that_end_at_once_tell_exactly_once(transactional_db: None) -> None:
    phase, team, user = PhaseFactory.create(), TeamFactory.create(), UserFactory.create()
    join(team, user)

    def end(claim: JobClaim | None) -> None:
        if claim is None:
            missed_scoring_notices_send(now=timezone.now())
        else:
            evaluation_finish(claim=claim, scores=[], now=timezone.now())

    for _ in range(ROUNDS):
        submission = submit(phase, team)
        keys = list(submission.evaluations.values_list("pk", flat=True))
        submission.evaluations.filter(pk__in=keys[AT_ONCE:]).update(
            state=EvaluationState.DONE, finished_at=timezone.now()
        )
        now = timezone.now()
        claims = [
            evaluation_claim(evaluation_id=key, now=now, lease=timedelta(minutes=5))
            for key in keys[:AT_ONCE]
        ]
        assert at_once(*(partial(end, claim) for claim in (*claims, None))) == [None] * 5
        assert Notice.objects.filter(submission=submission).count() == 1


def test_workers_that_mail_at_once_send_each_notice_once(transactional_db: None) -> None:
    users = UserFactory.create_batch(6)
    now = timezone.now()
    notice_send(users=users, kind=NoticeKind.TEAM, text="Something happened.", now=now)
    assert sum(at_once(*[partial(notices_mail, now=now)] * AT_ONCE)) == len(users)
    assert sorted(message.to[0] for message in mail.outbox) == sorted(user.email for user in users)


def test_a_real_worker_mails_what_waits(transactional_db: None, tmp_path: Path) -> None:
    user = UserFactory.create(email="nora@example.org")
    notice_send(users=[user], kind=NoticeKind.TEAM, text="A tin roof rang.", now=timezone.now())
    with running_worker(tmp_path) as worker:
        worker.wait_until(
            lambda: Notice.objects.filter(mailed_at__isnull=False, mail_due_at=None).exists(),
            what="the notice is mailed",
        )
    # Workers of other tests leave their mail in the same folder.
    mails = [path.read_text() for path in (Path(settings.VAR_DIR) / "mail").iterdir()]
    [sent] = [mail for mail in mails if "To: nora@example.org" in mail]
    assert "A tin roof rang." in sent
