"""Whose page a request comes from."""

from leaderboard.api.auth import UserRequest
from leaderboard.api.errors import ApiError

HEADER = "X-Labelling-As"


def require_same_person(request: UserRequest) -> None:
    """Refuse what the page of one person sends while another is logged in on that browser.

    A page that stays open over a log-out holds work of the first. It says whose in a
    header; scripts, which have their own token, need not.
    """
    told = request.headers.get(HEADER)
    if told is not None and told != str(request.auth.pk):
        name = request.auth.get_username()
        raise ApiError(401, f"This page is another person's; {name} is logged in now.", person=name)
