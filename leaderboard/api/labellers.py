"""The labellers that this site keeps, and choosing the one in use."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from ninja import File, Form, Router, Status, UploadedFile
from ninja.decorators import decorate_view

from leaderboard import access
from leaderboard.access import Visitor
from leaderboard.api.schemas.labellers import (
    LabellerDetail,
    LabellerIn,
    LabellerOut,
    RollBackIn,
    UseIn,
)
from leaderboard.forms.labellers import LabellerUpload, labeller_too_large, most_bytes
from leaderboard.forms.uploads import CappedUpload, upload_on_disk
from leaderboard.models import Labeller, LabellerUse
from leaderboard.selectors.labellers.listing import StoredLabeller, kept_labeller, kept_labellers
from leaderboard.selectors.labellers.packing import file_name_of, packed
from leaderboard.services import labellers as services
from leaderboard.services.labellers import LabellerNeeded, LabellerRefused, UseRefused
from leaderboard.web.api_auth import UserRequest, token_user
from leaderboard.web.api_errors import ApiError, Problem, problem
from leaderboard.web.file_responses import file_attachment
from leaderboard.web.rate_limits import Rate
from scoring.errors import ScoringError

router = Router(tags=["Labellers"])
act_rate = Rate("upload", settings.API_UPLOAD_RATE)
_ONE = "/labellers/{str:identity}"
_FILE: dict[str, Any] = {
    "responses": {
        200: {
            "description": "A zip with config.json, model.safetensors, report.json, MODEL_CARD.md",
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        }
    }
}
ACT: dict[str, Any] = {
    "throttle": act_rate,
    "response": {200: LabellerDetail, 409: Problem},
}

View = Callable[..., HttpResponseBase]


def _large_upload(view: View) -> View:
    """Take a file as large as labellers may be; refuse a larger one before it is read.

    This comes before anybody asks who it is. Of those who may not send one no more is kept
    than of any other file.
    """

    @wraps(view)
    def taken(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal():
            return problem(400, "Content-Length is not a number.")
        if int(length) > most_bytes():
            return problem(413, labeller_too_large())
        if request.method == "POST" and access.may_publish_labellers(_sender(request)):
            usual = [one for one in request.upload_handlers if type(one) is not CappedUpload]
            request.upload_handlers = [LabellerUpload(request), *usual]
        return view(request, *args, **kwargs)

    return taken


def _sender(request: HttpRequest) -> Visitor:
    """The sender, from the headers alone: the file is not read for it."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if not scheme:
        return request.user
    return token_user(secret=secret.strip(), now=timezone.now()) or AnonymousUser()


@router.get(
    "/labellers",
    response={200: list[LabellerOut]},
    operation_id="labellers",
    summary="List the labellers",
)
def labeller_list(request: UserRequest) -> list[StoredLabeller]:
    """The labeller of the installation and those that are kept, the latest first."""
    access.labellers_for(request.auth)
    return kept_labellers()


@router.post(
    "/labellers",
    throttle=act_rate,
    response={200: LabellerDetail, 201: LabellerDetail},
    operation_id="labeller_upload",
    summary="Upload a labeller",
)
@decorate_view(_large_upload)
def labeller_create(
    request: UserRequest, form: Form[LabellerIn], file: File[UploadedFile]
) -> Status[StoredLabeller]:
    """Keep the labeller of a zip; one that is kept already is given as it is (200)."""
    access.publishing_for(request.auth)
    if (file.size or 0) > most_bytes():
        raise ApiError(413, labeller_too_large())
    known = set(Labeller.objects.values_list("pk", flat=True))
    try:
        with upload_on_disk(file) as path:
            made = services.labeller_upload(
                path=path, name=form.name, note=form.note, actor=request.auth, now=timezone.now()
            )
    except LabellerRefused as refused:
        raise ApiError(422, str(refused), faults=[]) from refused
    return Status(200 if made.pk in known else 201, _detail(made.identity))


@router.post("/labellers/roll-back", operation_id="labeller_roll_back", summary="Roll back", **ACT)
def roll_back(request: UserRequest, asked: RollBackIn) -> StoredLabeller:
    """Put the labeller to use that was in use before; phases keep what they score with."""
    access.publishing_for(request.auth)
    return _chosen(
        lambda: services.labeller_roll_back(actor=request.auth, now=timezone.now(), seen=asked.seen)
    )


@router.get(
    _ONE,
    response={200: LabellerDetail},
    operation_id="labeller",
    summary="Read a labeller",
)
def labeller_detail(request: UserRequest, identity: str) -> StoredLabeller:
    """All that is known of a labeller."""
    access.labeller_for(request.auth, identity)
    return _detail(identity)


@router.delete(
    _ONE,
    throttle=act_rate,
    response={204: None, 409: Problem},
    operation_id="labeller_delete",
    summary="Delete a labeller",
)
def labeller_delete(request: UserRequest, identity: str) -> Status[None]:
    """Delete a labeller to which nothing refers."""
    access.publishing_for(request.auth)
    found = access.labeller_for(request.auth, identity)
    if found.row is None:
        raise ApiError(409, f"{identity} comes with the installation.")
    try:
        services.labeller_delete(labeller=found.row, actor=request.auth, now=timezone.now())
    except LabellerNeeded as needed:
        raise ApiError(409, str(needed)) from needed
    return Status(204, None)


@router.get(
    f"{_ONE}/file",
    response={409: Problem},
    operation_id="labeller_file",
    summary="Download a labeller",
    openapi_extra=_FILE,
)
def labeller_file(request: UserRequest, identity: str) -> HttpResponseBase:
    """Send a labeller's files as a zip, their content verified."""
    found = access.labeller_for(request.auth, identity)
    try:
        return file_attachment(packed(found), file_name_of(found), "application/zip")
    except (ScoringError, OSError) as error:
        raise ApiError(409, str(error)) from error


@router.post(f"{_ONE}/use", operation_id="labeller_use", summary="Put a labeller to use", **ACT)
def labeller_use(request: UserRequest, identity: str, asked: UseIn) -> StoredLabeller:
    """Make a labeller the one in use; phases keep what they score with until they are rescored."""
    access.publishing_for(request.auth)
    found = access.labeller_for(request.auth, identity)
    return _chosen(
        lambda: services.labeller_put_to_use(
            labeller=found.row,
            reason=asked.reason,
            actor=request.auth,
            now=timezone.now(),
            seen=asked.seen,
        )
    )


def _chosen(act: Callable[[], LabellerUse]) -> StoredLabeller:
    try:
        return _detail(act().identity)
    except (UseRefused, ScoringError) as refused:
        raise ApiError(409, str(refused)) from refused


def _detail(identity: str) -> StoredLabeller:
    found = kept_labeller(identity)
    if found is None:
        raise ApiError(404, f"There is no labeller {identity} any more.")
    return found
