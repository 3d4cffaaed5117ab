"""Rules of phases: written on the challenge's clock, changed with a warning, never lost."""

import re
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
from tests.factories import PhaseFactory, UserFactory, submit
from tests.leaderboard.conftest import Cast
from tests.leaderboard.scored_pages import scored, text


def page(phase: Phase, name: str = "phase") -> str:
    return reverse(f"leaderboard:manage-{name}", args=[phase.challenge.slug, phase.slug])


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
    assert "On the clock of Europe/Berlin. It is set to 2026-06-01 07:00 UTC." in text(
        response.content
    )
    listed = text(client.get(f"/manage/{cast.phase.challenge.slug}/phases/").content)
    assert "1 Jun 2026, 09:00 Europe/Berlin (07:00 UTC)" in listed


def test_a_time_that_does_not_exist_is_refused_and_stays_in_the_form(cast: Cast) -> None:
    cast.phase.challenge.time_zone = "Europe/Berlin"
    cast.phase.challenge.save()
    form = filled(cast.phase, opens_at="2026-03-29T02:30", name="Kept")
    response = cast.client(cast.organiser).post(page(cast.phase), form)
    assert response.status_code == 422
    assert "Write 01:30 or 03:30." in text(response.content)
    assert 'value="2026-03-29T02:30"' in response.content.decode()
    assert 'value="Kept"' in response.content.decode()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"opens_at": "2026-06-01T09:00", "closes_at": "2026-06-01T09:00"}, "before it opens"),
        ({"slug": "phases"}, "phases is an address of the site itself."),
        ({"slug": "other"}, "Another phase has the address other."),
        ({"ranking_metric": "wer"}, "Select a valid choice."),
        ({"columns": ["wer"]}, "Select a valid choice."),
        ({"precision": "9"}, "less than or equal to 8"),
        ({"quota_per_day": "0"}, "greater than or equal to 1"),
        ({"counting": "first"}, "Select a valid choice."),
    ],
)
def test_rules_that_cannot_be(cast: Cast, changes: dict[str, Any], said: str) -> None:
    PhaseFactory.create(challenge=cast.phase.challenge, slug="other")
    before = version_of(cast.phase, RULES)
    response = cast.client(cast.organiser).post(page(cast.phase), filled(cast.phase, **changes))
    assert response.status_code == 422
    assert said in text(response.content)
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
    assert "Nothing was saved yet." in seen
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


def test_what_nobody_notices_needs_no_warning(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    form = filled(cast.phase, name="Renamed", quota_per_day="7")
    assert cast.client(cast.organiser).post(page(cast.phase), form).status_code == 302
    cast.phase.refresh_from_db()
    assert (cast.phase.name, cast.phase.quota_per_day) == ("Renamed", 7)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"closes_at": "2020-01-01T00:00"}, "The phase is closed at once"),
        (
            {"closes_at": "2099-01-01T00:00"},
            "Technical reports that others can read now are hidden until then.",
        ),
        ({"opens_at": "2099-01-01T00:00"}, "not open again until then"),
        ({"names_hidden_until": "2099-01-01T00:00"}, "Names are hidden from now on."),
        ({"systems_per_team": "2"}, "At most 2 systems per team"),
        ({"precision": "1"}, "ties at 1 decimals"),
        ({"counting": "chosen"}, "who has chosen none has no rank"),
        ({"scores_public": ""}, "only organisers see the leaderboard"),
    ],
)
def test_each_consequence_is_said(cast: Cast, changes: dict[str, Any], said: str) -> None:
    submit(cast.phase, cast.team)
    response = cast.client(cast.organiser).post(page(cast.phase), filled(cast.phase, **changes))
    assert said in text(response.content)


def test_that_teams_share_their_quota_from_now_on_is_said(cast: Cast) -> None:
    cast.rules(quota_shared=False)
    submit(cast.phase, cast.team)
    client, form = cast.client(cast.organiser), filled(cast.phase, quota_shared="on")
    response = client.post(page(cast.phase), form)
    assert "share their quota from now on" in text(response.content)
    form["confirmed"] = response.context["confirmed"]
    assert client.post(page(cast.phase), form).status_code == 302
    cast.phase.refresh_from_db()
    assert cast.phase.quota_shared


def test_the_address_stays_once_systems_were_submitted(cast: Cast) -> None:
    submit(cast.phase, cast.team)
    slug = cast.phase.slug
    cast.client(cast.organiser).post(page(cast.phase), filled(cast.phase, slug="moved"))
    cast.phase.refresh_from_db()
    assert cast.phase.slug == slug


def test_who_saves_later_is_told_and_loses_nothing(cast: Cast) -> None:
    other = UserFactory.create(username="early")
    cast.phase.challenge.organisers.add(other)
    client = cast.client(cast.organiser)
    late = filled(cast.phase, name="Mine", quota_total="9")
    cast.client(other).post(page(cast.phase), filled(cast.phase, name="Theirs", quota_per_day="2"))
    response = client.post(page(cast.phase), late)
    assert response.status_code == 422
    seen = text(response.content)
    assert "early saved in the meantime" in seen
    assert "Theirs" in seen
    form = response.context["form"]
    assert (form["name"].value(), form["quota_total"].value()) == ("Mine", "9")
    cast.phase.refresh_from_db()
    assert (cast.phase.name, cast.phase.quota_total) == ("Theirs", None)
    late["version"] = form["version"].value()
    assert client.post(page(cast.phase), late).status_code == 302
    cast.phase.refresh_from_db()
    assert (cast.phase.name, cast.phase.quota_total) == ("Mine", 9)


def test_a_phase_is_added_last_and_goes_on_to_its_references(cast: Cast) -> None:
    challenge = cast.phase.challenge
    form = filled(cast.phase, name="Second split", slug="", version="")
    response = cast.client(cast.organiser).post(f"/manage/{challenge.slug}/phases/new/", form)
    made = challenge.phases.get(slug="second-split")
    assert response["Location"] == page(made, "references")
    assert made.position == cast.phase.position + 1
    assert AuditEvent.objects.get(action="phase.create").challenge == challenge


def test_phases_are_moved_as_far_as_there_are_places(cast: Cast) -> None:
    challenge = cast.phase.challenge
    PhaseFactory.create(challenge=challenge, slug="b")
    PhaseFactory.create(challenge=challenge, slug="c")
    client = cast.client(cast.organiser)

    def order() -> list[str]:
        return [phase.slug for phase in challenge.phases.order_by("position", "id")]

    first = cast.phase.slug
    client.post(page(cast.phase, "phase-move"), {"to": "down"})
    assert order() == ["b", first, "c"]
    for _ in range(3):
        client.post(page(cast.phase, "phase-move"), {"to": "up"})
    assert order() == [first, "b", "c"]
    assert AuditEvent.objects.filter(action="phase.move").count() == 2


def test_a_phase_is_deleted_only_while_nothing_was_submitted(cast: Cast) -> None:
    client = cast.client(cast.organiser)
    submission = submit(cast.phase, cast.team)
    assert "has 1 submission" in text(client.get(page(cast.phase, "phase-delete")).content)
    response = client.post(page(cast.phase, "phase-delete"))
    assert response.status_code == 409
    assert Submission.objects.filter(pk=submission.pk).exists()
    spare = PhaseFactory.create(challenge=cast.phase.challenge)
    human_row_create(phase=spare, actor=None, now=timezone.now())
    assert client.get(page(spare, "phase-delete")).status_code == 200
    assert client.post(page(spare, "phase-delete")).status_code == 302
    assert not Phase.objects.filter(pk=spare.pk).exists()
    event = AuditEvent.objects.get(action="phase.delete")
    assert event.details["before"]["name"] == spare.name


def test_a_moment_with_seconds_is_no_change(cast: Cast) -> None:
    cast.rules(opens_at=timezone.now() - timedelta(days=1))
    client = cast.client(cast.organiser)
    assert client.post(page(cast.phase), filled(cast.phase)).status_code == 302
    assert not AuditEvent.objects.filter(action="phase.change").exists()


@pytest.mark.parametrize("name", ["phase", "references", "audio", "ranking", "rescoring"])
def test_every_page_of_a_phase_marks_where_it_is(cast: Cast, name: str) -> None:
    address = reverse(
        f"leaderboard:manage-{name}", args=[cast.phase.challenge.slug, cast.phase.slug]
    )
    content = cast.client(cast.organiser).get(address).content.decode()
    tabs = content[content.index("Managing ") :]
    assert re.search(r'aria-current="(page|true)">Phases</a>', tabs)


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


def test_empty_is_no_date() -> None:
    assert LocalMomentField().clean(" ") is None
