"""What each command does."""

import getpass
import os
import re
import sys
import uuid
from argparse import Namespace
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from leaderboard.client.account import (
    Account,
    account_read,
    account_store,
    address_checked,
)
from leaderboard.client.ending import OK, REFUSED, Misused, Refused, Unreachable
from leaderboard.client.files import Chosen, Report, check, chosen
from leaderboard.client.parser import PROG
from leaderboard.client.scores import follow, number, write_scores
from leaderboard.client.server import Server
from leaderboard.client.showing import Screen, fault_json
from scoring.captions.faults import counted

Command = Callable[[Namespace, Screen], int]


def login(asked: Namespace, screen: Screen) -> int:
    """Try a token and store it with its server."""
    server = asked.server or os.environ.get("EARMARK_URL") or ""
    if not server:
        raise Misused("Say which server: --server https://example.org login")
    token = sys.stdin.readline() if asked.token_stdin else getpass.getpass("Token (not shown): ")
    account = Account(address_checked(server), token.strip())
    if not re.fullmatch(r"[!-~]+", account.token):
        raise Misused("That is no token. Make one on the page of your account.")
    me = Server.of(account, screen.say).get("/me")
    path = account_store(account, os.environ)
    teams = ", ".join(team["slug"] for team in me["teams"]) or "none yet"
    screen.line(f"Logged in as {me['username']}; teams: {teams}. Stored in {path}.")
    return OK


def phases(asked: Namespace, screen: Screen) -> int:
    """List what there is to submit to."""
    server = _server(asked, screen)
    found = [server.get(f"/challenges/{row['slug']}") for row in server.get("/challenges")]
    if asked.json:
        screen.json(found)
        return OK
    rows = [
        [
            f"{challenge['slug']}/{phase['slug']}",
            "open" if phase["is_open"] else "not open",
            str(phase["clips"] or "none"),
            phase["ranking_metric"],
            (phase["closes_at"] or "never")[:16].replace("T", " "),
        ]
        for challenge in found
        for phase in challenge["phases"]
    ]
    screen.table(("Phase", "State", "Clips", "Ranked by", "Closes (UTC)"), rows)
    return OK


def check_files(asked: Namespace, screen: Screen) -> int:
    """Check files as the server does."""
    server = _server(asked, screen)
    report = check(server, _phase(asked.phase), _chosen(asked))
    _tell(report, screen)
    if asked.json:
        screen.json(
            {
                "good": report.good,
                "clips": report.clips,
                "label": report.package.label,
                "systems": report.package.systems,
                "metadata": report.package.metadata.to_dict() if report.package.metadata else None,
                "faults": [fault_json(fault) for fault in report.faults],
            }
        )
    elif report.good:
        screen.line(f"No faults: {counted(report.clips, 'clip')}.")
    return OK if report.good else REFUSED


def submit(asked: Namespace, screen: Screen) -> int:
    """Check files, hand them in once, and wait for the scores."""
    server, phase, files = _server(asked, screen), _phase(asked.phase), _chosen(asked)
    if not server.account.token:
        raise Misused("Submitting needs a token. Run 'login' first, or set EARMARK_TOKEN.")
    report = check(server, phase, files)
    _tell(report, screen)
    if not report.good:
        raise Refused("Nothing was submitted and no quota was spent.")
    submission = _upload(server, phase, files, asked)
    screen.say(f"Submitted {submission['id']}: {submission['links']['page']}")
    return _wait(server, submission, asked, screen)


def status(asked: Namespace, screen: Screen) -> int:
    """Say how far a submission is, and wait for the rest."""
    server = _server(asked, screen)
    return _wait(server, _submission(server, asked.id), asked, screen)


def scores(asked: Namespace, screen: Screen) -> int:
    """Read the scores found so far."""
    server = _server(asked, screen)
    submission = _submission(server, asked.id)
    if asked.json:
        screen.json({name: submission[name] for name in ("id", "state", "metrics")})
    else:
        write_scores(server, submission, screen)
    return OK


def leaderboard(asked: Namespace, screen: Screen) -> int:
    """Read the leaderboard of a phase."""
    server = _server(asked, screen)
    systems = "all" if asked.all else "counting"
    board = server.get(f"/phases/{_phase(asked.phase)}/leaderboard", systems=systems)
    if asked.json:
        screen.json(board)
        return OK
    name = board["ranking_metric"]
    known = {row["name"]: row for row in server.get("/metrics")}
    rows = []
    for row in board["rows"]:
        score = row["metrics"].get(name)
        value = number(score["value"], board["precision"]) if score else row["state"]
        rank = "" if row["rank"] is None else str(row["rank"])
        rows.append([row["system_name"], row["team_name"], rank, value, row["id"]])
    title = known.get(name, {}).get("label", name)
    screen.table(("System", "Team", "Rank", title, "ID"), rows)
    return OK


COMMANDS: dict[str, Command] = {
    "login": login,
    "phases": phases,
    "check": check_files,
    "submit": submit,
    "status": status,
    "scores": scores,
    "leaderboard": leaderboard,
}


def _server(asked: Namespace, screen: Screen) -> Server:
    return Server.of(account_read(os.environ, asked.server), screen.say)


def _phase(text: str) -> str:
    if not re.fullmatch(r"[-\w]+/[-\w]+", text, re.ASCII):
        raise Misused(f"{text!r} is no phase. Write CHALLENGE/PHASE; 'phases' lists them.")
    return text


def _submission(server: Server, public_id: str) -> dict[str, Any]:
    found: dict[str, Any] = server.get(f"/submissions/{quote(public_id, safe='')}")
    return found


def _chosen(asked: Namespace) -> Chosen:
    return chosen(asked.file, asked.metadata, getattr(asked, "report", None), asked.system)


def _upload(server: Server, phase: str, files: Chosen, asked: Namespace) -> dict[str, Any]:
    """Hand files in under a key of their own, so that a try that got through is known again."""
    key = asked.key or uuid.uuid4().hex
    fields = {
        "system_name": asked.name,
        "description": asked.description,
        "team": asked.team,
        "package_system": files.system,
    }
    named = {"file": files.file, "metadata_file": files.metadata, "report": files.report}
    parts = {name: (file.name, file.data) for name, file in named.items() if file is not None}
    try:
        found: dict[str, Any] = server.upload(
            f"/phases/{phase}/submissions", fields=fields, files=parts, key=key
        )
    except (Unreachable, KeyboardInterrupt) as error:
        why = str(error) or "Interrupted."
        raise Unreachable(
            f"{why} It is not known whether the upload arrived. Run the same "
            f"command again with --key {key}: it will not be submitted twice."
        ) from error
    return found


def _wait(server: Server, submission: dict[str, Any], asked: Namespace, screen: Screen) -> int:
    if not asked.no_wait:
        try:
            submission = follow(server, submission, screen)
        except (KeyboardInterrupt, Unreachable):
            again = f"{PROG} status {submission['id']}"
            screen.say(f"No longer waiting; the scoring goes on. To go on: {again}")
            raise
    if asked.json:
        screen.json(submission)
    else:
        if asked.no_wait:
            screen.line(f"{submission['id']}: {submission['state']}")
        write_scores(server, submission, screen)
    return REFUSED if submission["state"] == "failed" else OK


def _tell(report: Report, screen: Screen) -> None:
    screen.faults(report.faults)
    if len(report.package.systems) > 1 and report.package.captions is None:
        screen.say(f"Say which with --system, such as --system {report.package.systems[0]}")
