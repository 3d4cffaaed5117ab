"""Captions and labels of a project as files, for those who manage it."""

from typing import Any, Literal

from django.conf import settings
from django.http import HttpResponseBase
from django.utils import timezone
from ninja import File, Form, P, QueryEx, Router, Schema, UploadedFile
from ninja.decorators import decorate_view
from pydantic import Field

from annotation import access, tasks
from annotation.file_responses import download_response
from annotation.models import Role
from annotation.selectors.formats import FORMATS, ExportSelection, NoSuchPerson, download_of
from annotation.services.formats.sources import CaptionSource, project_fill
from annotation.services.labels import NoMapping
from annotation.services.projects import ProjectAct
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import (
    ApiError,
    TooLarge,
)
from leaderboard.web.body_limits import upload_capped
from leaderboard.web.rate_limits import Rate
from leaderboard.web.upload_turns import reads_upload


class ExportChoice(Schema):
    """Which file."""

    format: Literal["prodigy", "bio", "docbin", "hf"] = "prodigy"
    who: str = Field(
        "all", max_length=80, description='"all", "gold" for what is settled, or a member\'s name.'
    )
    answer: Literal["accept", "reject", "ignore", "any"] | None = Field(
        None, description="Default: any for prodigy, accept for the other formats."
    )


class ImportIn(Schema):
    """How a file is read."""

    map_from: str = Field(
        "",
        max_length=50,
        description="Scheme of the file's labels, where they are to become the project's.",
    )


class SkippedOut(Schema):
    """A line that was left out."""

    line: int = Field(description="Line of the file, from 1.")
    value: str = Field(description="What was found, made printable and cut.")
    why: str
    fix: str = Field(description="What to do about it.")


class ImportOut(Schema):
    """What an import did."""

    captions: int = Field(description="Captions that were added.")
    annotations: int = Field(description="Annotations that were added.")
    unchanged: int = Field(description="Records that were there already.")
    to_settle: int = Field(description="Annotations flagged since a label has several equivalents.")
    left_out: int = Field(description="Records that were not taken.")
    people: list[str] = Field(description="Members without a log-in that were made for sessions.")
    skipped: list[SkippedOut] = Field(description="The first 500 records that were left out.")


router = Router(tags=["Labelling"])

_BINARY = {"schema": {"type": "string", "format": "binary"}}
# A schema of JSON cannot describe a file.
_FILE: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The file",
            "content": dict.fromkeys({one.content_type for one in FORMATS.values()}, _BINARY),
        }
    }
}


@router.get(
    "/labelling/{slug:project}/export",
    auth=KNOWN,
    operation_id="labelling_export",
    summary="Read the labels of a project as a file",
    openapi_extra=_FILE,
)
def export_file(
    request: UserRequest, project: str, asked: QueryEx[ExportChoice, P()]
) -> HttpResponseBase:
    """Send a file, made while it is sent; for managers."""
    found = access.project_for(request.auth, project, role=Role.MANAGER)
    try:
        return download_response(
            download_of(found, asked.format, ExportSelection(asked.who, asked.answer or ""))
        )
    except NoSuchPerson as error:
        raise ApiError(404, str(error)) from error


@router.post(
    "/labelling/{slug:project}/import",
    auth=KNOWN,
    throttle=Rate("upload", settings.API_UPLOAD_RATE),
    response={200: ImportOut},
    operation_id="labelling_import",
    summary="Bring captions and labels in from a file",
)
@decorate_view(upload_capped)
@reads_upload
def import_file(
    request: UserRequest, project: str, form: Form[ImportIn], file: File[UploadedFile]
) -> ImportOut:
    """Add what the project does not have yet: CSV by its name, else JSON lines; for managers."""
    found = access.project_for(request.auth, project, role=Role.MANAGER)
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise TooLarge
    source = CaptionSource(file=file.open("rb"), file_name=file.name or "", map_from=form.map_from)
    try:
        report = project_fill(
            project=found, source=source, act=ProjectAct(request.auth, timezone.now())
        )
    except NoMapping as error:
        raise ApiError(422, str(error), faults=[]) from error
    tasks.labelling_enqueue(found)
    return ImportOut.from_orm(report)
