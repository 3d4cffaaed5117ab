"""Allow somebody to make challenges of their own, or no longer."""

from leaderboard.management.rights import RightCommand

HELP = __doc__


class Command(RightCommand):
    """Grant or revoke the right to make challenges; challenges that exist stay theirs."""

    help = HELP
    codename = "add_challenge"
    acts = ("organiser.allow", "organiser.disallow")
    thing = "make challenges"
