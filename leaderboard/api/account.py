"""The person who asks."""

from ninja import Router

from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.schemas.account import Me, MembershipOut
from leaderboard.api.schemas.errors import Problem
from leaderboard.models import Role

router = Router(tags=["Account"])


@router.get(
    "/me",
    auth=KNOWN,
    response={200: Me, 401: Problem, 403: Problem, 429: Problem},
    operation_id="me",
    summary="Read who you are",
)
def me(request: UserRequest) -> Me:
    """Give your name, your teams and the challenges that you organise."""
    user = request.auth
    memberships = user.memberships.select_related("team").order_by("team__slug")
    return Me(
        username=user.username,
        email=user.email,
        teams=[
            MembershipOut(slug=row.team.slug, name=row.team.name, role=Role(row.role))
            for row in memberships
        ],
        organises=list(user.organised_challenges.order_by("slug").values_list("slug", flat=True)),
    )
