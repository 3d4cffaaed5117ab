"""The command ``earmark``: scoring here, taking part in challenges elsewhere, running a site.

    earmark --help        installed
    python -m earmark --help        from a checkout

Everything but ``server`` runs without Django.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NoReturn

from earmark import __version__
from earmark.cli.files import MISUSED
from earmark.cli.parser import DESCRIPTION, examples, run_command
from earmark.cli.parser import add_commands as add_scoring_commands
from earmark.cli.program import run_program
from earmark.client.command_line import add_commands as add_client_commands

PROG = "earmark"
SERVER = "server"
_EPILOG = f"""\
{examples(PROG)}
taking part in challenges:
  {PROG} login --server https://example.org
  {PROG} submit package.zip --phase CHALLENGE/PHASE
  EARMARK_URL and EARMARK_TOKEN take precedence over what 'login' stored.

running a site (pip install 'earmark[server]'):
  {PROG} server prepare --demo
  {PROG} server run

exit codes:
  0  done (warnings may have been printed)
  1  the files have errors, or the site refuses; each reason is printed
  2  wrong arguments, or a file that cannot be read or written
  3  a metric was unavailable, or the site cannot be reached
"""


def program() -> NoReturn:
    """Run the command ``earmark``."""
    run_program(main)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == [SERVER]:
        return _manage(words[1:])
    return run_command(build_parser, words)


def build_parser() -> argparse.ArgumentParser:
    """Make the parser with the commands of scoring, of participants and of a site."""
    parser = argparse.ArgumentParser(
        prog=PROG,
        description=f"{DESCRIPTION[:-1]}; take part in challenges; run a site of them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    parser.set_defaults(run=_take_part, prog=PROG, server=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_scoring_commands(commands)
    add_client_commands(commands)
    commands.add_parser(SERVER, help="run a site, or one of its own commands (manage.py)")
    return parser


def _take_part(parsed: argparse.Namespace) -> int:
    from earmark.client.__main__ import run

    return run(parsed)


def _manage(arguments: list[str]) -> int:
    """Run a command of the site, as manage.py does."""
    if find_spec("django") is None:
        sys.stderr.write("A site needs more packages: pip install 'earmark[server]'\n")
        return MISUSED
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line([f"{PROG} {SERVER}", *(arguments or ["help"])])
    return 0


if __name__ == "__main__":
    program()
