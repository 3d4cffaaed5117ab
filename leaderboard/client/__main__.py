"""Run the client: ``python -m leaderboard.client``."""

import sys
from collections.abc import Sequence

from leaderboard.client.commands import COMMANDS
from leaderboard.client.ending import INTERRUPTED, Ending, Refused
from leaderboard.client.parser import parser
from leaderboard.client.showing import Screen, faults_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry a command out and give its exit code."""
    asked = parser().parse_args(arguments)
    screen = Screen()
    try:
        return COMMANDS[asked.command](asked, screen)
    except Ending as ending:
        if isinstance(ending, Refused):
            screen.faults(faults_of(ending.answer))
        screen.say(str(ending))
        return ending.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has had enough.
        sys.stderr.close()
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
