"""When a request arrived: what counts for a phase that closes while an upload is under way."""

from datetime import datetime, timedelta

from django.http import HttpRequest
from django.utils import timezone

_ATTRIBUTE = "_arrived_at"
# Five megabytes at 350 kbit/s. Who sends slowly on purpose, to go on working after a phase has
# closed, gains no more than this.
LONGEST_UPLOAD = timedelta(minutes=2)


def note_arrival(request: HttpRequest) -> None:
    """Note that a request arrives now, before anything of its body is read."""
    setattr(request, _ATTRIBUTE, timezone.now())


def arrived_at(request: HttpRequest) -> datetime:
    """Give the moment at which a request arrived, its body having taken two minutes at most.

    Where the body took longer, the request counts as if it had come two minutes ago.
    """
    found: datetime | None = getattr(request, _ATTRIBUTE, None)
    now = timezone.now()
    return now if found is None else max(found, now - LONGEST_UPLOAD)
