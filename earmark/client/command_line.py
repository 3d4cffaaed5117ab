"""The client's command line, its exit codes and the errors that lead to them."""

import argparse
from pathlib import Path
from typing import Any

PROG = "python -m earmark.client"
EPILOG = (
    "Exit codes: 0 done, 1 refused, 2 wrong usage, 3 the server cannot be reached. EARMARK_URL "
    "and EARMARK_TOKEN take precedence over what 'login' stored."
)


def parser() -> argparse.ArgumentParser:
    """Describe every command."""
    client = argparse.ArgumentParser(
        prog=PROG, description="Take part in challenges from the command line.", epilog=EPILOG
    )
    client.add_argument("--server", metavar="URL", help="the server, for this command only")
    client.set_defaults(prog=PROG)
    add_commands(client.add_subparsers(required=True, metavar="COMMAND"))
    return client


def add_commands(commands: Any) -> None:
    """Add every command of participants to a parser's commands.

    The parser itself sets ``prog``, the program's name, and ``server``, None at first.
    """
    login = _command(commands, "login", "store a server and a personal token")
    login.add_argument(
        "--token-stdin", action="store_true", help="read the token from the standard input"
    )
    _reading(_command(commands, "phases", "list challenges and their phases"))

    starter = _command(commands, "starter", "download baselines to train, with a README")
    starter.add_argument("--phase", required=True, metavar="CHALLENGE/PHASE")
    starter.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where to put it (default: a new folder here)"
    )

    check = _command(commands, "check", "check captions or a package without submitting it")
    _files(check)
    _reading(check)

    submit = _command(commands, "submit", "check, submit and wait for the scores")
    _files(submit)
    submit.add_argument("--report", type=Path, metavar="PDF", help="a technical report")
    submit.add_argument(
        "--team", default="", metavar="SLUG", help="the team, if you are in several"
    )
    submit.add_argument(
        "--name", default="", help="name of the system (default: the name in the metadata)"
    )
    submit.add_argument("--description", default="", help="short description of the system")
    submit.add_argument("--no-wait", action="store_true", help="do not wait for the scores")
    submit.add_argument(
        "--key", default="", help="the key of an earlier upload that may not have arrived"
    )
    _reading(submit)

    status = _command(commands, "status", "follow a submission until it is scored")
    status.add_argument("id", metavar="ID")
    status.add_argument("--no-wait", action="store_true", help="show the progress once and stop")
    _reading(status)

    scores = _command(commands, "scores", "read the scores of a submission")
    scores.add_argument("id", metavar="ID")
    _reading(scores)

    board = _command(commands, "leaderboard", "read the leaderboard of a phase")
    board.add_argument("phase", metavar="CHALLENGE/PHASE")
    board.add_argument("--all", action="store_true", help="all systems, not one per team")
    _reading(board)


def _command(commands: Any, name: str, help_text: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=help_text)
    command.set_defaults(command=name)
    # Suppressed, so that one that stands before the command is not lost.
    command.add_argument(
        "--server", metavar="URL", default=argparse.SUPPRESS, help="the server to use"
    )
    return command


def _files(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=Path, help="captions (CSV) or a DCASE package (zip)")
    command.add_argument("--phase", required=True, metavar="CHALLENGE/PHASE")
    command.add_argument("--metadata", type=Path, metavar="YAML", help="a metadata file")
    command.add_argument(
        "--system",
        default="",
        metavar="LABEL",
        help="the system to submit, if the package has several",
    )


def _reading(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON, for programs")


OK = 0
REFUSED = 1
MISUSED = 2
UNREACHABLE = 3
INTERRUPTED = 130


class ClientError(Exception):
    """A command ends with a message and an exit code."""

    code = REFUSED


class RequestRefused(ClientError):
    """The server, or the check before it, refuses; ``answer`` is the server's response."""

    def __init__(self, message: str, answer: dict[str, object] | None = None) -> None:
        super().__init__(message)
        self.answer = answer or {}


class Misused(ClientError):
    """The command cannot be carried out as it was given."""

    code = MISUSED


class Unreachable(ClientError):
    """The server cannot be reached, or has no time."""

    code = UNREACHABLE
