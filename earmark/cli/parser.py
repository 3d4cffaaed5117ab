"""The command ``earmark``: scoring here, taking part in challenges elsewhere, running a site.

Everything but ``server`` runs without Django.
"""

import argparse
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from earmark import __version__
from earmark.cli import (
    benchmark,
    compare,
    fluency,
    graph,
    label,
    metrics,
    score,
    sounds,
    train,
    tricks,
    validate,
)
from earmark.cli.files import MISUSED, Misuse
from earmark.client.command_line import add_commands as add_client_commands
from earmark.errors import ScoringError
from earmark.runtime import share_memory_pools

_INTERRUPTED = 130
COMMANDS = (
    *(validate, score, compare, metrics, benchmark, tricks),
    *(fluency, graph, label, train, sounds),
)

# Installed, or from a checkout.
PROG = "earmark" if Path(sys.argv[0]).stem == "earmark" else "python -m earmark"
SERVER = "server"
# What single commands need, by the extra that installs it.
EXTRAS = {
    "httpx": "client",
    "iterstrat": "datasets",
    "rapidfuzz": "datasets",
    "soundfile": "sounds",
    "spellchecker": "datasets",
    "yaml": "client",
}
_DESCRIPTION = (
    "Score audio captions with every metric of the field, without Java; take part in challenges; "
    "run a site of them."
)
_EPILOG = f"""\
examples:
  {PROG} validate --references clotho.csv --candidates mine.csv
  {PROG} score --references clotho.csv --candidates mine.csv
  {PROG} score -r clotho.csv -c mine.csv --metrics meteor,cider_d --per-clip clips.csv
  {PROG} score -r clotho.csv -c mine.csv --details details.jsonl
  {PROG} compare -r clotho.csv -c mine.csv baseline.csv --metrics fense,cider_d
  {PROG} metrics
  {PROG} benchmark --judgments audiocaps_eval.json --metrics bleu_1,sbert_sim
  {PROG} fluency mine.csv
  {PROG} label mine.csv
  {PROG} sounds made --clips 600

files:
  CSV with commas or tabs, JSON or JSONL, in UTF-8.
  candidates:  file_name,caption_predicted (or caption_predicted_1..k)
  references:  file_name,caption_1..n, or AudioCaps' youtube_id and caption
  A clip is found in spite of HTML entities or spaces around its name.

taking part in challenges:
  {PROG} login --server https://example.org
  {PROG} submit package.zip --phase CHALLENGE/PHASE
  EARMARK_URL and EARMARK_TOKEN take precedence over what 'login' stored.

running a site (pip install earmark-server):
  {PROG} server prepare --demo
  {PROG} server run

exit codes:
  0  done (warnings may have been printed)
  1  the files have errors, or the site refuses; each reason is printed
  2  wrong arguments, or a file that cannot be read or written
  3  a metric was unavailable, or the site cannot be reached
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == [SERVER]:
        return _manage(words[1:])
    _print_anything()
    _collect_seldom()
    _wait_asleep()
    share_memory_pools()
    try:
        parsed = build_parser().parse_args(words)
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else MISUSED
    except (Misuse, ScoringError, ModuleNotFoundError) as error:
        sys.stderr.write(f"error: {_told(error)}\n")
        return MISUSED
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has gone (as with "| head"); a second failure at exit
        # would only add noise.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _told(error: Exception) -> str:
    """What an expected failure says; others are raised again."""
    if not isinstance(error, ModuleNotFoundError):
        return str(error)
    if error.name not in EXTRAS:
        raise error
    return f"The package of {error.name} is missing: pip install 'earmark[{EXTRAS[error.name]}]'"


def _print_anything() -> None:
    """Escape what a terminal cannot show, as file names may hold any character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _collect_seldom() -> None:
    """Look for unused cycles a hundred times less often than Python would.

    Scoring makes hundreds of thousands of small objects that live to the end and
    form no cycles; walking through them again and again is a sixth of the time.
    """
    gc.set_threshold(70_000, 10, 10)


def _wait_asleep() -> None:
    """Let torch's threads sleep while they wait for each other, unless set otherwise.

    Awake, as they would by default, they take several times as long where other
    processes want the same cores. Read when torch is imported, which is later.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def build_parser() -> argparse.ArgumentParser:
    """Make the parser with its commands."""
    parser = argparse.ArgumentParser(
        prog=PROG,
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"earmark {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_command(commands)
    add_client_commands(commands, PROG, _take_part)
    commands.add_parser(SERVER, help="run a site, or one of its own commands (manage.py)")
    return parser


def _take_part(parsed: argparse.Namespace) -> int:
    from earmark.client.commands import run

    return run(parsed)


def _manage(arguments: list[str]) -> int:
    """Run a command of the site, as manage.py does."""
    if find_spec("leaderboard") is None or find_spec("django") is None:
        sys.stderr.write("A site is a package of its own: pip install earmark-server\n")
        return MISUSED
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line([f"{PROG} {SERVER}", *(arguments or ["help"])])
    return 0
