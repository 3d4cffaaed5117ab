"""Rules of phases: written on the challenge's clock, changed with a warning, never lost."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.forms.local_time import LocalMomentField, local_text, moment_of, zone_names
from leaderboard.models import AuditEvent, Phase, Submission
from leaderboard.services.organising.edit_conflicts import version_of
from leaderboard.services.organising.phases import RULES
from leaderboard.services.submissions.human_row import human_row_create
from tests.factories import PhaseFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def page(phase: Phase) -> str:
    return reverse("leaderboard:manage-phase", args=[phase.challenge.slug, phase.slug])


def filled(phase: Phase, **changes: Any) -> dict[str, Any]:
    """What the form of a phase sends, times as the page shows them (in UTC)."""
    found: dict[str, Any] = {"version": version_of(phase, RULES)}
    for name in RULES:
        value = getattr(phase, name)
        if isinstance(value, datetime):
            found[name] = f"{value.astimezone(UTC):%Y-%m-%dT%H:%M}"
        elif value is not None and value is not False:
            found[name] = "on" if value is True else value
    return {**found, **changes}


def test_times_are_written_on_the_clock_of_the_challenge(cast: Cast) -> None:
    cast.phase.challenge.time_zone = "Europe/Berlin"
    cast.phase.challenge.save()
    client = cast.client(cast.organiser)
    form = filled(cast.phase, opens_at="2026-06-01T09:00", closes_at="2026-12-01T09:00")
    assert client.post(page(cast.phase), form).status_code == 302
    cast.phase.refresh_from_db()
    assert cast.phase.opens_at == datetime(2026, 6, 1, 7, tzinfo=UTC)
    assert cast.phase.closes_at == datetime(2026, 12, 1, 8, tzinfo=UTC)
    response = client.get(page(cast.phase))
    assert 'value="2026-06-01T09:00"' in response.content.decode()
    assert "In the time zone Europe/Berlin. It is set to 2026-06-01 07:00 UTC." in text(
        response.content
    )
    listed = text(client.get(f"/manage/{cast.phase.challenge.slug}/phases/").content)
    assert "1 Jun 2026, 09:00 Europe/Berlin (07:00 UTC)" in listed


def test_rules_that_cannot_be(cast: Cast) -> None:
    PhaseFactory.create(challenge=cast.phase.challenge, slug="other")
    before, client = version_of(cast.phase, RULES), cast.client(cast.organiser)
    for changes, said in (
        ({"opens_at": "2026-06-01T09:00", "closes_at": "2026-06-01T09:00"}, "before it opens"),
        ({"opens_at": "tomorrow"}, "“tomorrow” is not a date with a time"),
        ({"slug": "phases"}, "phases is an address of the site itself."),
        ({"slug": "other"}, "Another phase has the address other."),
        ({"ranking_metric": "wer"}, "Select a valid choice."),
        ({"columns": ["wer"]}, "Select a valid choice."),
        ({"precision": "9"}, "less than or equal to 8"),
        ({"quota_per_day": "0"}, "greater than or equal to 1"),
        ({"counting": "first"}, "Select a valid choice."),
    ):
        response = client.post(page(cast.phase), filled(cast.phase, **changes))
        assert response.status_code == 422
        assert said in text(response.content)
        for name in changes:
            assert response.context["form"][name].value() == changes[name]
    cast.phase.refresh_from_db()
    assert version_of(cast.phase, RULES) == before


def test_without_submissions_rules_are_saved_at_once_with_what_they_were(cast: Cast) -> None:
    human_row_create(phase=cast.phase, actor=None, now=timezone.now())
    form = filled(cast.phase, ranking_metric="fer", columns=["fense", "meteor"], slug="anew")
    assert cast.client(cast.organiser).post(page(cast.phase), form).status_code == 302
    event = AuditEvent.objects.get(action="phase.change")
    assert event.challenge == cast.phase.challenge
    assert event.details["before"]["ranking_metric"] == "cider_d"
    assert event.details["after"] == {
        "slug": "anew",
        "ranking_metric": "fer",
        "columns": ["fense", "meteor"],
    }


def test_rules_that_touch_submissions_are_asked_twice(cast: Cast) -> None:
    scored(cast.phase, cast.team, "Ahead", 0.9)
    client = cast.client(cast.organiser)
    form = filled(cast.phase, ranking_metric="fense", references_public="")
    response = client.post(page(cast.phase), form)
    assert response.status_code == 422
    seen = text(response.content)
    assert "Nothing has been saved yet." in seen
    assert "Ranked by FENSE instead of CIDEr-D" in seen
    assert "References are hidden: only organisers see captions" in seen
    cast.phase.refresh_from_db()
    assert cast.phase.ranking_metric == "cider_d"
    form["confirmed"] = response.context["confirmed"]
    # What was changed after the warning was read is not confirmed by it.
    assert client.post(page(cast.phase), {**form, "precision": "1"}).status_code == 422
    assert client.post(page(cast.phase), form).status_code == 302
    cast.phase.refresh_from_db()
    assert (cast.phase.ranking_metric, cast.phase.references_public) == ("fense", False)


def test_what_nobody_notices_needs_no_warning_and_the_address_stays(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    slug = cast.phase.slug
    form = filled(cast.phase, name="Renamed", quota_per_day="7", slug="moved")
    assert cast.client(cast.organiser).post(page(cast.phase), form).status_code == 302
    cast.phase.refresh_from_db()
    assert (cast.phase.name, cast.phase.quota_per_day, cast.phase.slug) == ("Renamed", 7, slug)


def test_each_consequence_is_said(cast: Cast) -> None:
    cast.rules(quota_shared=False)
    submit(cast.phase, cast.team)
    client = cast.client(cast.organiser)
    for changes, said in (
        ({"closes_at": "2020-01-01T00:00"}, "The phase is closed at once"),
        (
            {"closes_at": "2099-01-01T00:00"},
            "Technical reports that others can read now are hidden until then.",
        ),
        ({"opens_at": "2099-01-01T00:00"}, "not open again until then"),
        ({"names_hidden_until": "2099-01-01T00:00"}, "Names are hidden from now on."),
        ({"systems_per_team": "2"}, "At most 2 systems per team"),
        ({"precision": "1"}, "equal at 1 decimal are ties"),
        ({"counting": "chosen"}, "or its latest if it has chosen none"),
        ({"scores_public": ""}, "only organisers see the leaderboard"),
        ({"quota_shared": "on"}, "share their quota from now on"),
        ({"quota_total": "1"}, "1 of 1 teams have used them up"),
    ):
        response = client.post(page(cast.phase), filled(cast.phase, **changes))
        assert said in text(response.content)


def test_phases_are_moved_as_far_as_there_are_places(cast: Cast) -> None:
    challenge = cast.phase.challenge
    PhaseFactory.create(challenge=challenge, slug="b")
    PhaseFactory.create(challenge=challenge, slug="c")
    client = cast.client(cast.organiser)

    def order() -> list[str]:
        return [phase.slug for phase in challenge.phases.order_by("position", "id")]

    first = cast.phase.slug
    client.post(page(cast.phase), {"act": "move", "to": "down"})
    assert order() == ["b", first, "c"]
    for _ in range(3):
        client.post(page(cast.phase), {"act": "move", "to": "up"})
    assert order() == [first, "b", "c"]
    assert AuditEvent.objects.filter(action="phase.move").count() == 2


def test_a_phase_is_deleted_only_while_nothing_was_submitted(cast: Cast) -> None:
    client = cast.client(cast.organiser)
    submission = submit(cast.phase, cast.team)
    delete, confirmed = {"act": "delete"}, {"act": "delete", "confirmed": "yes"}
    assert "has 1 submission" in text(client.post(page(cast.phase), delete).content)
    assert client.post(page(cast.phase), confirmed).status_code == 409
    assert Submission.objects.filter(pk=submission.pk).exists()
    spare = PhaseFactory.create(challenge=cast.phase.challenge)
    human_row_create(phase=spare, actor=None, now=timezone.now())
    assert client.post(page(spare), delete).status_code == 200
    assert Phase.objects.filter(pk=spare.pk).exists()
    assert client.post(page(spare), confirmed).status_code == 302
    assert not Phase.objects.filter(pk=spare.pk).exists()
    event = AuditEvent.objects.get(action="phase.delete")
    assert event.details["before"]["name"] == spare.name


ZONES = st.sampled_from(zone_names())
CLOCKS = st.datetimes(datetime(2000, 1, 2), datetime(2099, 12, 30)).map(  # noqa: DTZ001
    lambda at: at.replace(second=0, microsecond=0)
)


@given(clock=CLOCKS, zone=ZONES)
def test_what_was_written_is_read_back_or_refused(clock: datetime, zone: str) -> None:
    key = ZoneInfo(zone)
    try:
        found = moment_of(clock, key)
    except ValidationError:
        first, second = (clock.replace(tzinfo=key, fold=fold).astimezone(UTC) for fold in (0, 1))
        assert first != second
        return
    assert found.tzinfo is UTC
    assert found.astimezone(key).replace(tzinfo=None) == clock
    # No other moment shows the same clock.
    for hours in (-2, -1, 1, 2):
        other = (found + timedelta(hours=hours)).astimezone(key)
        assert other.replace(tzinfo=None) != clock


@pytest.mark.parametrize(
    ("clock", "zone", "said"),
    [
        ("2026-03-29T02:30", "Europe/Berlin", "does not exist in Europe/Berlin"),
        ("2026-03-29T02:30", "Europe/Berlin", "Write 01:30 or 03:30."),
        ("2026-10-25T02:30", "Europe/Berlin", "comes twice in Europe/Berlin"),
        ("2026-10-25T02:30", "Europe/Berlin", "at 00:30 and at 01:30 UTC"),
        # Half an hour on Lord Howe Island.
        ("2026-10-04T02:15", "Australia/Lord_Howe", "Write 01:45 or 02:45."),
        ("tomorrow", "UTC", "“tomorrow” is not a date with a time"),
        ("2026-02-30T10:00", "UTC", "“2026-02-30T10:00” is not a date"),
        ("0001-01-01T00:00", "Asia/Tokyo", "is not a date"),
        ("9999-12-31T23:59", "America/Lima", "is not a date"),
    ],
)
def test_refusals_say_what_to_write(clock: str, zone: str, said: str) -> None:
    field = LocalMomentField()
    field.set_up(ZoneInfo(zone), None)
    with pytest.raises(ValidationError, match=r".") as refused:
        field.clean(clock)
    assert said in refused.value.messages[0]


def test_a_moment_that_nobody_touched_stays_to_the_second() -> None:
    # In the hour that comes twice, and with seconds: neither can be written.
    kept = datetime(2026, 10, 25, 1, 30, 12, 345, tzinfo=UTC)
    zone = ZoneInfo("Europe/Berlin")
    field = LocalMomentField()
    field.set_up(zone, kept)
    assert field.clean(local_text(kept, zone)) == kept
    assert not field.has_changed(kept, local_text(kept, zone))
