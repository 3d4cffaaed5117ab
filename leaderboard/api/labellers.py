"""The labellers that this site keeps."""

from ninja import Router

from leaderboard import access
from leaderboard.api.schemas.labellers import LabellerDetail, LabellerOut
from leaderboard.selectors.labellers.listing import StoredLabeller, kept_labellers
from leaderboard.web.api_auth import UserRequest

router = Router(tags=["Labellers"])


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


@router.get(
    "/labellers/{str:identity}",
    response={200: LabellerDetail},
    operation_id="labeller",
    summary="Read a labeller",
)
def labeller_detail(request: UserRequest, identity: str) -> StoredLabeller:
    """All that is known of a labeller."""
    return access.labeller_for(request.auth, identity)
