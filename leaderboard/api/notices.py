"""What a person was told."""

from typing import Annotated

from django.http import Http404
from django.utils import timezone
from ninja import Query, Router
from pydantic import Field

from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.schemas.errors import READ_ERRORS, Faulty, Problem
from leaderboard.api.schemas.notices import NoticeOut, NoticesOut, NoticesRead
from leaderboard.selectors.notices import notices_of, unread_count
from leaderboard.services.notices import notices_read

router = Router(tags=["Account"])
# The largest number that every database takes as a key.
MOST = 2**63 - 1


@router.get(
    "/notices",
    auth=KNOWN,
    response={200: NoticesOut, 401: Problem, 403: Problem, 422: Faulty, 429: Problem},
    operation_id="notices",
    summary="Read your notices",
)
def notices(
    request: UserRequest,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    unread: bool = False,
) -> NoticesOut:
    """Give what you were told, the latest first; with ``unread`` only what you have not read."""
    rows = notices_of(request.auth)
    if unread:
        rows = rows.filter(read_at=None)
    return NoticesOut(
        unread=unread_count(request.auth),
        total=rows.count(),
        notices=[NoticeOut.of(row) for row in rows[offset : offset + limit]],
    )


@router.post(
    "/notices/read",
    auth=KNOWN,
    response={200: NoticesRead, 401: Problem, 403: Problem, 429: Problem},
    operation_id="notices_read",
    summary="Mark all your notices as read",
)
def notices_mark_all(request: UserRequest) -> NoticesRead:
    """Mark all that you were told as read."""
    return NoticesRead(marked=notices_read(user=request.auth, now=timezone.now()))


@router.post(
    "/notices/{notice_id}/read",
    auth=KNOWN,
    response={200: NoticesRead, **READ_ERRORS, 403: Problem, 422: Faulty},
    operation_id="notice_read",
    summary="Mark a notice as read",
)
def notice_mark(
    request: UserRequest, notice_id: Annotated[int, Field(ge=1, le=MOST)]
) -> NoticesRead:
    """Mark one notice of yours as read."""
    if not notices_of(request.auth).filter(pk=notice_id).exists():
        raise Http404
    marked = notices_read(user=request.auth, now=timezone.now(), pk=notice_id)
    return NoticesRead(marked=marked)
