"""Times that organisers write: every clock of the world, also where it skips or repeats an hour."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.forms.local_time import LocalMomentField, local_text, moment_of, zone_names

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
