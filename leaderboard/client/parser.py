"""The client's command line."""

import argparse
from pathlib import Path

PROG = "python -m leaderboard.client"
EPILOG = (
    "Exit codes: 0 done, 1 refused, 2 wrong use, 3 the server cannot be reached. "
    "EARMARK_URL and EARMARK_TOKEN stand before what 'login' stored."
)


def parser() -> argparse.ArgumentParser:
    """Describe every command."""
    whole = argparse.ArgumentParser(
        prog=PROG, description="Take part in challenges from the command line.", epilog=EPILOG
    )
    whole.add_argument("--server", metavar="URL", help="the server, for this command only")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    login = commands.add_parser("login", help="store a server and a personal token")
    login.add_argument(
        "--token-stdin", action="store_true", help="read the token from the standard input"
    )
    _reading(commands.add_parser("phases", help="list challenges and their phases"))

    check = commands.add_parser("check", help="check captions or a package; nothing is sent")
    _files(check)
    _reading(check)

    submit = commands.add_parser("submit", help="check, submit and wait for the scores")
    _files(submit)
    submit.add_argument("--report", type=Path, metavar="PDF", help="a technical report")
    submit.add_argument("--team", default="", metavar="SLUG", help="where you are in several")
    submit.add_argument("--name", default="", help="the system's name (default: the metadata's)")
    submit.add_argument("--description", default="", help="what is new in this system")
    submit.add_argument(
        "--no-wait", action="store_true", help="do not wait for the scores once it is submitted"
    )
    submit.add_argument(
        "--key", default="", help="the key of an upload of which it is not known if it arrived"
    )
    _reading(submit)

    for name, told in (
        ("status", "follow a submission until it is scored"),
        ("scores", "read the scores of a submission"),
    ):
        one = commands.add_parser(name, help=told)
        one.add_argument("id", metavar="ID")
        _reading(one)
        if name == "status":
            one.add_argument("--no-wait", action="store_true", help="only say how far it is")

    board = commands.add_parser("leaderboard", help="read the leaderboard of a phase")
    board.add_argument("phase", metavar="CHALLENGE/PHASE")
    board.add_argument("--all", action="store_true", help="every system, not one for each team")
    _reading(board)
    return whole


def _files(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", type=Path, help="captions (CSV) or a DCASE package (zip)")
    command.add_argument("--phase", required=True, metavar="CHALLENGE/PHASE")
    command.add_argument("--metadata", type=Path, metavar="YAML", help="a metadata file")
    command.add_argument(
        "--system", default="", metavar="LABEL", help="which of several systems of a package"
    )


def _reading(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="write JSON for programs")
