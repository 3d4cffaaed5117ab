"""The client's command line, its exit codes and the errors that lead to them."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any


def add_commands(commands: Any, prog: str, run: Callable[[argparse.Namespace], int]) -> None:
    """Add every command of participants to the commands of a program; ``run`` runs each."""

    def command(name: str, help_text: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(name, help=help_text)
        made.set_defaults(command=name, run=run, prog=prog)
        made.add_argument("--server", metavar="URL", help="the server to use")
        return made

    login = command("login", "store a server and a personal token")
    login.add_argument(
        "--token-stdin", action="store_true", help="read the token from the standard input"
    )
    _reading(command("phases", "list challenges and their phases"))

    starter = command("starter", "download baselines to train, with a README")
    starter.add_argument("--phase", required=True, metavar="CHALLENGE/PHASE")
    starter.add_argument(
        "--out", type=Path, metavar="FOLDER", help="where to put it (default: a new folder here)"
    )

    check = command("check", "check captions or a package without submitting it")
    _files(check)
    _reading(check)

    submit = command("submit", "check, submit and wait for the scores")
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

    status = command("status", "follow a submission until it is scored")
    status.add_argument("id", metavar="ID")
    status.add_argument("--no-wait", action="store_true", help="show the progress once and stop")
    _reading(status)

    scores = command("scores", "read the scores of a submission")
    scores.add_argument("id", metavar="ID")
    _reading(scores)

    board = command("leaderboard", "read the leaderboard of a phase")
    board.add_argument("phase", metavar="CHALLENGE/PHASE")
    board.add_argument("--all", action="store_true", help="all systems, not one per team")
    _reading(board)


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
