"""Which keys a person chose for the labelling page."""

from django.utils import timezone
from ninja import Router

from annotation import access
from annotation.api.persons import require_same_person
from annotation.api.schemas.keys import KeysIn, KeysOut
from annotation.selectors.keys import keys_of
from annotation.services.keys import keys_choose
from leaderboard.api.auth import KNOWN, UserRequest
from leaderboard.api.schemas.errors import READ_ERRORS, WRITE_ERRORS, Faulty

router = Router(tags=["Labelling"])


@router.get(
    "/labelling/{slug:project}/keys",
    auth=KNOWN,
    response={200: KeysOut, **READ_ERRORS},
    operation_id="labelling_keys",
    summary="Read the keys that you chose",
)
def keys(request: UserRequest, project: str) -> KeysOut:
    """Give the keys that you changed for the project's scheme."""
    require_same_person(request)
    member = access.membership_for(request.auth, project)
    return KeysOut(keys=keys_of(member.user, member.project.scheme) or {})


@router.put(
    "/labelling/{slug:project}/keys",
    auth=KNOWN,
    response={200: KeysOut, **WRITE_ERRORS, 422: Faulty},
    operation_id="labelling_choose_keys",
    summary="Choose keys",
)
def choose_keys(request: UserRequest, project: str, told: KeysIn) -> KeysOut:
    """Keep the keys that you changed, for all projects with this scheme."""
    require_same_person(request)
    member = access.membership_for(request.auth, project)
    scheme = member.project.scheme
    kept = keys_choose(user=member.user, scheme=scheme, keys=told.keys, now=timezone.now())
    return KeysOut(keys=kept.keys)
