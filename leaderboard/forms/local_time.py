"""Times as organisers write them: on the clock of the challenge's time zone."""

import re
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.core.exceptions import ValidationError

_WRITTEN = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?")
FIRST_YEAR, LAST_YEAR = 2000, 2100
# The others are older names of the same, or abbreviations that mean several things.
_REGIONS = {
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
}


@cache
def zone_names() -> tuple[str, ...]:
    """Time zones of the IANA list that are places, by name; UTC first."""
    places = {name for name in available_timezones() if name.split("/")[0] in _REGIONS}
    return ("UTC", *sorted(places))


def local_text(at: datetime, zone: ZoneInfo) -> str:
    """Write a moment as a field for date and time has it."""
    return f"{at.astimezone(zone):%Y-%m-%dT%H:%M}"


def moment_of(clock: datetime, zone: ZoneInfo) -> datetime:
    """The moment at which a clock in ``zone`` shows ``clock``, in UTC.

    Raises ``ValidationError`` for a time that the clock skips or shows twice.
    """
    first, second = (clock.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first == second:
        return first
    at = f"{clock:%H:%M} on {clock.day} {clock:%B %Y}"
    if first > second:
        # Read with the offset of before, it lies after the clocks were put forward.
        later, earlier = first.astimezone(zone), second.astimezone(zone)
        raise ValidationError(
            f"{at} does not exist in {zone.key}, where clocks are put forward then. Write "
            f"{earlier:%H:%M} or {later:%H:%M}."
        )
    raise ValidationError(
        f"{at} comes twice in {zone.key}, where clocks are put back then: at {first:%H:%M} and "
        f"at {second:%H:%M} UTC. Write a time outside that hour."
    )


class LocalMomentField(forms.CharField):
    """A moment, written on the clock of a time zone; its value is in UTC, or None where empty.

    ``set_up`` must be called before use. A text that was not changed means the
    moment that was there, also where it has seconds or lies in an hour that comes twice.
    """

    zone = ZoneInfo("UTC")
    stored: datetime | None = None

    def __init__(self, **options: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(required=False, widget=widget, **options)

    def set_up(self, zone: ZoneInfo, stored: datetime | None) -> None:
        """Set the time zone, and the moment that is there already."""
        self.zone, self.stored = zone, stored

    def prepare_value(self, value: Any) -> Any:
        """Write a moment; a text that was typed stays as it is."""
        return local_text(value, self.zone) if isinstance(value, datetime) else value

    def clean(self, value: Any) -> Any:
        """The moment; raises ``ValidationError``."""
        text = (value or "").strip()
        if not text:
            return None
        if self.stored is not None and text == local_text(self.stored, self.zone):
            return self.stored
        match = _WRITTEN.fullmatch(text)
        try:
            clock = datetime(*(int(part) for part in match.groups())) if match else None  # type: ignore[arg-type]  # noqa: DTZ001
        except ValueError:
            clock = None
        if clock is None or not FIRST_YEAR <= clock.year <= LAST_YEAR:
            raise ValidationError(
                f"“{text[:40]}” is not a date with a time. Write one such as 2026-04-30T23:59."
            )
        return moment_of(clock, self.zone)

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether another time was written."""
        was = local_text(initial, self.zone) if isinstance(initial, datetime) else ""
        return was != (data or "").strip()
