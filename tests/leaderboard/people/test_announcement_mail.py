"""Announcements by e-mail: to who takes part, once each, until they want no more."""

import email
import email.policy
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site
from django.core import mail
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from leaderboard import tasks
from leaderboard.models import (
    Announcement,
    AnnouncementOptOut,
    AuditEvent,
    Challenge,
    ChallengeParticipation,
    Notice,
    NoticeKind,
    ParticipationState,
    User,
)
from leaderboard.selectors.people.notices import (
    AnnouncementMails,
    mailed_people,
    mailing_of,
    unsubscribe_address,
)
from leaderboard.services.people import notices
from leaderboard.services.people.announcements import announcement_create, announcement_mail
from leaderboard.services.people.notices import WAITS, notice_send, notices_mail
from leaderboard.web.refusals import Refused
from tests.factories import ChallengeFactory, TeamFactory, UserFactory, join, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text


@pytest.fixture
def news(cast: Cast) -> Announcement:
    """An announcement of a challenge in which the cast's team takes part."""
    takes_part(cast, ParticipationState.ADMITTED)
    return announced(cast)


def announced(cast: Cast, title: str = "Deadline", words: str = "On <Friday>.") -> Announcement:
    return announcement_create(
        challenge=cast.phase.challenge,
        title=title,
        body=words,
        actor=cast.organiser,
        now=timezone.now(),
    )


def takes_part(cast: Cast, state: ParticipationState) -> None:
    ChallengeParticipation.objects.create(
        challenge=cast.phase.challenge, team=cast.team, state=state, asked_at=timezone.now()
    )


def send(cast: Cast, announcement: Announcement) -> int:
    return announcement_mail(announcement=announcement, actor=cast.organiser, now=timezone.now())


def sent_to() -> list[str]:
    return sorted(message.to[0] for message in mail.outbox)


def counted(announcement: Announcement) -> AnnouncementMails:
    announcement.refresh_from_db()
    return mailing_of(announcement)


# -- to whom ------------------------------------------------------------------------


def test_it_goes_to_members_of_teams_that_take_part_or_submitted_each_once(cast: Cast) -> None:
    """To nobody who was not admitted, or takes part in another challenge."""
    takes_part(cast, ParticipationState.ADMITTED)
    old, twice = TeamFactory.create(), TeamFactory.create()
    for team in (old, twice):
        submit(cast.phase, team)
        submit(cast.phase, team)
        join(team, cast.member)
    join(old, third := UserFactory.create())
    of, others = cast.phase.challenge, ChallengeFactory.create()
    for challenge, state in (
        (of, ParticipationState.ASKED),
        (of, ParticipationState.REFUSED),
        (of, ParticipationState.WITHDRAWN),
        (others, ParticipationState.ADMITTED),
    ):
        join(team := TeamFactory.create(), UserFactory.create())
        ChallengeParticipation.objects.create(
            challenge=challenge, team=team, state=state, asked_at=timezone.now()
        )
    assert send(cast, announced(cast)) == 3
    assert notices_mail(now=timezone.now()) == 3
    assert sent_to() == sorted(user.email for user in (cast.owner, cast.member, third))


@pytest.mark.parametrize(
    "change",
    [{"mail_notices": False}, {"mail_announcements": False}, {"email": ""}, {"is_active": False}],
)
def test_who_wants_or_can_have_no_mail_gets_none_but_the_notice(
    cast: Cast, news: Announcement, settings: Settings, change: dict[str, Any]
) -> None:
    assert mailed_people(news.challenge).count() == 2
    User.objects.filter(pk=cast.owner.pk).update(**change)
    assert counted(news).addressed == 1
    assert send(cast, news) == 1
    notices_mail(now=timezone.now())
    assert sent_to() == [cast.member.email]
    told = Notice.objects.filter(user=cast.owner, kind=NoticeKind.NEWS).count()
    assert told == int("is_active" not in change)
    # An address that may be somebody else's gets none.
    EmailAddress.objects.create(user=cast.member, email=cast.member.email, verified=False)
    assert not mailed_people(news.challenge).exists()
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    assert list(mailed_people(news.challenge)) == [cast.member]


# -- what it says -------------------------------------------------------------------


def test_the_mail_is_plain_and_has_what_unsubscribes(cast: Cast, news: Announcement) -> None:
    send(cast, news)
    notices_mail(now=timezone.now())
    message = next(one for one in mail.outbox if one.to == [cast.owner.email])
    assert message.subject == f"{news.challenge.title}: Deadline"
    assert "On <Friday>." in message.body
    assert f"http://127.0.0.1:8000/c/{news.challenge.slug}/" in message.body
    read = email.message_from_bytes(message.message().as_bytes(), policy=email.policy.default)
    leave = unsubscribe_address(cast.owner, news.challenge).rsplit(":", 2)[0]
    assert read.get_content_type() == "text/plain"
    assert read["List-Unsubscribe"].strip().startswith(f"<{leave}")
    assert read["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert read["List-Unsubscribe"].strip().strip("<>") in message.body


def test_hostile_titles_add_no_header(cast: Cast, news: Announcement) -> None:
    Announcement.objects.filter(pk=news.pk).update(title="A\r\nBcc: all@example.org\r\n\r\nBody")
    news.challenge.title = "B\nX-Evil: 1 <i>"
    news.challenge.save()
    send(cast, news)
    assert notices_mail(now=timezone.now()) == 2
    raw = mail.outbox[0].message().as_bytes()
    read = email.message_from_bytes(raw, policy=email.policy.default)
    assert read["Bcc"] is None
    assert read["X-Evil"] is None
    assert mail.outbox[0].recipients() == mail.outbox[0].to
    assert mail.outbox[0].subject == "B X-Evil: 1 <i>: A Bcc: all@example.org Body"


# -- once ---------------------------------------------------------------------------


def test_it_is_sent_once_and_only_of_what_is_published(cast: Cast, news: Announcement) -> None:
    Challenge.objects.update(published=False)
    news.refresh_from_db()
    with pytest.raises(Refused, match="Publish it before"):
        send(cast, news)
    Challenge.objects.update(published=True)
    news.refresh_from_db()
    assert send(cast, news) == 2
    with pytest.raises(Refused, match="already been sent"):
        send(cast, news)
    for later in range(5):
        notices_mail(now=timezone.now() + timedelta(days=later))
    assert len(sent_to()) == 2
    assert AuditEvent.objects.get(action="announcement.mail").details["mails"] == 2


class Killed(BaseException):
    """What ends a process in the middle, which nothing catches."""


@pytest.mark.parametrize("after_sending", [False, True])
def test_a_task_that_is_killed_and_started_again_mails_everyone_under_one_id_each(
    cast: Cast, news: Announcement, monkeypatch: pytest.MonkeyPatch, after_sending: bool
) -> None:
    """Only the mail in hand can leave twice, and then mailboxes know it by its Message-ID."""
    for user in UserFactory.create_batch(6):
        join(cast.team, user)
    assert send(cast, news) == 8
    real = EmailMessage.send

    def killed_at_the_third(message: EmailMessage, *args: Any) -> int:
        if len(mail.outbox) == 2:
            if after_sending:
                real(message, *args)
            raise Killed
        return real(message, *args)

    now = timezone.now()
    with monkeypatch.context() as patch:
        patch.setattr(EmailMessage, "send", killed_at_the_third)
        with pytest.raises(Killed):
            notices_mail(now=now)
    assert notices_mail(now=now) == 5
    assert notices_mail(now=now + WAITS[0]) == 1
    assert notices_mail(now=now + timedelta(days=1)) == 0
    ids = {(message.to[0], message.extra_headers["Message-ID"]) for message in mail.outbox}
    assert len(ids) == len({to for to, _ in ids}) == len({name for _, name in ids}) == 8
    assert len(mail.outbox) == 8 + after_sending
    assert counted(news) == AnnouncementMails(addressed=8, others=0, sent=8, waiting=0)


def test_it_goes_in_bounded_batches_behind_what_concerns_one_person(
    cast: Cast,
    news: Announcement,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    monkeypatch.setattr(notices, "AT_ONCE", 1)
    batches: list[int] = []
    monkeypatch.setattr(tasks.notices_mail, "delay", lambda: batches.append(len(mail.outbox)))
    send(cast, news)
    notice_send(users=[cast.outsider], kind=NoticeKind.TEAM, text="Urgent.", now=timezone.now())
    for _ in range(3):
        with django_capture_on_commit_callbacks(execute=True):
            tasks.notices_mail()
    assert batches == [1, 2], "each sends for the next"
    assert mail.outbox[0].to == [cast.outsider.email]
    assert len(mail.outbox) == 3


# -- wanting no more ----------------------------------------------------------------


def leave_path(user: User, announcement: Announcement) -> str:
    return unsubscribe_address(user, announcement.challenge).removeprefix(site.SITE_URL)


def test_one_click_ends_them_without_a_log_in_for_that_person_and_challenge_alone(
    cast: Cast, news: Announcement
) -> None:
    send(cast, news)
    path = leave_path(cast.owner, news)
    visitor = Client(enforce_csrf_checks=True)
    shown = visitor.get(path)
    assert "Stop these e-mails" in shown.content.decode()
    assert cast.owner.username not in shown.content.decode()
    assert not AnnouncementOptOut.objects.exists(), "looking changes nothing"
    assert visitor.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    row = AnnouncementOptOut.objects.get()
    assert (row.user, row.challenge) == (cast.owner, news.challenge)
    assert "no longer sent" in text(visitor.post(path).content), "twice is no error"
    assert list(mailed_people(news.challenge)) == [cast.member]
    # Nor does the mail come that waited then.
    notices_mail(now=timezone.now())
    assert sent_to() == [cast.member.email]
    assert counted(news).dropped == 1
    cast.phase.challenge = ChallengeFactory.create()
    takes_part(cast, ParticipationState.ADMITTED)
    assert mailed_people(cast.phase.challenge).count() == 2
    client, account = cast.client(cast.owner), reverse("leaderboard:account")
    assert news.challenge.title in text(client.get(account).content)
    opt_out = AnnouncementOptOut.objects.get(user=cast.owner)
    back = {"act": "announcements", "opt_out": opt_out.pk}
    assert client.post(account, back).status_code == 302
    assert news.challenge.title not in text(client.get(account).content)
    assert mailed_people(news.challenge).count() == 2
    assert client.post(account, back).status_code == 404


def test_a_forged_or_broken_link_changes_nothing(cast: Cast, news: Announcement) -> None:
    path = leave_path(cast.owner, news)
    others = leave_path(cast.member, news).split("/")[2].split(":")[0]
    own = path.split("/")[2].split(":")
    for token in ("x", ":".join([others, *own[1:]]), path.split("/")[2][:-1]):
        response = Client().post(f"/unsubscribe/{token}/")
        assert response.status_code == 404
        assert "This link does not work" in text(response.content)
    assert not AnnouncementOptOut.objects.exists()
    cast.owner.delete()
    assert Client().post(path).status_code == 404


# -- the page -----------------------------------------------------------------------


def test_organisers_see_how_many_before_and_how_many_after(cast: Cast, news: Announcement) -> None:
    User.objects.filter(pk=cast.owner.pk).update(mail_announcements=False)
    client = cast.client(cast.organiser)
    address = cast.managed("announcement", news.pk)
    shown = text(client.get(address).content)
    assert "1 person would get it" in shown
    assert "1 more gets only a notice on the site" in shown
    assert client.post(address, {"act": "mail"}).status_code == 302
    assert "0 of 1 mail went out, 1 is on the way" in text(client.get(address).content)
    notices_mail(now=timezone.now())
    assert "1 of 1 mail went out" in text(client.get(address).content)
    assert "sent to 1" in text(client.get(cast.managed("announcements")).content)
    again = client.post(address, {"act": "mail"}, follow=True)
    assert "It was not sent again" in again.content.decode()
