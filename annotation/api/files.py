"""Captions and labels of a project as files, for those who manage it."""

from typing import Any

from django.conf import settings
from django.http import HttpResponseBase
from django.utils import timezone
from ninja import File, Form, P, QueryEx, Router, UploadedFile
from ninja.decorators import decorate_view

from annotation import access, tasks
from annotation.api.schemas.files import ExportChoice, ImportIn, ImportOut
from annotation.models import Role
from annotation.selectors.downloads import FORMATS, download_of
from annotation.selectors.exports import Choice, NoSuchPerson
from annotation.sending import sent
from annotation.services.filling import Source, project_fill
from annotation.services.managing import Act
from annotation.services.relabelling import NoMapping
from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.errors import ApiError, TooLarge
from leaderboard.api.schemas.errors import READ_ERRORS, WRITE_ERRORS, Faulty, Problem
from leaderboard.api.throttles import Rate
from leaderboard.api.uploads import capped_body

router = Router(tags=["Labelling"])

_BINARY = {"schema": {"type": "string", "format": "binary"}}
# What a file is cannot be told by a schema of JSON.
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
    response={**READ_ERRORS, 422: Faulty},
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
        return sent(download_of(found, asked.format, Choice(asked.who, asked.answer or "")))
    except NoSuchPerson as error:
        raise ApiError(404, str(error)) from error


@router.post(
    "/labelling/{slug:project}/import",
    auth=KNOWN,
    throttle=Rate("upload", settings.API_UPLOAD_RATE),
    response={200: ImportOut, **WRITE_ERRORS, 413: Problem, 422: Faulty},
    operation_id="labelling_import",
    summary="Bring captions and labels in from a file",
)
@decorate_view(capped_body)
def import_file(
    request: UserRequest, project: str, form: Form[ImportIn], file: File[UploadedFile]
) -> ImportOut:
    """Add what the project does not have yet: CSV by its name, else JSON lines; for managers."""
    found = access.project_for(request.auth, project, role=Role.MANAGER)
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise TooLarge
    source = Source(file=file.open("rb"), file_name=file.name or "", map_from=form.map_from)
    try:
        report = project_fill(project=found, source=source, act=Act(request.auth, timezone.now()))
    except NoMapping as error:
        raise ApiError(422, str(error), faults=[]) from error
    tasks.labelling_enqueue(found)
    return ImportOut.of(report)
