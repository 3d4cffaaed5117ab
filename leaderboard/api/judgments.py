"""Judgments of one's own: uploading a file, and how often metrics agree with it."""

from typing import Annotated

from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from ninja import File, Form, Router, Status, UploadedFile
from ninja.decorators import decorate_view
from pydantic import Field

from leaderboard import access
from leaderboard.api.people import LARGEST_KEY
from leaderboard.api.schemas.judgments import OwnJudgmentsIn, OwnJudgmentsOut
from leaderboard.forms.judgments import OwnJudgmentsForm
from leaderboard.models import JudgmentSet
from leaderboard.services.judgments.own import (
    RATE,
    RATE_GROUP,
    own_judgments_create,
    own_judgments_delete,
)
from leaderboard.tasks import judgments_enqueue
from leaderboard.web.api_auth import UserRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.body_limits import upload_capped
from leaderboard.web.rate_limits import Rate
from leaderboard.web.refusals import Refused
from leaderboard.web.upload_turns import reads_upload
from scoring.captions import Fault

router = Router(tags=["Judgments"])
upload_rate = Rate(RATE_GROUP, RATE)
_ONE = "/judgments/{judgments_id}"
JudgmentsId = Annotated[int, Field(ge=1, le=LARGEST_KEY)]


@router.post(
    "/judgments",
    throttle=upload_rate,
    response={201: OwnJudgmentsOut, 409: Problem, 503: Problem},
    operation_id="judgments_upload",
    summary="Upload judgments",
)
@decorate_view(upload_capped)
@reads_upload
def judgments_create(
    request: UserRequest, form: Form[OwnJudgmentsIn], file: File[UploadedFile]
) -> Status[OwnJudgmentsOut]:
    """Keep judgments of your own, and have every metric compared with them by a worker.

    The file is a table or JSON in the form of AudioCaps-Eval. Ask for its state until that is
    "done" or "failed".
    """
    checked = OwnJudgmentsForm({"name": form.name}, MultiValueDict({"file": [file]}))
    if not checked.is_valid():
        told = {field: str(errors[0]) for field, errors in checked.errors.items()}
        faults = [Fault(None, field, "", message) for field, message in told.items()]
        raise Refused(" ".join(told.values()), status=422, faults=faults)
    made = own_judgments_create(
        owner=request.auth, name=checked.shown_name, data=file.read(), now=timezone.now()
    )
    judgments_enqueue(made.pk)
    return Status(201, OwnJudgmentsOut.of_own(made))


@router.get(
    "/judgments",
    response={200: list[OwnJudgmentsOut]},
    operation_id="judgments",
    summary="List your judgments",
)
def judgments_list(request: UserRequest) -> list[OwnJudgmentsOut]:
    """Your own judgments with the results so far, the latest first."""
    rows = JudgmentSet.objects.filter(owner=request.auth).defer("pairs", "clips")
    return [OwnJudgmentsOut.of_own(row) for row in rows]


@router.get(
    _ONE,
    response={200: OwnJudgmentsOut},
    operation_id="own_judgments",
    summary="Read how often metrics agree with your judgments",
)
def judgments_detail(request: UserRequest, judgments_id: JudgmentsId) -> OwnJudgmentsOut:
    """How far the comparison is, and the share of pairs that each metric orders as people did."""
    return OwnJudgmentsOut.of_own(access.own_judgments_for(request.auth, judgments_id))


@router.delete(
    _ONE,
    response={204: None},
    operation_id="judgments_delete",
    summary="Delete your judgments",
)
def judgments_delete(request: UserRequest, judgments_id: JudgmentsId) -> Status[None]:
    """Delete judgments of your own with their results."""
    own_judgments_delete(judgments=access.own_judgments_for(request.auth, judgments_id))
    return Status(204, None)
