"""What stays of a form that is refused, and what is said before anything is sent."""

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Phase, Submission
from tests.factories import CANDIDATES, TeamFactory, join, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.packages.files import package
from tests.leaderboard.submissions.test_submit_page import FAULTY, address, check, entry


def test_a_form_without_a_name_comes_back_with_what_was_checked_and_typed(cast: Cast) -> None:
    form = entry(cast.team, system_name="", description="Kept text")
    page = cast.client(cast.member).post(address(cast.phase), form).content.decode()
    for said in ("No errors: 5 clips", "Kept text", "Choose your files again"):
        assert said in page


def test_a_name_is_asked_for_before_anything_is_sent_where_no_metadata_have_one(cast: Cast) -> None:
    """The check says so, and the browser then sends no form without it, which keeps the file."""
    assert 'data-needed="id_system_name"' in check(cast, CANDIDATES).content.decode()
    named = check(cast, package(csv=CANDIDATES), "package.zip").content.decode()
    assert "No errors: 5 clips" in named
    assert "data-needed" not in named
    page = cast.client(cast.member).get(address(cast.phase)).content.decode()
    assert ">System name</label>" in page, "no word of optional"


def test_a_form_that_htmx_sent_is_led_on_by_a_header(cast: Cast) -> None:
    """A redirect would be followed unseen and use up what is said on the next page."""
    response = cast.client(cast.member).post(
        address(cast.phase), entry(cast.team), headers={"HX-Request": "true"}
    )
    submission = Submission.objects.get()
    assert response["HX-Redirect"] == reverse("leaderboard:system", args=[submission.public_id])


def test_who_may_submit_no_more_is_told_when_and_gets_no_form(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    client = cast.client(cast.member)
    for rules, said in (
        ({"quota_per_day": 1}, "The next submission is possible at"),
        (
            {"closes_at": timezone.now().replace(hour=23, minute=59, second=59)},
            "No more submissions are possible: the phase closes before the next day.",
        ),
        (
            {"quota_per_day": None, "quota_total": 1},
            "No more submissions are possible in this phase.",
        ),
        ({"quota_total": None, "systems_per_team": 1}, "Withdraw one to make room: System."),
    ):
        cast.rules(**rules)
        page = client.get(address(cast.phase)).content.decode()
        assert said in page
        assert 'type="file"' not in page
    join(TeamFactory.create(), cast.member)
    assert 'type="file"' in client.get(address(cast.phase)).content.decode()


def test_when_others_read_a_report_is_said_by_the_rule_of_the_phase(cast: Cast) -> None:
    client = cast.client(cast.member)
    page = client.get(address(cast.phase)).content.decode()
    assert "This phase has no closing date, so everyone who can see the system can read" in page
    closes = timezone.now() + timedelta(days=2)
    Phase.objects.filter(pk=cast.phase.pk).update(closes_at=closes)
    said = f"once the phase has closed, at {closes:%Y-%m-%d %H:%M} UTC."
    assert said in client.get(address(cast.phase)).content.decode()
    assert said in client.post(address(cast.phase), entry(cast.team, FAULTY)).content.decode()
