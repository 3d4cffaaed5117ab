"""The client's commands, the files that they check and hand in, and the kits that they unpack."""

import getpass
import io
import os
import re
import sys
import uuid
import zipfile
from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from earmark.captions import Fault, References
from earmark.captions.faults import count_of
from earmark.client.command_line import (
    OK,
    REFUSED,
    ClientError,
    Misused,
    RequestRefused,
    Unreachable,
)
from earmark.client.output import Screen, faults_of, score_text, wait_for_scores, write_scores
from earmark.client.server import Account, Server, account_read, account_store, server_address
from earmark.packages.reading import File, Package, package_against, package_read


@dataclass(frozen=True, slots=True)
class ChosenFiles:
    """The files that a command names, and which system of a package is meant."""

    file: File
    metadata: File | None
    report: File | None
    system: str


@dataclass(frozen=True, slots=True)
class FileCheck:
    """What a check found."""

    package: Package
    clips: int
    faults: tuple[Fault, ...]

    @property
    def good(self) -> bool:
        """Whether it would be taken."""
        return not any(fault.severity == "error" for fault in self.faults)


def files_check(server: Server, phase: str, files: ChosenFiles) -> FileCheck:
    """Check files against the clips of a phase, here, with the reader that the server uses."""
    answer = server.get(f"/phases/{phase}/clips")
    try:
        names, limit = [str(name) for name in answer["file_names"]], int(answer["max_bytes"])
    except (KeyError, TypeError, ValueError) as error:
        raise RequestRefused("The server did not list the clips of the phase.") from error
    if len(files.file.data) > limit:
        raise RequestRefused(f"{files.file.name} is larger than the limit of {limit / 1e6:g} MB.")
    package = package_read(
        files.file,
        metadata=files.metadata,
        report=files.report,
        system=files.system,
        max_bytes=limit,
    )
    references = References.build((name, ("",)) for name in names)
    reading = package_against(package, references, max_bytes=limit)
    return FileCheck(package, len(names), reading.faults)


def _read(path: Path) -> File:
    try:
        return File(path.name, path.read_bytes())
    except OSError as error:
        raise Misused(f"{path} cannot be read: {error.strerror}.") from error


Command = Callable[[Namespace, Screen], int]


def login(arguments: Namespace, screen: Screen) -> int:
    """Try a token and store it with its server."""
    server = arguments.server or os.environ.get("EARMARK_URL") or ""
    if not server:
        raise Misused("Name the server: login --server https://example.org")
    token = (
        sys.stdin.readline() if arguments.token_stdin else getpass.getpass("Token (not shown): ")
    )
    account = Account(server_address(server), token.strip())
    if not re.fullmatch(r"[!-~]+", account.token):
        raise Misused("This is not a token. Make one on your account's page.")
    me = Server.of(account, screen.say).get("/me")
    path = account_store(account, os.environ)
    teams = ", ".join(team["slug"] for team in me["teams"]) or "none yet"
    screen.line(f"Logged in as {me['username']}; teams: {teams}. Stored in {path}.")
    return OK


def phases(arguments: Namespace, screen: Screen) -> int:
    """List what there is to submit to."""
    server = _server(arguments, screen)
    challenges = [server.get(f"/challenges/{row['slug']}") for row in server.get("/challenges")]
    if arguments.json:
        screen.json(challenges)
        return OK
    rows = [
        [
            f"{challenge['slug']}/{phase['slug']}",
            "open" if phase["is_open"] else "not open",
            str(phase["clips"] or "none"),
            phase["ranking_metric"],
            (phase["closes_at"] or "never")[:16].replace("T", " "),
        ]
        for challenge in challenges
        for phase in challenge["phases"]
    ]
    screen.table(("Phase", "State", "Clips", "Ranking metric", "Closes (UTC)"), rows)
    return OK


def starter(arguments: Namespace, screen: Screen) -> int:
    """Download the starter kit of a phase and unpack it."""
    phase = _phase(arguments.phase)
    data = _server(arguments, screen).download(f"/phases/{phase}/starter-kit")
    folder = arguments.out or Path(f"{phase.replace('/', '-')}-starter-kit")
    files = kit_unpack(data, folder)
    screen.line(f"{folder} has {count_of(files, 'file')}. Start with {folder / 'README.md'}.")
    return OK


def check_files(arguments: Namespace, screen: Screen) -> int:
    """Check files as the server does."""
    server = _server(arguments, screen)
    report = files_check(server, _phase(arguments.phase), _chosen(arguments))
    _write_faults(report, screen)
    if arguments.json:
        screen.json(
            {
                "good": report.good,
                "clips": report.clips,
                "label": report.package.label,
                "systems": report.package.systems,
                "metadata": report.package.metadata.to_dict() if report.package.metadata else None,
                "faults": [asdict(fault) for fault in report.faults],
            }
        )
    elif report.good:
        screen.line(f"No errors: {count_of(report.clips, 'clip')}.")
    return OK if report.good else REFUSED


def submit(arguments: Namespace, screen: Screen) -> int:
    """Check files, hand them in once, and wait for the scores."""
    server, phase, files = _server(arguments, screen), _phase(arguments.phase), _chosen(arguments)
    if not server.account.token:
        raise Misused("Submitting needs a token. Run 'login' first, or set EARMARK_TOKEN.")
    report = files_check(server, phase, files)
    _write_faults(report, screen)
    if not report.good:
        raise RequestRefused("Nothing was submitted and no quota was used.")
    submission = _upload(server, phase, files, arguments)
    screen.say(f"Submitted {submission['id']}: {submission['links']['page']}")
    return _wait(server, submission, arguments, screen)


def status(arguments: Namespace, screen: Screen) -> int:
    """Show how far a submission is, and wait for the rest."""
    server = _server(arguments, screen)
    return _wait(server, _submission(server, arguments.id), arguments, screen)


def scores(arguments: Namespace, screen: Screen) -> int:
    """Read the scores found so far."""
    server = _server(arguments, screen)
    submission = _submission(server, arguments.id)
    if arguments.json:
        screen.json({name: submission[name] for name in ("id", "state", "metrics")})
    else:
        write_scores(server, submission, screen)
    return OK


def leaderboard(arguments: Namespace, screen: Screen) -> int:
    """Read the leaderboard of a phase."""
    server = _server(arguments, screen)
    systems = "all" if arguments.all else "counting"
    board = server.get(f"/phases/{_phase(arguments.phase)}/leaderboard", systems=systems)
    if arguments.json:
        screen.json(board)
        return OK
    name = board["ranking_metric"]
    known = {row["name"]: row for row in server.get("/metrics")}
    rows = []
    for row in board["rows"]:
        score = row["metrics"].get(name)
        value = score_text(score["value"], board["precision"]) if score else row["state"]
        rank = "" if row["rank"] is None else str(row["rank"])
        rows.append([row["system_name"], row["team_name"], rank, value, row["id"]])
    title = known.get(name, {}).get("label", name)
    screen.table(("System", "Team", "Rank", title, "ID"), rows)
    return OK


COMMANDS: dict[str, Command] = {
    "login": login,
    "phases": phases,
    "starter": starter,
    "check": check_files,
    "submit": submit,
    "status": status,
    "scores": scores,
    "leaderboard": leaderboard,
}


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


def _server(arguments: Namespace, screen: Screen) -> Server:
    return Server.of(account_read(os.environ, arguments.server), screen.say)


def _phase(text: str) -> str:
    if not re.fullmatch(r"[-\w]+/[-\w]+", text, re.ASCII):
        raise Misused(f"{text!r} is not a phase. Write CHALLENGE/PHASE; 'phases' lists all phases.")
    return text


def _submission(server: Server, public_id: str) -> dict[str, Any]:
    submission: dict[str, Any] = server.get(f"/submissions/{quote(public_id, safe='')}")
    return submission


def _chosen(arguments: Namespace) -> ChosenFiles:
    """Read the files of a command; raises ``Misused`` where one cannot be read."""
    metadata, report = arguments.metadata, getattr(arguments, "report", None)
    return ChosenFiles(
        _read(arguments.file),
        _read(metadata) if metadata else None,
        _read(report) if report else None,
        arguments.system,
    )


def _upload(server: Server, phase: str, files: ChosenFiles, arguments: Namespace) -> dict[str, Any]:
    """Hand files in under a key of their own, so that a try that got through is known again."""
    key = arguments.key or uuid.uuid4().hex
    fields = {
        "system_name": arguments.name,
        "description": arguments.description,
        "team": arguments.team,
        "package_system": files.system,
    }
    named = {"file": files.file, "metadata_file": files.metadata, "report": files.report}
    parts = {name: (file.name, file.data) for name, file in named.items() if file is not None}
    try:
        submission: dict[str, Any] = server.upload(
            f"/phases/{phase}/submissions", fields=fields, files=parts, key=key
        )
    except (Unreachable, KeyboardInterrupt) as error:
        why = str(error) or "Interrupted."
        raise Unreachable(
            f"{why} It is not known whether the upload arrived. Run the same "
            f"command again with --key {key}: it will not be submitted twice."
        ) from error
    return submission


def _wait(server: Server, submission: dict[str, Any], arguments: Namespace, screen: Screen) -> int:
    if not arguments.no_wait:
        try:
            submission = wait_for_scores(server, submission, screen)
        except (KeyboardInterrupt, Unreachable):
            again = f"{arguments.prog} status {submission['id']}"
            screen.say(f"Stopped waiting; scoring continues. To see the progress: {again}")
            raise
    if arguments.json:
        screen.json(submission)
    else:
        if arguments.no_wait:
            screen.line(f"{submission['id']}: {submission['state']}")
            if waiting := submission.get("waiting"):
                screen.line(waiting["sentence"])
        write_scores(server, submission, screen)
    return REFUSED if submission["state"] == "failed" else OK


def _write_faults(report: FileCheck, screen: Screen) -> None:
    screen.faults(report.faults)
    if len(report.package.systems) > 1 and report.package.captions is None:
        screen.say(f"Name one with --system, for example --system {report.package.systems[0]}")


MAX_BYTES = 5_000_000
_NAME = re.compile(r"[\w-]+/([A-Za-z0-9_]+\.(?:py|md|txt))", re.ASCII)


def kit_unpack(data: bytes, folder: Path) -> int:
    """Write the files of a kit to a new or empty folder; returns how many they are."""
    files = _files(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Misused(f"{folder} is not empty. Name another folder with --out.")
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise Misused(f"{folder} cannot be written: {error.strerror}.") from error
    return len(files)


def _files(data: bytes) -> dict[str, bytes]:
    """The files by name: no site may put any other file, or one elsewhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            named = [(_NAME.fullmatch(entry.filename), entry) for entry in entries]
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise RequestRefused(f"The starter kit is larger than {MAX_BYTES / 1e6:g} MB.")
            if not all(match for match, _ in named):
                raise RequestRefused("The starter kit has files that no starter kit has.")
            return {match[1]: archive.read(entry) for match, entry in named if match}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise RequestRefused("The site did not send a starter kit.") from error
