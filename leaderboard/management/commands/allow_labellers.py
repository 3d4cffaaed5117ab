"""Allow somebody to delete labellers and to choose the one in use, or no longer."""

from leaderboard.management.rights import RightCommand

HELP = __doc__


class Command(RightCommand):
    """Grant or revoke the right to choose the labeller in use; what they chose stays."""

    help = HELP
    codename = "publish_labeller"
    acts = ("labellers.allow", "labellers.disallow")
    thing = "delete labellers and choose the one in use"
