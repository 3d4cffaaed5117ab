"""What pages say of names and ranks that are kept back."""

from datetime import datetime

from leaderboard.models import Phase
from leaderboard.selectors.view import View, public_view


def kept_back(phase: Phase, view: View, now: datetime) -> dict[str, object]:
    """Give what ``_kept_back.html`` needs to say what a reader sees and what others do."""
    return {"view": view, "names_hidden": not public_view(phase, now).names}
