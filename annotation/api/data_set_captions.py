"""The captions of a data set, and editing one that nothing was found in."""

from django.utils import timezone
from ninja import P, QueryEx, Router, Schema
from pydantic import Field

from annotation import access
from annotation.models import DataSetCaption
from annotation.services.data_sets.decisions import CaptionUnusable, DecisionRefused, caption_edit
from annotation.services.data_sets.making import DataSetAct
from annotation.text_changes import text_stamp
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import ApiError, Problem
from scoring.captions.file_layout import REFERENCE_LIMITS

_MOST = 2**31 - 1
router = Router(tags=["Data sets"])


class DataSetCaptionOut(Schema):
    """A caption of a data set."""

    id: int
    file_name: str
    number: int = Field(description="Among those of its clip, from 1.")
    text: str = Field(description="As it is now.")
    original: str = Field(description="As it came in.")
    seen: str = Field(description="Stamp of the text. Send it with your edit.")

    @classmethod
    def of(cls, row: DataSetCaption) -> "DataSetCaptionOut":
        """Describe a caption."""
        return cls(
            id=row.pk,
            file_name=row.clip.file_name,
            number=row.number,
            text=row.text,
            original=row.original,
            seen=text_stamp(row.text),
        )


class DataSetCaptionsOut(Schema):
    """Captions in the order of the clips."""

    total: int
    captions: list[DataSetCaptionOut]


class CaptionEditIn(Schema):
    """A caption as it should be."""

    text: str = Field(max_length=REFERENCE_LIMITS.max_caption_chars)
    seen: str = Field(max_length=64, description="Stamp of the caption that you looked at.")


@router.get(
    "/data-sets/{slug:data_set}/captions",
    auth=KNOWN,
    response={200: DataSetCaptionsOut},
    operation_id="data_set_captions",
    summary="List the captions of a data set",
)
def caption_list(
    request: UserRequest,
    data_set: str,
    file_name: QueryEx[
        str, P(max_length=500, pattern=r"^[^\x00]*$", description="Empty: of every clip.")
    ] = "",
    offset: QueryEx[int, P(ge=0, le=_MOST)] = 0,
    limit: QueryEx[int, P(ge=1, le=500)] = 100,
) -> DataSetCaptionsOut:
    """Captions as they are now, in the order of the clips."""
    found = access.data_set_for(request.auth, data_set)
    rows = DataSetCaption.objects.filter(clip__data_set=found).select_related("clip")
    if file_name:
        rows = rows.filter(clip__file_name=file_name)
    shown = rows.order_by("clip__position", "number")[offset : offset + limit]
    return DataSetCaptionsOut(
        total=rows.count(), captions=[DataSetCaptionOut.of(row) for row in shown]
    )


@router.post(
    "/data-sets/{slug:data_set}/captions/{int:caption}",
    auth=KNOWN,
    response={200: DataSetCaptionOut, 409: Problem},
    operation_id="data_set_caption_edit",
    summary="Edit a caption for no finding's sake",
)
def caption_change(
    request: UserRequest, data_set: str, caption: int, told: CaptionEditIn
) -> DataSetCaptionOut:
    """Write a caption anew. Nothing is changed (409) where it is another than you looked at."""
    row = access.data_set_caption_for(request.auth, data_set, caption)
    try:
        caption_edit(
            caption=row,
            text=told.text,
            seen=told.seen,
            act=DataSetAct(request.auth, timezone.now()),
        )
    except CaptionUnusable as refused:
        raise ApiError(422, str(refused), faults=[]) from refused
    except DecisionRefused as refused:
        raise ApiError(409, str(refused)) from refused
    row.refresh_from_db()
    return DataSetCaptionOut.of(row)
