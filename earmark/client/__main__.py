"""Run the client: ``python -m earmark.client``."""

import sys
from argparse import Namespace
from collections.abc import Sequence

from earmark.client.command_line import INTERRUPTED, ClientError, RequestRefused, parser
from earmark.client.commands import COMMANDS
from earmark.client.output import Screen, faults_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command of ``python -m earmark.client``; returns its exit code."""
    return run(parser().parse_args(arguments))


def run(parsed: Namespace) -> int:
    """Run the command that was parsed; returns its exit code."""
    screen = Screen()
    try:
        return COMMANDS[parsed.command](parsed, screen)
    except ClientError as error:
        if isinstance(error, RequestRefused):
            screen.faults(faults_of(error.answer))
        screen.say(str(error))
        return error.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has had enough.
        sys.stderr.close()
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
