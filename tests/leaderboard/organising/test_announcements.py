"""Announcements reach everyone who sees the challenge, and are corrected openly."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Announcement, AuditEvent
from leaderboard.services.organising.announcements import WRITTEN, announcement_create
from leaderboard.services.organising.edit_conflicts import version_of
from tests.leaderboard.api_client import body, caller
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import text

pytestmark = pytest.mark.one_database

HOSTILE = "Now *open*. <script>alert(1)</script> [x](javascript:alert(1))"


def page(cast: Cast, name: str = "announcements", *args: int) -> str:
    return reverse(f"leaderboard:manage-{name}", args=[cast.phase.challenge.slug, *args])


@pytest.fixture
def told(cast: Cast) -> Announcement:
    return announcement_create(
        challenge=cast.phase.challenge,
        title="Deadline",
        body="On Friday.",
        actor=cast.organiser,
        now=timezone.now() - timedelta(days=1),
    )


def test_what_is_announced_stands_on_the_page_and_in_the_api_latest_first(
    cast: Cast, told: Announcement
) -> None:
    form = {"title": "<b>Open</b>", "body": HOSTILE}
    assert cast.client(cast.organiser).post(page(cast), form).status_code == 302
    public = cast.client(None).get(f"/c/{cast.phase.challenge.slug}/")
    seen = text(public.content)
    assert seen.index("<b>Open</b>") < seen.index("Deadline")
    content = public.content.decode()
    assert "<em>open</em>" in content
    assert "<script>alert" not in content
    assert 'href="javascript' not in content
    found = body(caller(None).get(f"/challenges/{cast.phase.challenge.slug}"))
    assert [row["title"] for row in found["announcements"]] == ["<b>Open</b>", "Deadline"]
    assert found["announcements"][0]["body"] == HOSTILE
    assert found["announcements"][1]["edited_at"] is None
    events = AuditEvent.objects.filter(challenge=cast.phase.challenge)
    assert events.filter(action="announcement.create").count() == 2


def test_a_preview_tells_nobody(cast: Cast) -> None:
    form = {"title": "T", "body": HOSTILE, "preview": "yes"}
    response = cast.client(cast.organiser).post(page(cast), form)
    assert response.status_code == 200
    assert "<em>open</em>" in response.content.decode()
    assert not Announcement.objects.exists()


def test_a_correction_shows_when_and_the_log_what_it_said_before(
    cast: Cast, told: Announcement
) -> None:
    form = {"title": "Deadline", "body": "On Monday.", "version": version_of(told, WRITTEN)}
    address = page(cast, "announcement", told.pk)
    assert cast.client(cast.organiser).post(address, form).status_code == 302
    assert "corrected" in text(cast.client(None).get(f"/c/{cast.phase.challenge.slug}/").content)
    event = AuditEvent.objects.get(action="announcement.change")
    assert event.details == {"before": {"body": "On Friday."}, "after": {"body": "On Monday."}}


def test_who_saves_later_is_told_and_loses_nothing(cast: Cast, told: Announcement) -> None:
    version = version_of(told, WRITTEN)
    address, client = page(cast, "announcement", told.pk), cast.client(cast.organiser)
    client.post(address, {"title": "Theirs", "body": "", "version": version})
    response = client.post(address, {"title": "Mine", "body": "Kept", "version": version})
    assert response.status_code == 422
    assert "saved in the meantime" in text(response.content)
    assert response.context["form"]["title"].value() == "Mine"
    told.refresh_from_db()
    assert told.title == "Theirs"


def test_deleted_it_is_gone_but_not_from_the_log(cast: Cast, told: Announcement) -> None:
    cast.client(cast.organiser).post(page(cast, "announcement-delete", told.pk))
    assert not Announcement.objects.exists()
    event = AuditEvent.objects.get(action="announcement.delete")
    assert event.details["before"] == {"title": "Deadline", "body": "On Friday."}
